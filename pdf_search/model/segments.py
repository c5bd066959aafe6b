"""Selecting and reducing rows by index, with an index of its own for each replicate.

The operations work on flat [R * N, d] tensors: there torch's CPU kernels are several times faster
than with an index into the middle dimension.

Legend: R replicates, N rows, L entries, d channels.
"""

from __future__ import annotations

import torch
from torch import Tensor


def index_select(x: Tensor, index: Tensor) -> Tensor:
    """Select rows of ``x`` [R, N, d] by ``index`` [R, L]; returns [R, L, d]."""
    flat = _flat(index, x.shape[1])
    return x.flatten(0, 1).index_select(0, flat).view(*index.shape, x.shape[2])


def scatter_sum(values: Tensor, index: Tensor, size: int) -> Tensor:
    """Sum ``values`` [R, L, d] by ``index`` [R, L] into [R, size, d]; index ``size`` is dropped."""
    replicates, _, width = values.shape
    out = values.new_zeros(replicates * (size + 1), width)
    out = out.index_add(0, _flat(index, size + 1), values.flatten(0, 1))
    return out.view(replicates, size + 1, width)[:, :size]


def scatter_max(values: Tensor, index: Tensor, size: int) -> Tensor:
    """Maximum of ``values`` [R, L, d] by ``index`` [R, L], [R, size + 1, d]; -inf where none."""
    replicates, _, width = values.shape
    out = values.new_full((replicates * (size + 1), width), -torch.inf)
    flat = _flat(index, size + 1)[:, None].expand(-1, width)
    out = out.scatter_reduce(0, flat, values.flatten(0, 1), "amax")
    return out.view(replicates, size + 1, width)


def _flat(index: Tensor, size: int) -> Tensor:
    """Index into the rows of all replicates, [R * L], where each replicate has ``size`` rows."""
    first = torch.arange(len(index), device=index.device)[:, None] * size
    return (index + first).flatten()
