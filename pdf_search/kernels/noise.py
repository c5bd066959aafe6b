"""Counter-based random numbers: a number is the hash of its key, whatever was drawn before.

The hash is 32-bit arithmetic in int64 tensors. It gives the same numbers on every device and in
every kernel.
"""

from __future__ import annotations

from typing import TypeVar

from torch import Tensor

UINT32_MAX = 0xFFFFFFFF


Number = TypeVar("Number", int, Tensor)  # int64 where a tensor


def mix_bits(x: Number) -> Number:
    """Hash 32-bit numbers: Wellons' lowbias32, a bijection with full avalanche."""
    x = x ^ (x >> 16)
    x = (x * 0x7FEB352D) & UINT32_MAX
    x = x ^ (x >> 15)
    x = (x * 0x846CA68B) & UINT32_MAX
    return x ^ (x >> 16)


def mixed_key(key: Tensor) -> Tensor:
    """The key's part of ``fold_in``, which a kernel computes once for all channels."""
    return mix_bits(key ^ 0x9E3779B9)


def mixed_value(value: Number) -> Number:
    """The value's part of ``fold_in``, which a kernel computes once for all keys."""
    return mix_bits((value + 0x7F4A7C15) & UINT32_MAX)


def fold_in(key: Tensor, value: Tensor | int) -> Tensor:
    """Derive a new key from a key and a value; both broadcast."""
    return mix_bits(mixed_key(key) ^ mixed_value(value))  # type: ignore[type-var]


def uniform(keys: Tensor) -> Tensor:
    """Uniform float32 numbers in [0, 1), one for each key."""
    return (mix_bits(keys) >> 8).float() * 2.0**-24
