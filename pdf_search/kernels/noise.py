"""The counter-based hash behind private randomness.

32-bit arithmetic in int64 tensors: the same numbers on every device and in every kernel.
"""

from __future__ import annotations

from typing import TypeVar

from torch import Tensor

UINT32_MAX = 0xFFFFFFFF


Number = TypeVar("Number", int, Tensor)  # int64 where a tensor


def mix_bits(x: Number) -> Number:
    """A bijection of 32-bit numbers with full avalanche (Wellons' lowbias32)."""
    x = x ^ (x >> 16)
    x = (x * 0x7FEB352D) & UINT32_MAX
    x = x ^ (x >> 15)
    x = (x * 0x846CA68B) & UINT32_MAX
    return x ^ (x >> 16)


def mixed_key(key: Tensor) -> Tensor:
    return mix_bits(key ^ 0x9E3779B9)


def mixed_value(value: Number) -> Number:
    return mix_bits((value + 0x7F4A7C15) & UINT32_MAX)


def fold_in(key: Tensor, value: Tensor | int) -> Tensor:
    """A new key from a key and a value, broadcast."""
    return mix_bits(mixed_key(key) ^ mixed_value(value))  # type: ignore[type-var]


def uniform(keys: Tensor) -> Tensor:
    """Numbers in [0, 1) from keys, float32."""
    return (mix_bits(keys) >> 8).float() * 2.0**-24
