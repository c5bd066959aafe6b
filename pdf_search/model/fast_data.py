"""A data set as tensors for the fast engine, and how it collates batches.

Legend: see ``fast_batch``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pdf_search.graphs import Compact, GraphSet, NodeData, Ragged, counts, put
from pdf_search.kernels import (
    GraphLists,
    GroupedTriples,
    Messages,
    Triples,
    collate_lists,
    group_triples,
    segment_pointers,
)
from pdf_search.model.fast_batch import FastBatch, FastEntries, FastPairs


@dataclass(frozen=True)
class _Lists:
    """One list for each graph, as a ragged array on the device."""

    ptr: Tensor
    columns: tuple[Tensor, ...]

    @classmethod
    def of(cls, ragged: Ragged, device: torch.device, kind: type | None = None) -> _Lists:
        """Copy to ``device``. ``kind``: integer type of the columns; by default their own."""
        columns = (c if kind is None else c.astype(kind) for c in ragged.columns)
        return cls(put(ragged.ptr, device), tuple(put(c, device) for c in columns))

    def tensors(self) -> tuple[Tensor, ...]:
        return (self.ptr, *self.columns)

    def take(self, graphs: Tensor) -> _Taken:
        """Concatenate the lists of these graphs [R, B]; -1 has none."""
        count = counts(self.ptr, graphs).flatten()
        first = count.cumsum(0) - count
        slot = torch.repeat_interleave(count)
        shift = (self.ptr[graphs.clamp(min=0).flatten()] - first)[slot]
        place = torch.arange(len(slot), device=slot.device) + shift
        return _Taken(count, first, slot, tuple(c[place] for c in self.columns))


@dataclass(frozen=True)
class _Taken:
    """Concatenated lists of the graphs of a batch, L entries in all."""

    count: Tensor  # [R * B] entries of each slot
    first: Tensor  # [R * B] where each slot's entries begin
    slot: Tensor  # [L] flat slot of each entry
    columns: tuple[Tensor, ...]


@dataclass(frozen=True)
class FastData:
    """A graph set and its bank as tensors on one device, for the fast engine.

    ``by_pair``: weights differ by pair, so near pairs are listed too; with dropout on the filter
    all pairs count as near.
    """

    node_data: NodeData
    messages: _Lists
    triples: _Lists
    pairs: _Lists
    row_lists: _Lists
    entry_lists: _Lists
    plus: Tensor  # row added by each weight entry of the data set, -1 for none
    minus: Tensor  # row subtracted by each weight entry of the data set, -1 for none
    far_row: Tensor  # row of the far pairs of each graph, -1 for none
    rows: Tensor  # [U, m] float32
    edge_types: Tensor  # [T, C]
    by_pair: bool
    most_nodes: int  # of a graph
    scratch: tuple[Tensor, Tensor] | None  # buffers of the CPU kernel that collates

    @classmethod
    def build(
        cls,
        graphs: GraphSet,
        rows: NDArray[np.float32],
        lists: Compact,
        device: torch.device,
        by_pair: bool = False,
    ) -> FastData:
        """Copy a graph set, the rows [U, m] of its bank and its lists to ``device``."""
        compiled = device.type == "cpu" and not by_pair
        kind = np.int32 if compiled else None  # the kernel is compiled for one kind of integers
        scratch = [torch.full((len(all_),), -1, dtype=torch.int32) for all_ in (rows, lists.plus)]
        return cls(
            node_data=NodeData.build(graphs, device),
            messages=_Lists.of(lists.messages, device, kind),
            triples=_Lists.of(lists.triples, device, kind),
            pairs=_Lists.of(lists.pairs, device),
            row_lists=_Lists.of(lists.rows, device, kind),
            entry_lists=_Lists.of(lists.entries, device, kind),
            plus=put(lists.plus, device),
            minus=put(lists.minus, device),
            far_row=put(lists.far_row, device),
            rows=put(rows, device),
            edge_types=put(graphs.edge_types, device),
            by_pair=by_pair,
            most_nodes=int(np.diff(graphs.node_ptr).max(initial=0)),
            scratch=(scratch[0], scratch[1]) if compiled else None,
        )

    def collate(self, graphs: Tensor) -> FastBatch:
        """Collate the batch of ``graphs`` [R, B], graph numbers with -1 for an empty slot."""
        collation = _Collation(self, graphs)
        return collation.batch() if self.scratch is None else collation.compiled_batch(self.scratch)


class _Collation:
    """Collates one batch."""

    def __init__(self, data: FastData, graphs: Tensor) -> None:
        self.data = data
        self.graphs = graphs
        self.nodes = data.node_data.collate(graphs)
        self.replicates, self.slots = graphs.shape
        self.places = self.nodes.node_slot.shape[1]  # N
        slot = torch.arange(self.replicates * self.slots, device=graphs.device)
        self.replicate = slot // self.slots  # of a flat slot
        first_node = (self.nodes.node_count.cumsum(1) - self.nodes.node_count).flatten()
        self.first_node = first_node + self.replicate * self.places  # flat, of a flat slot

    def batch(self) -> FastBatch:
        """Collate with torch, on any device."""
        rows, weight = self._rows()
        messages = self.data.messages.take(self.graphs)
        node, kind, _ = messages.columns
        weights = self._pairs() if self.data.by_pair else self._entries()
        return FastBatch(
            **vars(self.nodes),
            rows=rows,
            row_weight=weight,
            messages=Messages(
                node=node + self.first_node[messages.slot],
                kind=kind.long(),
                ptr=torch.cat([kind.new_zeros(1), messages.count.cumsum(0)]),
                nodes=self.nodes.node_count.flatten(),
                most=self.data.most_nodes,
            ),
            triples=self._triples(messages, weights),
            weights=weights,
        )

    def compiled_batch(self, scratch: tuple[Tensor, Tensor]) -> FastBatch:
        """Collate the same batch with the compiled CPU kernel."""
        data = self.data
        made = collate_lists(
            self.graphs,
            self.first_node.view(self.graphs.shape),
            self.nodes.node_count,
            self.replicates * self.places,
            GraphLists(
                rows=data.row_lists.tensors(),
                entries=data.entry_lists.tensors(),
                triples=data.triples.tensors(),
                messages=data.messages.tensors(),
                plus=data.plus,
                minus=data.minus,
                scratch=scratch,
            ),
        )
        return FastBatch(
            **vars(self.nodes),
            rows=made.rows,
            row_weight=made.row_weight,
            messages=made.messages,
            triples=made.triples,
            weights=FastEntries(made.plus, made.minus),
        )

    def _rows(self) -> tuple[Tensor, Tensor]:
        """Distinct rows of each replicate [R, U], and how many pairs have each [R, U, 1]."""
        taken = self.data.row_lists.take(self.graphs)
        row, pairs = taken.columns
        self.bank_rows = len(self.data.rows)
        keys, place = torch.unique(
            self.replicate[taken.slot] * self.bank_rows + row, return_inverse=True
        )
        owner = keys // self.bank_rows
        count = torch.bincount(owner, minlength=self.replicates)
        self.width = int(count.max())
        local = torch.arange(len(keys), device=keys.device) - (count.cumsum(0) - count)[owner]
        self.row_table = keys.new_empty(self.replicates * self.bank_rows)
        self.row_table[keys] = owner * (self.width + 1) + local
        flat = owner * self.width + local
        rows = keys.new_zeros(self.replicates * self.width)
        rows[flat] = keys % self.bank_rows
        weight = torch.zeros(len(rows), device=keys.device)
        weight.index_add_(0, flat[place], pairs.float())
        shape = (self.replicates, self.width)
        return rows.view(shape), weight.view(*shape, 1)

    def _local_row(self, row: Tensor, slot: Tensor) -> Tensor:
        """Flat rows in the batch of bank rows (-1: none), for graphs in the flat slots ``slot``."""
        replicate = self.replicate[slot]
        none = replicate * (self.width + 1) + self.width
        known = self.row_table[replicate * self.bank_rows + row.clamp(min=0)]
        return torch.where(row >= 0, known, none)

    def _entries(self) -> FastEntries:
        taken = self.data.entry_lists.take(self.graphs)
        total = len(self.data.plus)
        keys = torch.unique(self.replicate[taken.slot] * total + taken.columns[0])
        self.entry_number = keys.new_empty(self.replicates * total)
        self.entry_number[keys] = torch.arange(len(keys), device=keys.device)
        slot = keys // total * self.slots
        return FastEntries(
            plus=self._local_row(self.data.plus[keys % total], slot),
            minus=self._local_row(self.data.minus[keys % total], slot),
        )

    def _triples(self, messages: _Taken, weights: FastEntries | FastPairs) -> Triples:
        taken = self.data.triples.take(self.graphs)
        v, entry, message, pair, by_message = taken.columns
        target = v + self.first_node[taken.slot]
        used = message + messages.first[taken.slot]
        if isinstance(weights, FastEntries):
            total = len(self.data.plus)
            factor = self.entry_number[self.replicate[taken.slot] * total + entry]
            factors = len(weights.plus)
        else:
            first_pair = self.pair_first[taken.slot]
            far = len(weights.row) + target
            factor = torch.where(pair >= 0, pair + first_pair, far)
            factors = len(weights.row) + self.replicates * self.places
        place = by_message + taken.first[taken.slot]
        uses = messages.columns[2].cumsum(0)
        return Triples(
            by_segment=GroupedTriples(
                segment_pointers(target, self.replicates * self.places), factor.int(), used.int()
            ),
            by_a=group_triples(factor, target, used, factors),
            by_b=GroupedTriples(
                torch.cat([uses.new_zeros(1), uses]).int(),
                factor[place].int(),
                target[place].int(),
            ),
        )

    def _pairs(self) -> FastPairs:
        taken = self.data.pairs.take(self.graphs)
        self.pair_first = taken.first
        v, u, row, plain = taken.columns
        first = self.first_node[taken.slot]
        place = first - self.replicate[taken.slot] * self.places
        near = torch.bincount(v + first, minlength=self.replicates * self.places)
        slot = self.nodes.node_slot.clamp(max=self.slots - 1)
        flat_slot = slot + torch.arange(self.replicates, device=slot.device)[:, None] * self.slots
        flat_slot = flat_slot.flatten()
        far_row = self.data.far_row[self.graphs.clamp(min=0)].flatten()[flat_slot]
        far = torch.where(far_row >= 0, self.nodes.node_count.flatten()[flat_slot] - near, 0)
        far = torch.where(self.nodes.node_mask.flatten() > 0, far, 0)
        return FastPairs(
            target=v + first,
            target_place=v + place,
            source_place=u + place,
            row=self._local_row(row, taken.slot),
            plain=plain[:, None].float(),
            far_count=far[:, None].float(),
            far_row=self._local_row(torch.where(far > 0, far_row, -1), flat_slot),
            replicate=self.replicate[taken.slot],
        )
