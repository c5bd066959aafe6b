"""Dropout factors on the CPU, with the hash of ``noise`` in one pass.

Legend: n entries, d channels.
"""

from __future__ import annotations

import numpy as np
import torch
from numba import njit, prange
from torch import Tensor

from pdf_search.kernels.cpu.runtime import OPTIONS, threads
from pdf_search.kernels.noise import mixed_key, mixed_value

_f, _u = np.float32, np.uint32
_UNIT = _f(2.0**-24)


def keep_factors(keys: Tensor, rate: float, width: int) -> Tensor:
    """See ``reference``."""
    out = torch.empty(len(keys), width)
    first, second = mixed_key(keys), mixed_value(torch.arange(width))
    with threads():
        _keep(first.numpy(), second.numpy(), rate, out.numpy())
    return out


@njit(inline="always", **OPTIONS)
def _mix_bits(x):  # type: ignore[no-untyped-def]
    # Numba widens 32-bit products to 64 bits, so each is narrowed again.
    x = _u(x ^ (x >> _u(16)))
    x = _u(x * _u(0x7FEB352D))
    x = _u(x ^ (x >> _u(15)))
    x = _u(x * _u(0x846CA68B))
    return _u(x ^ (x >> _u(16)))


@njit(parallel=True, **OPTIONS)
def _keep(first, second, rate, out):  # type: ignore[no-untyped-def]
    """Write the factors [n, d] from the mixed keys ``first`` [n] and channels ``second`` [d]."""
    limit, factor = _f(rate), _f(1 / (1 - rate))
    channels = second.astype(np.uint32)
    for i in prange(len(first)):
        key, target = np.uint32(first[i]), out[i]
        for d in range(len(channels)):
            number = _f(_mix_bits(_mix_bits(_u(key ^ channels[d]))) >> _u(8)) * _UNIT
            target[d] = factor if number >= limit else _f(0.0)
