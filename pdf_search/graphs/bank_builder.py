"""Builds a bank from a graph set: dense matrices in batches, sparse ones for large graphs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from pdf_search.config import BasisConfig
from pdf_search.graphs import matrices, sparse
from pdf_search.graphs.bank import Bank
from pdf_search.graphs.distinct import distinct_rows, round_significant
from pdf_search.graphs.graph_set import Array, GraphSet, gather_ragged

Ints = NDArray[np.int64]
Column = NDArray[Any]  # the smallest integer type that holds the values
Pairs = tuple[Ints, Ints, Ints, NDArray[np.float64]]  # graph in the batch, v, u [P]; values [P, m]
PAIR_COLUMNS = ("target", "source", "row", "edge_type")
Moment = NDArray[np.float64]

DENSE_NODES = 512  # larger graphs are computed one at a time with sparse matrices
_BATCH_VALUES = 1 << 23  # float64 values of a batch of bases (64 MB)
_SNAP = 2.0**40  # standardised values are rounded to multiples of 2^-40, so that noise becomes 0


@dataclass
class Chunk:
    """The near pairs of B graphs. Row numbers refer to the chunk's own distinct rows."""

    graphs: NDArray[np.int64]  # [B]
    count: NDArray[np.int64]  # [B] pairs of each graph
    rows: NDArray[np.float32]  # [U', m] distinct rows of the chunk
    far: NDArray[np.int32]  # [B] row of far pairs, -1 with hop support
    pairs: dict[str, Column]  # target, source, row, edge_type of each pair, [P]


def build_bank(graphs: GraphSet, basis: BasisConfig) -> Bank:
    """Build the bank of a graph set; rows are computed in float64 and stored in float32.

    A stored value differs from the exact basis by at most 1.2e-7 of itself. For standardised bases
    a difference of up to 1e-12 is possible, too.
    """
    chunks = [_chunk(graphs, batch, basis) for batch in _batches(graphs.node_count, basis.size)]
    rows, merged = distinct_rows(np.concatenate([c.rows for c in chunks]))
    begin = 0
    for chunk in chunks:
        shared = merged[begin : begin + len(chunk.rows)].astype(np.int32)
        chunk.far = np.where(chunk.far < 0, np.int32(-1), shared[chunk.far])
        chunk.pairs["row"] = shared[chunk.pairs["row"]]
        begin += len(chunk.rows)
    place = np.argsort(np.concatenate([c.graphs for c in chunks]))
    counts = np.concatenate([c.count for c in chunks])
    ptr, entries = gather_ragged(np.concatenate([[0], np.cumsum(counts)]), place)
    return Bank(
        grid=basis.grid,
        diagonals=basis.diagonals,
        hops=basis.hops,
        rows=rows,
        node_count=np.asarray(graphs.node_count),
        pair_ptr=ptr,
        far_row=np.concatenate([c.far for c in chunks])[place],
        **{name: _joined(chunks, name)[entries] for name in PAIR_COLUMNS},
    )


def _joined(chunks: list[Chunk], name: str) -> Column:
    """Join a column of all chunks, [P]; it is removed from them to save memory.

    Large sets have hundreds of millions of pairs.
    """
    return np.concatenate([chunk.pairs.pop(name) for chunk in chunks]).astype(np.int32, copy=False)


def _batches(node_count: NDArray[np.int64], width: int) -> Iterator[NDArray[np.int64]]:
    """Yield the graph numbers in batches of graphs of similar size, each of bounded memory."""
    order = np.argsort(node_count, kind="stable")
    start = 0
    while start < len(order):
        stop = start + 1
        while stop < len(order):
            n = node_count[order[stop]]
            if n > DENSE_NODES or (stop + 1 - start) * n * n * width > _BATCH_VALUES:
                break
            stop += 1
        yield order[start:stop]
        start = stop


def _chunk(graphs: GraphSet, batch: NDArray[np.int64], basis: BasisConfig) -> Chunk:
    part = graphs.subset(batch)
    (graph, v, u, values), far = exact_pairs(part, basis)
    count = np.bincount(graph, minlength=len(part))
    shared = round_significant(values if basis.hops is not None else np.concatenate([far, values]))
    rows, row = distinct_rows(shared)
    far_row = np.full(len(part), -1, np.int32)
    if basis.hops is None:
        far_row, row = row[: len(part)], row[len(part) :]
    node = np.min_scalar_type(-int(part.node_count.max()))
    pairs = {
        "target": v.astype(node),
        "source": u.astype(node),
        "row": row,
        "edge_type": _edge_types(part, count, v, u),
    }
    return Chunk(batch, count, rows, far_row, pairs)


