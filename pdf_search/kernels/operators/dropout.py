"""Dropout factors drawn from keys, by the hash of ``noise``."""

from __future__ import annotations

from torch import Tensor

from pdf_search.kernels.dispatch import backend


def keep_factors(keys: Tensor, rate: float, width: int) -> Tensor:
    """Draw float32 dropout factors [n, width], 0 or 1 / (1 - rate), a row for each of ``keys``."""
    return backend(keys.device).keep_factors(keys, rate, width)
