"""Dropout factors in plain torch.

Legend: n entries, d channels.
"""

from __future__ import annotations

import torch
from torch import Tensor

from pdf_search.kernels.noise import fold_in, uniform


def keep_factors(keys: Tensor, rate: float, width: int) -> Tensor:
    """Dropout factors [n, d], 0 or 1 / (1 - rate), of entries with ``keys`` [n]."""
    channel = torch.arange(width, device=keys.device)
    kept = uniform(fold_in(keys[:, None], channel)) >= rate
    return kept.float() * (1 / (1 - rate))
