"""Basis values of one large graph by sparse matrix products, without n x n arrays in memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pdf_search.config import BasisConfig


def pair_values(
    nodes: int, edges: NDArray[np.int32], basis: BasisConfig
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Compute the near pairs of one graph and their basis values.

    Args:
        nodes: The number of nodes n.
        edges: [2, E], source and destination.
        basis: The m bases; its hop limit, or else its largest k, decides which pairs are near.

    Returns:
        v [P] and u [P], sorted by v, then u, and the values, float64 [P, m].
    """
    matrix = _adjacency(nodes, edges)
    v, u = (index.astype(np.int64) for index in _pattern(matrix, reach(basis)).nonzero())
    order = np.lexsort((u, v))
    v, u = v[order], u[order]
    values = np.zeros((len(v), basis.size))
    values[:, 0] = v == u
    degree = matrix.sum(axis=1)
    for eps in dict.fromkeys(eps for eps, _ in basis.grid):
        columns = {k: i + 1 for i, (e, k) in enumerate(basis.grid) if e == eps}
        scale = sparse.diags_array(degree**eps)
        step = power = sparse.csr_array(scale @ matrix @ scale)
        for k in range(1, max(columns) + 1):
            power = power if k == 1 else sparse.csr_array(power @ step)
            if k in columns:
                values[:, columns[k]] = _entries(power, v, u)
    for column, e in enumerate(basis.diagonals, 1 + len(basis.grid)):
        values[:, column] = values[:, 0] * degree[v] ** e
    return v, u, values


def count_near_pairs(nodes: int, edges: NDArray[np.int32], basis: BasisConfig) -> int:
    """Count the near pairs of one graph, without computing their values."""
    return int(_pattern(_adjacency(nodes, edges), reach(basis)).nnz)


def reach(basis: BasisConfig) -> int:
    """The length of the longest walk that makes a pair near, in steps."""
    return basis.hops if basis.hops is not None else max(k for _, k in basis.grid)


def _adjacency(nodes: int, edges: NDArray[np.int32]) -> sparse.csr_array:
    """A~ = A + I of one graph, float64 [n, n]; parallel edges count once."""
    ones = np.ones(edges.shape[1])
    matrix = sparse.csr_array((ones, (edges[1], edges[0])), shape=(nodes, nodes))
    return sparse.csr_array(((matrix + sparse.eye_array(nodes)) > 0).astype(np.float64))


def _pattern(matrix: sparse.csr_array, steps: int) -> sparse.csr_array:
    """A matrix that is 1 at the pairs joined by a walk of at most ``steps`` steps."""
    near = matrix
    for _ in range(steps - 1):
        near = sparse.csr_array(((near @ matrix) > 0).astype(np.float64))
    return near


def _entries(
    matrix: sparse.csr_array, v: NDArray[np.int64], u: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The entries of ``matrix`` at (v, u), [P]; 0 where the matrix stores none."""
    matrix.sort_indices()
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    keys = rows * matrix.shape[1] + matrix.indices
    wanted = v * matrix.shape[1] + u
    place = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
    return np.where(keys[place] == wanted, matrix.data[place], 0.0)
