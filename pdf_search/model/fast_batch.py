"""Batches of the fast engine: distinct rows, weight entries, messages and triples.

Legend: R replicates, B graph slots, N node places, U row places of a replicate; flat over all
replicates: E weight entries, M messages, Q triples, P near pairs. Flat numbers of nodes, rows and
slots count through the replicates (r * N + v, r * (U + 1) + row, r * B + slot); row U of each
replicate stands for "no weight".
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from pdf_search.graphs.bank import Bank
from pdf_search.graphs.batch import NodeData, Nodes, counts, put
from pdf_search.graphs.compact import Ragged, compact
from pdf_search.graphs.graph_set import GraphSet
from pdf_search.kernels.triples import Messages, Order, Triples, group, pointer


@dataclass(frozen=True)
class FastBatch(Nodes):
    rows: Tensor  # [R, U] rows of the bank
    row_weight: Tensor  # [R, U, 1] pairs that have the row, 0 for padding
    messages: Messages
    triples: Triples  # flat nodes, weight entries or pairs, messages
    weights: FastEntries | FastPairs


@dataclass(frozen=True)
class FastEntries:
    """Weights that pairs share: the weight of one row less that of a far row."""

    plus: Tensor  # [E] flat row whose weight counts
    minus: Tensor  # [E] flat row whose weight is taken off


@dataclass(frozen=True)
class FastPairs:
    """Near pairs one by one, where weights differ by pair (softmax, dropout on the filter)."""

    target: Tensor  # [P] flat node v
    target_place: Tensor  # [P] v within its replicate
    source_place: Tensor  # [P] u within its replicate
    row: Tensor  # [P] flat row
    plain: Tensor  # [P, 1] 1.0 for type 0
    far_count: Tensor  # [R * N, 1] far pairs of each node
    far_row: Tensor  # [R * N] flat row of its far pairs, or "no weight"
    replicate: Tensor  # [P]


@dataclass(frozen=True)
class _Lists:
    """A ragged array on the device."""

    ptr: Tensor
    columns: tuple[Tensor, ...]

    @classmethod
    def of(cls, ragged: Ragged, device: torch.device) -> _Lists:
        return cls(put(ragged.ptr, device), tuple(put(c, device) for c in ragged.columns))

    def take(self, graphs: Tensor) -> _Taken:
        """The lists of these graphs [R, B], one after the other."""
        count = counts(self.ptr, graphs).flatten()
        first = count.cumsum(0) - count
        slot = torch.repeat_interleave(count)
        shift = (self.ptr[graphs.clamp(min=0).flatten()] - first)[slot]
        place = torch.arange(len(slot), device=slot.device) + shift
        return _Taken(count, first, slot, tuple(c[place] for c in self.columns))


@dataclass(frozen=True)
class _Taken:
    count: Tensor  # [R * B] entries of each slot
    first: Tensor  # [R * B] where each slot's entries begin
    slot: Tensor  # [L] flat slot of each entry
    columns: tuple[Tensor, ...]


@dataclass(frozen=True)
class FastData:
    """A graph set and its bank as tensors of one device, for the fast engine.

    ``by_pair``: weights differ by pair, so that near pairs are listed too. With dropout on the
    filter give ``bank.enumerated()``: then all pairs are near.
    """

    node_data: NodeData
    messages: _Lists
    triples: _Lists
    pairs: _Lists
    row_lists: _Lists
    entry_lists: _Lists
    plus: Tensor
    minus: Tensor
    far_row: Tensor
    rows: Tensor  # [U, m] float32
    edge_types: Tensor  # [T, C]
    by_pair: bool

    @classmethod
    def build(
        cls, graphs: GraphSet, bank: Bank, device: torch.device, by_pair: bool = False
    ) -> FastData:
        lists = compact(bank, by_pair)
        return cls(
            node_data=NodeData.build(graphs, device),
            messages=_Lists.of(lists.messages, device),
            triples=_Lists.of(lists.triples, device),
            pairs=_Lists.of(lists.pairs, device),
            row_lists=_Lists.of(lists.rows, device),
            entry_lists=_Lists.of(lists.entries, device),
            plus=put(lists.plus, device),
            minus=put(lists.minus, device),
            far_row=put(lists.far_row, device),
            rows=put(bank.rows, device),
            edge_types=put(graphs.edge_types, device),
            by_pair=by_pair,
        )

    def collate(self, graphs: Tensor) -> FastBatch:
        """The batch of these graphs, [R, B] numbers with -1 for an empty slot."""
        return _Collation(self, graphs).batch()


class _Collation:
    """The making of one batch."""

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
            ),
            triples=self._triples(messages, weights),
            weights=weights,
        )

    def _rows(self) -> tuple[Tensor, Tensor]:
        """Distinct rows of each replicate [R, U] and their multiplicities [R, U, 1]."""
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
        """Flat row of a bank row (-1: none) in the batch, for entries of these flat slots."""
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
            by_segment=Order(
                pointer(target, self.replicates * self.places), factor.int(), used.int()
            ),
            by_a=group(factor, target, used, factors),
            by_b=Order(
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
