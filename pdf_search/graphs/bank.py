"""The bank: the distinct basis rows of a data set and the pairs that use them.

Few basis rows are different (ZINC: 6,117 for 5.6 million pairs), so each pair stores only the
number of its row. Under dense support only near pairs are listed. All pairs further apart than the
grid's largest k have the same row in a graph: zero, or after standardisation a constant of that
graph. A pair with this row and with edge type 0 is a far pair.

Legend: G graphs, P listed pairs, U distinct rows, m bases, v destination, u source.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pdf_search.graphs.distinct import distinct_rows
from pdf_search.graphs.graph_set import gather_ragged


@dataclass(frozen=True)
class Bank:
    """The distinct basis rows of a data set, and the row and edge type of each listed pair.

    Pairs are sorted by graph, then v, then u. Node numbers v and u are local to their graph.
    """

    grid: tuple[tuple[float, int], ...]
    hops: int | None  # None: dense support
    rows: NDArray[np.float32]  # [U, m]
    node_count: NDArray[np.int64]  # [G]
    pair_ptr: NDArray[np.int64]  # [G + 1]
    target: NDArray[np.int32]  # [P] v
    source: NDArray[np.int32]  # [P] u
    row: NDArray[np.int32]  # [P]
    edge_type: NDArray[np.int32]  # [P]
    far_row: NDArray[np.int32]  # [G] row of the graph's far pairs; -1 with hop support
    diagonals: tuple[float, ...] = ()  # after the grid in each row

    @property
    def far_count(self) -> NDArray[np.int64]:
        """The number of far pairs of each graph, [G]; 0 with hop support."""
        if self.hops is not None:
            return np.zeros_like(self.node_count)
        return self.node_count**2 - np.diff(self.pair_ptr)

    def columns(
        self, grid: tuple[tuple[float, int], ...], diagonals: tuple[float, ...] = ()
    ) -> Bank:
        """Select the columns of a smaller grid and some of the diagonals; nothing is computed anew.

        Rows that become equal are merged, and pairs that become far are no longer listed.

        Raises:
            ValueError: A point of ``grid`` or one of ``diagonals`` is not in the bank.
        """
        chosen = [0] + [1 + self.grid.index(point) for point in grid]
        chosen += [1 + len(self.grid) + self.diagonals.index(e) for e in diagonals]
        rows, merged = distinct_rows(np.ascontiguousarray(self.rows[:, chosen]))
        row = merged[self.row]
        if self.hops is not None:
            return replace(self, grid=grid, diagonals=diagonals, rows=rows, row=row)
        far_row = merged[self.far_row]
        graph = np.repeat(np.arange(len(self.node_count)), np.diff(self.pair_ptr))
        near = (self.edge_type > 0) | (row != far_row[graph])
        ptr = np.concatenate([[0], np.cumsum(near)])[self.pair_ptr]
        return replace(
            self,
            grid=grid,
            diagonals=diagonals,
            rows=rows,
            pair_ptr=ptr,
            target=self.target[near],
            source=self.source[near],
            row=row[near],
            edge_type=self.edge_type[near],
            far_row=far_row,
        )

    def subset(self, graphs: NDArray[np.int64]) -> Bank:
        """Return the bank of these graphs, in this order; rows keep their numbers."""
        ptr, pairs = gather_ragged(self.pair_ptr, graphs)
        return replace(
            self,
            node_count=self.node_count[graphs],
            pair_ptr=ptr,
            target=self.target[pairs],
            source=self.source[pairs],
            row=self.row[pairs],
            edge_type=self.edge_type[pairs],
            far_row=self.far_row[graphs],
        )

    @property
    def supported(self) -> int:
        """The number of all pairs in the support, near and far."""
        return len(self.row) if self.hops is not None else int((self.node_count**2).sum())

    def enumerated(self) -> Bank:
        """Return the bank with every far pair listed, as the reference engine needs it."""
        if self.hops is not None:
            return self
        ptr = np.concatenate([[0], np.cumsum(self.node_count**2)])
        graph = np.repeat(np.arange(len(self.node_count)), self.node_count**2)
        place = np.arange(ptr[-1]) - ptr[graph]
        row = self.far_row[graph]
        edge_type = np.zeros(len(graph), np.int32)
        pair_graph = np.repeat(np.arange(len(self.node_count)), np.diff(self.pair_ptr))
        listed = ptr[pair_graph] + self.target * self.node_count[pair_graph] + self.source
        row[listed] = self.row
        edge_type[listed] = self.edge_type
        n = self.node_count[graph]
        return replace(
            self,
            pair_ptr=ptr,
            target=(place // n).astype(np.int32),
            source=(place % n).astype(np.int32),
            row=row,
            edge_type=edge_type,
        )
