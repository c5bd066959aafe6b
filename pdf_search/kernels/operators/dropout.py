"""Dropout factors from keys (``noise``)."""

from __future__ import annotations

from torch import Tensor

from pdf_search.kernels.dispatch import backend


def keep_factors(keys: Tensor, rate: float, width: int) -> Tensor:
    """Dropout factors [n, d], 0 or 1 / (1 - rate), of entries with ``keys`` [n]; float32."""
    return backend(keys.device).keep_factors(keys, rate, width)
