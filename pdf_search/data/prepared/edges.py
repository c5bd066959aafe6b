"""Turns raw edges into those of a GraphSet: both directions, each once, no self loops, typed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdf_search.data.raw.edge_census import EdgeCensus
from pdf_search.data.raw.raw_set import RawGraphs
from pdf_search.errors import DataError
from pdf_search.graphs import Array
from pdf_search.wording import counted


class EdgeTypes:
    """Numbers the distinct rows of edge features in the order in which they first occur.

    Row 0 is "no bond" (all zeros). Row 1 belongs to self pairs, unless there are no edge features.
    """

    def __init__(self, self_row: tuple[float, ...] | None, dtype: type[np.generic]) -> None:
        width = len(self_row) if self_row is not None else 0
        self._dtype = np.dtype(dtype)
        self._width = width
        self._number: dict[bytes, int] = {}
        self._numbers(np.zeros((1, width), self._dtype))
        if self_row is not None:
            self._numbers(np.array([self_row], self._dtype))
        self.self_type = len(self._number) - 1

    @property
    def rows(self) -> Array:
        """The distinct rows so far, [T, C]."""
        table = np.frombuffer(b"".join(self._number), self._dtype)
        return table.reshape(len(self._number), self._width)

    def of(self, features: Array | None, count: int) -> NDArray[np.int32]:
        """Return the type of each edge [count]; ``features`` is [count, C], or None if none."""
        if features is None or not count:
            return np.zeros(count, np.int32)
        rows, code = _distinct_rows(np.ascontiguousarray(features, self._dtype))
        return self._numbers(rows)[code]

    def _numbers(self, rows: Array) -> NDArray[np.int32]:
        # Adding 0 turns -0.0 into 0.0; the two are equal, but their bytes are not.
        keys = [row.tobytes() for row in rows + self._dtype.type(0)]
        return np.array([self._number.setdefault(k, len(self._number)) for k in keys], np.int32)


def _distinct_rows(rows: Array) -> tuple[Array, NDArray[np.int64]]:
    """The distinct rows in order of first occurrence, and the number of each row among them."""
    import pandas as pd  # noqa: PLC0415

    code = np.zeros(len(rows), np.int64)
    for column in rows.T:
        value, distinct = pd.factorize(column)
        code = pd.factorize(code * max(len(distinct), 1) + value)[0].astype(np.int64)
    first = np.full(int(code.max()) + 1, len(rows), np.int64)
    np.minimum.at(first, code, np.arange(len(rows)))
    return rows[first], code


def assemble(
    run: RawGraphs, first: int, census: EdgeCensus | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int32], Array | None]:
    """Make the edges of a run of graphs, ordered by graph, source and destination.

    If an edge is listed more than once, the features of its first listing are used. A direction
    that is not listed takes the features of the other one. ``census`` counts both cases. ``first``
    is the number of the run's first graph, for messages.

    Returns:
        The edge count of each graph [g], the edges [2, E], and their features [E, C] or None.

    Raises:
        DataError: A graph has no nodes, or an edge names a node that its graph does not have.
    """
    _check(run, first)
    graph = np.repeat(np.arange(len(run.node_count)), run.edge_count)
    start = np.cumsum(run.node_count) - run.node_count
    source, destination = run.edges + start[graph]
    listed = np.flatnonzero(source != destination)
    u = np.concatenate([source[listed], destination[listed]])
    v = np.concatenate([destination[listed], source[listed]])
    key = u * int(run.node_count.sum()) + v
    keys, kept = np.unique(key, return_index=True)
    origin = np.concatenate([listed, listed])[kept]
    if census is not None:
        _count(census, len(source), len(listed), kept)
        used = kept[np.searchsorted(keys, key[: len(listed)])]
        census.unlike += _unlike(run.edge_features, listed, used)
    owner = graph[origin]
    edges = np.stack([u[kept] - start[owner], v[kept] - start[owner]]).astype(np.int32)
    count = np.bincount(owner, minlength=len(run.node_count)).astype(np.int64)
    features = None if run.edge_features is None else run.edge_features[origin]
    return count, edges, features


def _count(census: EdgeCensus, every: int, listed: int, kept: NDArray[np.int64]) -> None:
    """Add the edges of a run to the census.

    ``every`` listings include self loops, ``listed`` do not. ``kept`` are the listings that are
    used: a place below ``listed`` is a listing as it stands, a place from there on its reverse.
    """
    missing = int((kept >= listed).sum())
    census.edges += len(kept) // 2
    census.loops += every - listed
    census.one_way += missing
    census.repeated += listed - (len(kept) - missing)


def _unlike(features: Array | None, listed: NDArray[np.int64], used: NDArray[np.int64]) -> int:
    """How many listings have other features than the one that is ``used`` for their direction."""
    if features is None:
        return 0
    return int((features[listed] != features[listed[used]]).any(axis=1).sum())


def _check(run: RawGraphs, first: int) -> None:
    empty = np.flatnonzero(run.node_count < 1)
    if len(empty):
        raise DataError(f"graph {first + int(empty[0])} (counted from 0) has no nodes")
    limit = np.repeat(run.node_count, run.edge_count)
    wrong = np.flatnonzero(((run.edges < 0) | (run.edges >= limit)).any(axis=0))
    if len(wrong):
        edge = int(wrong[0])
        graph = int(np.searchsorted(np.cumsum(run.edge_count), edge, side="right"))
        nodes = counted(int(run.node_count[graph]), "node")
        raise DataError(
            f"graph {first + graph} (counted from 0) has {nodes}, but an "
            f"edge between its nodes {run.edges[0, edge]} and {run.edges[1, edge]}: the raw files "
            "are damaged, get them again"
        )