def exact_pairs(part: GraphSet, basis: BasisConfig) -> tuple[Pairs, NDArray[np.float64]]:
    """Compute the near pairs of B graphs and their basis values in float64, before rounding.

    Returns:
        The pairs, and the row of each graph's far pairs [B, m], which is 0 unless standardised.
    """
    pairs = _sparse_pairs if part.node_count.max() > DENSE_NODES else _dense_pairs
    graph, v, u, values = pairs(part, basis)
    far = np.zeros((len(part), basis.size))  # beyond the largest k every basis is 0
    if basis.standardise:
        count = np.bincount(graph, minlength=len(part))
        supported = count if basis.hops is not None else part.node_count**2
        values, far = _standardise(values, far, graph, supported)
    return (graph, v, u, values), far


def _dense_pairs(part: GraphSet, basis: BasisConfig) -> Pairs:
    source, target = torch.from_numpy(part.edges.astype(np.int64))
    edge_graph = torch.from_numpy(np.repeat(np.arange(len(part)), np.diff(part.edge_ptr)))
    node_count = torch.from_numpy(part.node_count)
    adjacency = matrices.padded_adjacency(node_count, edge_graph, source, target)
    values = matrices.bases(adjacency, basis.grid, basis.diagonals)
    if basis.hops is None:
        near = (values > 0).any(-1)
    else:
        near = matrices.within_hops(adjacency, basis.hops)
    graph, v, u = near.nonzero(as_tuple=True)
    return graph.numpy(), v.numpy(), u.numpy(), values[graph, v, u].numpy()


def _sparse_pairs(part: GraphSet, basis: BasisConfig) -> Pairs:
    """The pairs of one large graph: a batch holds a single one of these."""
    v, u, values = sparse.pair_values(int(part.node_count[0]), part.edges, basis)
    return np.zeros(len(v), np.int64), v, u, values


def _standardise(
    values: NDArray[np.float64],
    far: NDArray[np.float64],
    graph: NDArray[np.int64],
    supported: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Standardise each basis over all supported pairs of its graph: (x - mean) / (std + 1e-5).

    The standard deviation is that of the population (ddof 0). ``values`` [P, m] belong to the
    listed pairs, ``far`` [B, m] to all others of each graph, and ``supported`` [B] counts the pairs
    of each graph, listed or not. A basis that is constant on its graph becomes exactly 0; in the
    authors' code it becomes amplified rounding noise.
    """
    first = np.searchsorted(graph, np.arange(len(supported)))
    total = supported[:, None].astype(np.float64)
    others = total - np.bincount(graph, minlength=len(supported))[:, None]
    mean = (np.add.reduceat(values, first) + others * far) / total
    squares = np.add.reduceat((values - mean[graph]) ** 2, first) + others * (far - mean) ** 2
    std = np.sqrt(squares / total)
    constant = std <= 1e-9 * np.maximum.reduceat(np.abs(values), first)
    scale = np.where(constant, 0.0, 1 / (std + 1e-5))

    def apply(x: NDArray[np.float64], mean: Moment, scale: Moment) -> NDArray[np.float64]:
        return np.round((x - mean) * scale * _SNAP) / _SNAP

    return apply(values, mean[graph], scale[graph]), apply(far, mean, scale)


def _edge_types(graphs: GraphSet, count: Ints, target: Ints, source: Ints) -> Column:
    """The edge type of each listed pair [P]: that of its edge, ``self_type`` if v = u, else 0."""
    types = np.where(target == source, graphs.self_type, 0)
    bond = _pair_keys(graphs, np.diff(graphs.edge_ptr), graphs.edges[1], graphs.edges[0])
    listed = _pair_keys(graphs, count, target, source)
    types[np.searchsorted(listed, bond)] = graphs.edge_type
    return types.astype(np.min_scalar_type(-len(graphs.edge_types)))


def _pair_keys(graphs: GraphSet, count: Ints, v: Array, u: Array) -> Ints:
    """A number for each pair, unique among the graphs and ascending in (graph, v, u)."""
    graph = np.repeat(np.arange(len(graphs)), count)
    first = np.concatenate([[0], np.cumsum(graphs.node_count**2)])
    return np.asarray(first[graph] + v.astype(np.int64) * graphs.node_count[graph] + u)
