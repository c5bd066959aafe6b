"""Readout: node states to one state per graph."""

from __future__ import annotations

import torch
from torch import Tensor

from pdf_search.model.segments import scatter_max, scatter_sum


def readout(kind: str, x: Tensor, slot: Tensor, node_count: Tensor) -> Tensor:
    """Mean, max or sum over the nodes of each graph slot, [R, B, d]; an empty slot gives 0.

    ``kind``: ``mean``, ``max`` or ``sum``. ``x`` [R, N, d], ``slot`` [R, N] (B for padding),
    ``node_count`` [R, B].
    """
    slots = node_count.shape[1]
    if kind == "max":
        out = scatter_max(x, slot, slots)[:, :slots]
        return torch.where(node_count[..., None] > 0, out, 0.0)
    total = scatter_sum(x, slot, slots)
    return total / node_count[..., None].clamp(min=1) if kind == "mean" else total
