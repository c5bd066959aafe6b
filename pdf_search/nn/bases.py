"""The PyG transform that computes the basis rows of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from pdf_search.config import BasisConfig
from pdf_search.graphs import GraphSet, build_bank


class PDFBases(BaseTransform):  # type: ignore[misc]  # torch_geometric has no types
    """Add the bases (D~^eps A~ D~^eps)^k of a graph, and the identity, as ``data.bases``.

    ``data.bases`` is a mapping of tensors that PyG batches and moves as it does the others:
    ``rows`` [U, m] distinct basis rows, ``pair_index`` [2, P] near pairs (v, u) by v and u,
    ``pair_row`` [P] the row of each, ``far_row`` [1] that of all other pairs (-1: none), and the
    counts ``nodes``, ``pairs``, ``distinct``, each [1]. Rows are computed in float64.

    >>> transform = PDFBases(eps=[-0.1, -0.3], k=4)
    >>> PDFConv(64, transform.size)
    """

    def __init__(
        self,
        eps: Sequence[float],
        k: int | Sequence[int],
        hops: int | None = None,
        standardise: bool = False,
    ) -> None:
        """Take every eps with every k; a single ``k`` stands for 1 to k.

        Args:
            eps: Values from -0.5 to 0.
            k: Powers from 1 to 16.
            hops: Pairs joined by a walk of at most so many steps take part; None for all pairs.
            standardise: Each basis to mean 0 and deviation 1 over the pairs of its graph.

        Raises:
            ValueError: an eps or k is outside its range.
        """
        powers = tuple(range(1, k + 1)) if isinstance(k, int) else tuple(k)
        support: Any = "dense" if hops is None else {"hops": hops}
        self.basis = BasisConfig(eps=tuple(eps), k=powers, support=support, standardise=standardise)

    @property
    def size(self) -> int:
        """m, the number of bases with the identity."""
        return self.basis.size

    @property
    def names(self) -> tuple[str, ...]:
        """A readable name for each place of a basis row, such as ``(-0.2, 3)``."""
        return self.basis.names

    def forward(self, data: Data) -> Data:
        """Compute the bases of one graph, which must be undirected; self loops add nothing.

        Raises:
            ValueError: it has no nodes, or an edge without its reverse.
        """
        nodes, edges = data.num_nodes, data.edge_index.cpu().numpy()
        edges = np.unique(edges[:, edges[0] != edges[1]], axis=1)
        if not nodes:
            raise ValueError("the graph has no nodes")
        back = np.unique(edges[::-1], axis=1)
        if not np.array_equal(edges, back):
            raise ValueError(
                "the graph has an edge without its reverse: apply "
                "torch_geometric.transforms.ToUndirected before"
            )
        bank = build_bank(_plain(nodes, edges), self.basis)
        data.bases = {
            "rows": torch.from_numpy(bank.rows),
            "pair_index": torch.from_numpy(np.stack([bank.target, bank.source]).astype(np.int64)),
            "pair_row": torch.from_numpy(bank.row.astype(np.int64)),
            "far_row": torch.from_numpy(bank.far_row.astype(np.int64)),
            "nodes": torch.tensor([nodes]),
            "pairs": torch.tensor([len(bank.row)]),
            "distinct": torch.tensor([len(bank.rows)]),
        }
        return data

    def __repr__(self) -> str:
        return f"PDFBases({', '.join(self.names)})"


def _plain(nodes: int, edges: np.ndarray[Any, Any]) -> GraphSet:
    """A set of one graph without features."""
    return GraphSet(
        node_ptr=np.array([0, nodes]),
        nodes=np.zeros((nodes, 1), np.int64),
        edge_ptr=np.array([0, edges.shape[1]]),
        edges=edges.astype(np.int32),
        edge_type=np.zeros(edges.shape[1], np.int32),
        edge_types=np.zeros((1, 0), np.int64),
        self_type=0,
        targets=np.full((1, 1), np.nan, np.float32),
    )
