"""Dropout on the CPU, with the hash of ``noise`` in one pass.

Legend: R replicates, n entries of all replicates, d channels.
"""

from __future__ import annotations

import numpy as np
import torch
from numba import njit, prange
from numpy.typing import NDArray
from torch import Tensor

from pdf_search.kernels.cpu.runtime import OPTIONS, Kernel, as_array
from pdf_search.kernels.noise import mixed_value
from pdf_search.kernels.structures import Draws

_f, _u = np.float32, np.uint32
_UNIT = _f(2.0**-24)
_NONE = np.zeros(0, np.int64)


def dropped(x: Tensor, draws: Draws, rate: float) -> Tensor:
    """See ``reference``."""
    width = x.shape[-1]
    out = torch.empty(x.shape)
    indices = [_ints(index) for index in draws.indices]
    owner = _NONE if draws.replicate is None else _ints(draws.replicate)
    _dropped(
        as_array(x).reshape(-1, width), _ints(draws.keys), mixed_value(draws.place),
        indices[0], indices[1] if len(indices) > 1 else _NONE, owner, rate,
        out.numpy().reshape(-1, width),
    )  # fmt: skip
    return out


def _ints(x: Tensor) -> NDArray[np.int64]:
    array: NDArray[np.int64] = x.long().contiguous().numpy().reshape(-1)
    return array


@njit(inline="always", **OPTIONS)
def _mix_bits(x):  # type: ignore[no-untyped-def]
    # Numba widens 32-bit products to 64 bits, so each is narrowed again.
    x = _u(x ^ (x >> _u(16)))
    x = _u(x * _u(0x7FEB352D))
    x = _u(x ^ (x >> _u(15)))
    x = _u(x * _u(0x846CA68B))
    return _u(x ^ (x >> _u(16)))


@njit(inline="always", **OPTIONS)
def _mixed_key(key):  # type: ignore[no-untyped-def]
    return _mix_bits(_u(key ^ _u(0x9E3779B9)))


@njit(inline="always", **OPTIONS)
def _mixed_value(value):  # type: ignore[no-untyped-def]
    return _mix_bits(_u(_u(value) + _u(0x7F4A7C15)))


@njit(inline="always", **OPTIONS)
def _fold_in(key, mixed):  # type: ignore[no-untyped-def]
    return _mix_bits(_u(_mixed_key(key) ^ mixed))


@Kernel
def _dropped(x, keys, place, first, second, owner, rate, out):  # type: ignore[no-untyped-def]
    """Write ``x`` [n, d] times its factors; ``place`` is mixed, the indices [n] are not."""
    limit, factor = _f(rate), _f(1 / (1 - rate))
    entries, width = x.shape
    each = max(entries // len(keys), 1)
    channels = np.empty(width, np.uint32)
    for d in range(width):
        channels[d] = _mixed_value(d)
    for i in prange(entries):
        replicate = owner[i] if len(owner) else i // each
        key = _fold_in(_u(keys[replicate]), _u(place))
        key = _fold_in(key, _mixed_value(first[i]))
        if len(second):
            key = _fold_in(key, _mixed_value(second[i]))
        mixed, source, target = _mixed_key(key), x[i], out[i]
        for d in range(width):
            number = _f(_mix_bits(_mix_bits(_u(mixed ^ channels[d]))) >> _u(8)) * _UNIT
            target[d] = source[d] * (factor if number >= limit else _f(0.0))
