"""The pairs of a batch of PyG graphs as the kernels read them.

Legend: B graphs, N nodes, E edges, P near pairs, U distinct basis rows, m bases, T edge types.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pdf_search.config import ModelConfig
from pdf_search.errors import DataError
from pdf_search.graphs import Bank, GraphSet, distinct_rows
from pdf_search.model import FastBatch, FastData, engine_data
from pdf_search.nn.arguments import array_of, check_undirected, edge_array, instance

OTHER, SELF, FIRST = 0, 1, 2  # edge types: of pairs that are no edge, of a node with itself, edges'
_OF_BASES = ("rows", "pair_index", "pair_row", "far_row", "nodes", "pairs", "distinct")
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class PDFPairs:
    """The pairs of a batch, laid out once for all layers, on the device of its nodes.

    ``types`` is how many types a layer needs to know, 0 if pairs have none: type 0 is a pair that
    is no edge, 1 a node with itself, and those of edges are shifted by 2.
    """

    batch: FastBatch
    rows: Tensor  # [U, m]
    types: int
    softmax: bool = False  # whether laid out for a filter with one

    @classmethod
    def of(
        cls,
        edge_index: Tensor,
        edge_type: Tensor | None,
        batch: Tensor | None,
        bases: Mapping[str, Tensor],
        softmax: bool = False,
    ) -> PDFPairs:
        """Lay out a batch.

        Args:
            edge_index: [2, E], as ``PDFBases`` saw it; in both directions.
            edge_type: [E] integers from 0; None where edges have no types.
            batch: [N] the graph of each node, ascending; None for a single graph.
            bases: What ``PDFBases`` added, batched.
            softmax: Whether the filter has one, which needs other lists.

        Raises:
            DataError: the parts do not belong together.
        """
        instance("bases", bases, Mapping, "data.bases, which the transform PDFBases adds")
        if missing := [name for name in _OF_BASES if name not in bases]:
            raise DataError(
                f"bases has no {', '.join(missing)}: give data.bases, which the transform PDFBases "
                "adds"
            )
        device = bases["rows"].device
        arrays = {name: value.cpu().numpy() for name, value in bases.items()}
        if batch is not None:
            _check_batch(array_of("batch", batch), arrays["nodes"])
        edges = edge_array(edge_index)
        place = _places(edges, arrays)
        kinds = None
        if edge_type is not None:
            kinds = _kinds(edges, array_of("edge_type", edge_type), place, arrays)
        bank = _bank(arrays, kinds)
        config = ModelConfig(hidden=1, layers=1, softmax=softmax)
        data = engine_data("fast", config, _graphs(bank), bank, device)
        assert isinstance(data, FastData)
        every = torch.arange(len(bank.node_count), device=device)[None]
        types = 0 if kinds is None else max(FIRST, int(kinds.max(initial=0)) + 1)
        return cls(data.collate(every), data.rows, types, softmax)

    @property
    def nodes(self) -> int:
        """N, the number of nodes."""
        return self.batch.nodes.shape[1]


def _check_batch(batch: Ints, nodes: Ints) -> None:
    if not np.array_equal(batch, np.repeat(np.arange(len(nodes)), nodes)):
        raise DataError(
            f"batch names {len(np.unique(batch))} graphs with {len(batch)} nodes, bases are of "
            f"{len(nodes)} with {nodes.sum()}: apply PDFBases to every graph before it is batched"
        )


def _places(edges: Ints, arrays: Mapping[str, Any]) -> Ints:
    """The place among the pairs of each edge between different nodes."""
    target, source = arrays["pair_index"]
    nodes, proper = int(arrays["nodes"].sum()), edges[:, edges[0] != edges[1]]
    check_undirected(proper, nodes, "the batch")
    keys, wanted = target * nodes + source, proper[1] * nodes + proper[0]
    place = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
    if not np.array_equal(keys[place], wanted):
        raise DataError("edge_index has edges that PDFBases did not see: apply it again")
    return np.asarray(place, np.int64)


def _kinds(edges: Ints, types: Ints, place: Ints, arrays: Mapping[str, Any]) -> NDArray[np.int32]:
    """The type of each pair, [P]; ``place`` is where the edges stand among them."""
    target, source = arrays["pair_index"]
    if types.shape != (edges.shape[1],) or types.dtype.kind not in "iu" or (types < 0).any():
        raise DataError(
            f"edge_type is {types.dtype} {list(types.shape)}, not integers from 0, one for each "
            f"of {edges.shape[1]} edges"
        )
    kinds = np.where(target == source, SELF, OTHER).astype(np.int32)
    proper = edges[0] != edges[1]
    kinds[place] = types[proper] + FIRST
    differing = np.flatnonzero(kinds[place] != types[proper] + FIRST)
    if differing.size:
        u, v = edges[:, proper][:, differing[0]]
        raise DataError(
            f"edge ({u}, {v}) of edge_index stands there with different types: a pair has one type"
        )
    return kinds


def _bank(arrays: Mapping[str, Any], kinds: NDArray[np.int32] | None) -> Bank:
    """The bank of the batch; equal rows of its graphs are shared."""
    nodes, pairs, distinct = (arrays[name] for name in ("nodes", "pairs", "distinct"))
    first_node, first_row = (np.cumsum(count) - count for count in (nodes, distinct))
    rows, merged = distinct_rows(arrays["rows"])
    target, source = arrays["pair_index"] - np.repeat(first_node, pairs)
    far = arrays["far_row"]
    return Bank(
        grid=(),
        hops=None if (far >= 0).all() else 1,
        rows=rows,
        node_count=nodes,
        pair_ptr=np.concatenate([[0], np.cumsum(pairs)]),
        target=target.astype(np.int32),
        source=source.astype(np.int32),
        row=merged[arrays["pair_row"] + np.repeat(first_row, pairs)],
        edge_type=np.zeros(len(target), np.int32) if kinds is None else kinds,
        far_row=np.where(far >= 0, merged[np.maximum(far, 0) + first_row], -1).astype(np.int32),
    )


def _graphs(bank: Bank) -> GraphSet:
    """The graphs as the engine wants them; their features are not used."""
    graphs, nodes = len(bank.node_count), int(bank.node_count.sum())
    return GraphSet(
        node_ptr=np.concatenate([[0], np.cumsum(bank.node_count)]),
        nodes=np.zeros((nodes, 1), np.int64),
        edge_ptr=np.zeros(graphs + 1, np.int64),
        edges=np.zeros((2, 0), np.int32),
        edge_type=np.zeros(0, np.int32),
        edge_types=np.zeros((1, 0), np.int64),
        self_type=0,
        targets=np.full((graphs, 1), np.nan, np.float32),
    )
