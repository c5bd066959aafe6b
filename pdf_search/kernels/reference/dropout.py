"""Dropout factors in plain torch.

Legend: n entries, d channels.
"""

from __future__ import annotations

import torch
from torch import Tensor

from pdf_search.kernels.noise import fold_in, uniform


def keep_factors(keys: Tensor, rate: float, width: int) -> Tensor:
    """Draw dropout factors [n, width] for entries with ``keys`` [n]: 0 or 1 / (1 - rate)."""
    channel = torch.arange(width, device=keys.device)
    kept = uniform(fold_in(keys[:, None], channel)) >= rate
    return kept.float() * (1 / (1 - rate))
