"""The PyG transform that computes the basis rows of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
import torch
from pydantic import ValidationError
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from pdf_search.config import BasisConfig, PowerRange, wrong_together
from pdf_search.errors import ConfigError, DataError
from pdf_search.graphs import GraphSet, build_bank
from pdf_search.nn.arguments import check_undirected, edge_array, instance, numbers, truth, whole


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
            ConfigError: an argument is no number, or outside its range.
        """
        support: Any = "dense" if hops is None else {"hops": whole("hops", hops)}
        try:
            self.basis = BasisConfig(
                eps=numbers("eps", eps),
                k=_powers(k),
                support=support,
                standardise=truth("standardise", standardise),
            )
        except ValidationError as error:
            raise ConfigError(f"PDFBases: {wrong_together(error.errors())}") from None

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
            DataError: it is no ``torch_geometric.data.Data``, has no nodes, no list of edges, an
                edge with a node that it has not, or an edge without its reverse.
        """
        instance("the graph", data, Data, "a torch_geometric.data.Data")
        nodes, edges = data.num_nodes, _edges(data)
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


def _powers(k: Any) -> PowerRange | tuple[int, ...]:
    """The powers; up to a single one a range, so that an error names it and none on the way."""
    if isinstance(k, Real):
        return PowerRange(low=1, high=whole("k", k))
    return tuple(whole("k", power) for power in numbers("k", k))


def _edges(data: Data) -> np.ndarray[Any, Any]:
    """The edges between different nodes, each once in both directions."""
    if not data.num_nodes:
        raise DataError("the graph has no nodes")
    listed = edge_array(data.edge_index)
    check_undirected(listed, data.num_nodes, "the graph")
    return np.unique(listed[:, listed[0] != listed[1]], axis=1)


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
