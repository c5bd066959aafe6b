"""Matrix products of all replicates, by torch."""

from __future__ import annotations

import torch
from torch import Tensor


def product(a: Tensor, b: Tensor) -> Tensor:
    """The matrix product of each replicate, [R, n, m], of ``a`` [R, n, k] and ``b`` [R, k, m]."""
    return torch.bmm(a, b)
