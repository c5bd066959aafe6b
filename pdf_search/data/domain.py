"""The applicability domain of a model: which graphs are like those that it was trained on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pdf_search.graphs import Array, GraphSet, surroundings

LEAST_FAMILIAR = 0.75  # share of familiar nodes; below it a graph counts as unlike
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Domain:
    """What the training graphs of a model have: sizes, and surroundings or values of nodes.

    A node is familiar if a node of a training graph has the same codes, edges and neighbours; where
    node features are real numbers, if each lies within the range of the training graphs.
    ``hashes`` is empty for real features, ``low`` and ``high`` [F] are empty for codes.
    """

    nodes: tuple[int, int]  # fewest and most of a graph
    edges: tuple[int, int]
    hashes: NDArray[np.uint64]  # ascending
    low: NDArray[np.float32]
    high: NDArray[np.float32]

    @classmethod
    def of(cls, graphs: GraphSet, numbers: Numbers) -> Self:
        """Look at the graphs with these numbers."""
        part = graphs.subset(np.unique(numbers))
        none = np.empty(0, np.float32)
        codes = np.issubdtype(part.nodes.dtype, np.integer)
        values = np.asarray(part.nodes, np.float32)
        return cls(
            nodes=_ends(part.node_count),
            edges=_ends(np.diff(part.edge_ptr)),
            hashes=np.unique(_hashes(part)) if codes else np.empty(0, np.uint64),
            low=none if codes else values.min(0),
            high=none if codes else values.max(0),
        )

    def familiar(self, graphs: GraphSet) -> NDArray[np.float64]:
        """The share of familiar nodes of each graph, [G]."""
        known = self._known(graphs).astype(np.float64)
        return np.asarray(np.add.reduceat(known, graphs.node_ptr[:-1]) / graphs.node_count)

    def unlike(self, graphs: GraphSet, node: str = "node") -> list[str]:
        """Say of each graph how it is unlike those of the training; "" where it is not.

        ``node`` is what a node is called.
        """
        share, count = self.familiar(graphs), graphs.node_count
        words: list[list[str]] = [[] for _ in range(len(graphs))]
        for number in np.flatnonzero(share < LEAST_FAMILIAR):
            strange = count[number] - round(share[number] * count[number])
            words[number].append(f"{strange} of {count[number]} {node}s unfamiliar")
        sizes = ((f"{node}s", count, self.nodes), ("edges", np.diff(graphs.edge_ptr), self.edges))
        for what, size, (least, most) in sizes:
            for number in np.flatnonzero((size < least) | (size > most)):
                words[number].append(f"{size[number]} {what} (training: {least} to {most})")
        return [", ".join(several) for several in words]

    def _known(self, graphs: GraphSet) -> NDArray[np.bool_]:
        if len(self.low):
            values = np.asarray(graphs.nodes, np.float32)
            return np.asarray(((values >= self.low) & (values <= self.high)).all(1))
        return np.isin(_hashes(graphs), self.hashes)

    def state(self) -> dict[str, Any]:
        """The domain as plain data."""
        return {
            "nodes": self.nodes,
            "edges": self.edges,
            "hashes": self.hashes.tobytes().hex(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
        }

    @classmethod
    def read(cls, state: dict[str, Any]) -> Self:
        """The inverse of ``state``."""
        return cls(
            nodes=(int(state["nodes"][0]), int(state["nodes"][1])),
            edges=(int(state["edges"][0]), int(state["edges"][1])),
            hashes=np.frombuffer(bytes.fromhex(state["hashes"]), np.uint64),
            low=np.array(state["low"], np.float32),
            high=np.array(state["high"], np.float32),
        )


def _hashes(graphs: GraphSet) -> NDArray[np.uint64]:
    """The surroundings of all nodes; edge features that are real numbers do not count."""
    if np.issubdtype(graphs.edge_types.dtype, np.integer):
        return surroundings(graphs)
    plain: Array = np.zeros((len(graphs.edge_types), 1), np.int64)
    return surroundings(graphs, plain)


def _ends(values: Numbers) -> tuple[int, int]:
    return int(values.min()), int(values.max())
