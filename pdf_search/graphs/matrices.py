"""Basis matrices (D~^eps A~ D~^eps)^k and diag(D~^e) of graphs, in float64.

Legend: B graphs padded to n nodes, m bases (the identity first), v row (destination), u column.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def padded_adjacency(
    node_count: Tensor, edge_graph: Tensor, source: Tensor, target: Tensor
) -> Tensor:
    """Return A~ = A + I of B graphs, float64 [B, n, n]; rows and columns of padding are zero.

    Parallel edges count once, and a self loop adds nothing to that of I.

    Args:
        node_count: The number of nodes of each graph, [B].
        edge_graph: The graph of each edge, [E].
        source: The source node of each edge, local to its graph, [E].
        target: The destination node of each edge, local to its graph, [E].
    """
    n = int(node_count.max())
    matrix = torch.zeros(len(node_count), n, n, dtype=torch.float64)
    matrix[edge_graph, target, source] = 1.0
    inside = (torch.arange(n) < node_count[:, None]).double()
    matrix.diagonal(dim1=1, dim2=2).copy_(inside)
    return matrix


def bases(
    adjacency: Tensor, grid: Sequence[tuple[float, int]], diagonals: Sequence[float] = ()
) -> Tensor:
    """Compute all bases, float64 [B, n, n, m].

    The identity comes first, then (D~^eps A~ D~^eps)^k in the order of ``grid``, then diag(D~^e).
    ``adjacency`` is A~ [B, n, n]. The bases are those of section 3.3 of the paper; the diagonals
    come from the authors' code. Each power continues from the one before it, so that a full grid
    up to K costs K - 1 matrix products for each eps.
    """
    n = adjacency.shape[-1]
    degree = adjacency.sum(-1)
    present = degree > 0
    identity = torch.eye(n, dtype=adjacency.dtype) * present[:, None]
    out = adjacency.new_zeros(*adjacency.shape, 1 + len(grid) + len(diagonals))
    out[..., 0] = identity
    for eps in dict.fromkeys(eps for eps, _ in grid):
        columns = {k: i + 1 for i, (e, k) in enumerate(grid) if e == eps}
        scale = torch.where(present, degree, 1.0) ** eps
        step = scale[:, :, None] * adjacency * scale[:, None, :]
        power = step
        for k in range(1, max(columns) + 1):
            power = power if k == 1 else power @ step
            if k in columns:
                out[..., columns[k]] = power
    for column, e in enumerate(diagonals, 1 + len(grid)):
        out[..., column] = identity * torch.where(present, degree, 1.0)[:, None] ** e
    return out


def within_hops(adjacency: Tensor, hops: int) -> Tensor:
    """Whether a walk of at most ``hops`` steps joins each pair, bool [B, n, n]."""
    reach = step = (adjacency > 0).float()
    for _ in range(hops - 1):
        reach = ((reach @ step) > 0).float()
    return reach > 0
