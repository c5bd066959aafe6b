"""The counter-based hash behind private randomness, and dropout factors from it.

32-bit arithmetic in int64 tensors: the same numbers on every device and in every kernel.

Legend: n entries, d channels.
"""

from __future__ import annotations

from typing import TypeVar

import torch
from torch import Tensor

MASK = 0xFFFFFFFF


Number = TypeVar("Number", int, Tensor)  # int64 where a tensor


def mix(x: Number) -> Number:
    """A bijection of 32-bit numbers with full avalanche (Wellons' lowbias32)."""
    x = x ^ (x >> 16)
    x = (x * 0x7FEB352D) & MASK
    x = x ^ (x >> 15)
    x = (x * 0x846CA68B) & MASK
    return x ^ (x >> 16)


def mixed_key(key: Tensor) -> Tensor:
    return mix(key ^ 0x9E3779B9)


def mixed_value(value: Number) -> Number:
    return mix((value + 0x7F4A7C15) & MASK)


def fold_in(key: Tensor, value: Tensor | int) -> Tensor:
    """A new key from a key and a value, broadcast."""
    return mix(mixed_key(key) ^ mixed_value(value))  # type: ignore[type-var]


def uniform(keys: Tensor) -> Tensor:
    """Numbers in [0, 1) from keys, float32."""
    return (mix(keys) >> 8).float() * 2.0**-24


def keep_factors(keys: Tensor, rate: float, width: int) -> Tensor:
    """Dropout factors [n, d], 0 or 1 / (1 - rate), of entries with ``keys`` [n]."""
    channel = torch.arange(width, device=keys.device)
    if keys.device.type == "cpu":
        from pdf_search.kernels import cpu, cpu_elementwise  # noqa: PLC0415  (loads a compiler)

        out = torch.empty(len(keys), width)
        first, second = mixed_key(keys).numpy(), mixed_value(channel).numpy()
        with cpu.threads():
            cpu_elementwise.keep_factors(first, second, rate, out.numpy())
        return out
    return plain_keep_factors(keys, rate, width)


def plain_keep_factors(keys: Tensor, rate: float, width: int) -> Tensor:
    """``keep_factors`` in plain torch."""
    channel = torch.arange(width, device=keys.device)
    kept = uniform(fold_in(keys[:, None], channel)) >= rate
    return kept.float() * (1 / (1 - rate))
