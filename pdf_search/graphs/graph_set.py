"""A data set of graphs as flat arrays that can be memory-mapped and shared between processes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]


@dataclass(frozen=True)
class GraphSet:
    """G graphs with N nodes and E directed edges in all.

    Every edge is listed once in each direction. There are no self loops. Node numbers are local to
    their graph. An edge type is the number of a row of ``edge_types``: row 0 is "no bond" (all
    zeros), and ``self_type`` is the type of a node's pair with itself. A set without edge features
    has ``edge_types`` of shape [1, 0] and type 0 alone.
    """

    node_ptr: NDArray[np.int64]  # [G + 1]
    nodes: Array  # [N, F] int64 (categorical) or float32
    edge_ptr: NDArray[np.int64]  # [G + 1]
    edges: NDArray[np.int32]  # [2, E] (source, destination)
    edge_type: NDArray[np.int32]  # [E]
    edge_types: Array  # [T, C] int64 (categorical) or float32
    self_type: int
    targets: NDArray[np.float32]  # [G, tasks]; nan = unlabelled; class number if multi-class

    def __len__(self) -> int:
        return len(self.node_ptr) - 1

    @property
    def node_count(self) -> NDArray[np.int64]:
        """The number of nodes of each graph, [G]."""
        return np.diff(self.node_ptr)

    def subset(self, graphs: NDArray[np.int64]) -> GraphSet:
        """Return the graphs with these numbers, in this order."""
        node_ptr, nodes = gather_ragged(self.node_ptr, graphs)
        edge_ptr, edges = gather_ragged(self.edge_ptr, graphs)
        return replace(
            self,
            node_ptr=node_ptr,
            nodes=np.asarray(self.nodes[nodes]),
            edge_ptr=edge_ptr,
            edges=np.asarray(self.edges[:, edges]),
            edge_type=np.asarray(self.edge_type[edges]),
            targets=np.asarray(self.targets[graphs]),
        )

    def fingerprint(self) -> str:
        """Return the SHA-256 of every field's name, type, shape and bytes, in hexadecimal."""
        digest = hashlib.sha256()
        for field in fields(self):
            value = np.ascontiguousarray(getattr(self, field.name))
            digest.update(f"{field.name}{value.dtype.str}{value.shape}".encode())
            digest.update(value.tobytes())
        return digest.hexdigest()


def gather_ragged(
    ptr: NDArray[np.int64], items: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find where the entries of some items lie in a ragged array with row pointer ``ptr``.

    Returns:
        The row pointer of the result [len(items) + 1], and the places of its entries, item by item.
    """
    counts = np.diff(ptr)[items]
    new_ptr = np.concatenate([[0], np.cumsum(counts)])
    shift = np.repeat(ptr[items] - new_ptr[:-1], counts)
    return new_ptr, np.arange(new_ptr[-1]) + shift
