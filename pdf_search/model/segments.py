"""Picking and summing rows by index, for each replicate its own.

Written over flat [R * N, d] tensors: torch's CPU kernels are several times faster on them than on
an index into the middle dimension.

Legend: R replicates, N rows, L entries, d channels.
"""

from __future__ import annotations

import torch
from torch import Tensor


def index_select(x: Tensor, index: Tensor) -> Tensor:
    """Rows of ``x`` [R, N, d] by ``index`` [R, L], as [R, L, d]."""
    flat = _flat(index, x.shape[1])
    return x.flatten(0, 1).index_select(0, flat).view(*index.shape, x.shape[2])


def scatter_sum(values: Tensor, index: Tensor, size: int) -> Tensor:
    """Sum entries [R, L, d] by ``index`` [R, L] into [R, size, d]; index ``size`` is dropped."""
    replicates, _, width = values.shape
    out = values.new_zeros(replicates * (size + 1), width)
    out = out.index_add(0, _flat(index, size + 1), values.flatten(0, 1))
    return out.view(replicates, size + 1, width)[:, :size]


def scatter_max(values: Tensor, index: Tensor, size: int) -> Tensor:
    """Largest entry by ``index``, [R, size + 1, d]; -inf where there is none."""
    replicates, _, width = values.shape
    out = values.new_full((replicates * (size + 1), width), -torch.inf)
    flat = _flat(index, size + 1)[:, None].expand(-1, width)
    out = out.scatter_reduce(0, flat, values.flatten(0, 1), "amax")
    return out.view(replicates, size + 1, width)


def _flat(index: Tensor, size: int) -> Tensor:
    """Index into the rows of all replicates, [R * L]."""
    first = torch.arange(len(index), device=index.device)[:, None] * size
    return (index + first).flatten()
