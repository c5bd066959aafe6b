"""The batches of many steps, collated in one pass and padded to one size; a step is a slice.

All (step, replicate) pairs are collated as if they were replicates of one batch. Its lists are then
cut into steps, padded, and renumbered from the beginning of their own step. Padding refers to the
last node place of a step, which no graph fills, and to the row that stands for "no weight". It has
no triples, so nothing reads it and its gradient is zero.

Legend: S steps, R replicates, B graph slots, N node places, U row places, Q triples; "the whole":
the batch of all steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn.functional import pad

from pdf_search.kernels import Chunks, GroupedTriples, Messages, Triples
from pdf_search.model.fast_batch import FastBatch, FastEntries, FastPairs
from pdf_search.model.fast_data import FastData
from pdf_search.model.sizes import Sizes

Orders = tuple[GroupedTriples, GroupedTriples, GroupedTriples]  # by segment, by weight, by message
Renumber = Callable[[Tensor], Tensor]  # numbers [S, ...] in the whole to numbers in their step


def stack(data: FastData, graphs: Tensor, least: Sizes, chunks: bool) -> tuple[FastBatch, Sizes]:
    """Collate ``graphs`` [S, R, B] so that every tensor of the batch has a leading S.

    ``least``: sizes of earlier stacks, which the new sizes are not below; equal sizes give equal
    shapes. ``chunks``: also compute the chunks for the GPU kernels. Returns the batch and the sizes
    that it was padded to.
    """
    stacking = _Stacking(data.collate(graphs.flatten(0, 1)), graphs.shape, least)
    return stacking.batch(chunks)


class _Stacking:
    """Cuts the collated batch of all steps into padded steps."""

    def __init__(self, whole: FastBatch, shape: torch.Size, least: Sizes) -> None:
        self.whole = whole
        self.steps, self.replicates, self.slots = shape
        self.device = whole.nodes.device
        self.places = whole.nodes.shape[1]  # N of the whole
        self.width = whole.rows.shape[1]  # U of the whole
        each_step = torch.arange(self.steps + 1, device=self.device)
        first = each_step * self.replicates
        self.message_first = whole.messages.ptr[first * self.slots]
        self.weight_first = torch.searchsorted(self._replicate_of_weights(), first)
        self.triple_first = whole.triples.by_segment.ptr[first * self.places]
        lists = (self.message_first, self.weight_first, self.triple_first)
        messages, weights, triples = torch.stack([_longest(x) for x in lists]).tolist()
        self.sizes = least.holding(
            nodes=self.places + 1,
            rows=self.width,
            messages=messages,
            weights=weights,
            triples=triples,
        )
        self.step = each_step[:-1, None]  # [S, 1]

    def _replicate_of_weights(self) -> Tensor:
        weights = self.whole.weights
        if isinstance(weights, FastPairs):
            return weights.replicate
        return weights.plus // (self.width + 1)

    def batch(self, chunks: bool) -> tuple[FastBatch, Sizes]:
        orders = self._orders()
        if chunks:
            orders = self._with_chunks(orders)
        batch = FastBatch(
            **self._nodes(),
            rows=self._by_step(pad(self.whole.rows, (0, self.sizes.rows - self.width))),
            row_weight=self._by_step(
                pad(self.whole.row_weight, (0, 0, 0, self.sizes.rows - self.width))
            ),
            messages=self._messages(),
            triples=Triples(*orders),
            weights=self._weights(),
        )
        return batch, self.sizes

    def _nodes(self) -> dict[str, Tensor]:
        whole, more = self.whole, self.sizes.nodes - self.places
        dense = {
            "graphs": whole.graphs,
            "nodes": pad(whole.nodes, (0, 0, 0, more)),
            "node_mask": pad(whole.node_mask, (0, 0, 0, more)),
            "node_slot": pad(whole.node_slot, (0, more), value=self.slots),
            "node_count": whole.node_count,
            "targets": whole.targets,
        }
        return {name: self._by_step(values) for name, values in dense.items()}

    def _messages(self) -> Messages:
        messages, size = self.whole.messages, self.sizes.messages
        place = self.step * self.replicates * self.slots + torch.arange(
            self.replicates * self.slots + 1, device=self.device
        )
        return Messages(
            node=self._cut(self._node, messages.node, self.message_first, size, self.last_node),
            kind=self._cut(None, messages.kind, self.message_first, size, 0),
            ptr=messages.ptr[place] - self.message_first[:-1, None],
            nodes=messages.nodes.view(self.steps, -1),
            most=messages.most,
        )

    def _weights(self) -> FastEntries | FastPairs:
        weights = self.whole.weights
        none = self.replicates * (self.sizes.rows + 1) - 1
        if isinstance(weights, FastEntries):
            return FastEntries(
                plus=self._cut_weights(self._row, weights.plus, none),
                minus=self._cut_weights(self._row, weights.minus, none),
            )
        more = (0, 0, 0, self.sizes.nodes - self.places)
        count = weights.far_count.view(self.steps * self.replicates, self.places, 1)
        far_row = self._row(weights.far_row.view(self.steps, -1))
        far_row = far_row.view(self.steps * self.replicates, self.places)
        missing = torch.arange(self.replicates, device=self.device)[:, None] + 1
        missing = (missing * (self.sizes.rows + 1) - 1).repeat(self.steps, 1)
        missing = missing.expand(-1, self.sizes.nodes - self.places)
        return FastPairs(
            target=self._cut_weights(self._node, weights.target, self.last_node),
            target_place=self._cut_weights(None, weights.target_place, 0),
            source_place=self._cut_weights(None, weights.source_place, 0),
            row=self._cut_weights(self._row, weights.row, none),
            plain=self._cut_weights(None, weights.plain[:, 0], 0)[..., None],
            far_count=pad(count, more).view(self.steps, -1, 1),
            far_row=torch.cat([far_row, missing], 1).view(self.steps, -1),
            replicate=self._cut_weights(self._replicate, weights.replicate, 0),
        )

    def _orders(self) -> Orders:
        triples, sizes = self.whole.triples, self.sizes
        first_node = torch.arange(self.steps + 1, device=self.device)
        first_node = first_node * (self.replicates * self.places)
        first_weight = [self.weight_first]
        place = torch.arange(sizes.nodes, device=self.device)
        replicate = self.step * self.replicates + torch.arange(self.replicates, device=self.device)
        node = replicate[..., None] * self.places + place
        node = torch.where(place < self.places, node, -1).flatten(1)
        weight, message = (
            self._own(first, size)
            for first, size in (
                (self.weight_first, sizes.weights),
                (self.message_first, sizes.messages),
            )
        )
        if isinstance(self.whole.weights, FastPairs):  # the far weights of the nodes come last
            far = torch.where(node >= 0, node + len(self.whole.weights.row), -1)
            weight = torch.cat([weight, far], 1)
            first_weight.append(first_node + len(self.whole.weights.row))
        return (
            self._order(triples.by_segment, node, [first_node], (self._weight, self._message)),
            self._order(triples.by_a, weight, first_weight, (self._node, self._message)),
            self._order(triples.by_b, message, [self.message_first], (self._weight, self._node)),
        )

    def _order(
        self,
        order: GroupedTriples,
        groups: Tensor,
        runs: list[Tensor],
        numbers: tuple[Renumber, Renumber],
    ) -> GroupedTriples:
        """Cut one grouping of the triples into steps.

        ``groups`` [S, groups]: the groups of each step, as numbers in the whole, -1 for padding.
        ``runs``: ranges of groups in the whole; step s has groups ``run[s]`` to ``run[s + 1]`` of
        each. ``numbers``: how the other two numbers of a triple are renumbered.
        """
        if not len(order.first):  # no graph at all
            shape = (self.steps, self.sizes.triples)
            none = groups.new_zeros(self.steps, groups.shape[1] + 1).int()
            return GroupedTriples(none, none.new_zeros(shape), none.new_zeros(shape))
        known = groups.clamp(min=0)
        lengths = torch.where(groups >= 0, order.ptr[known + 1] - order.ptr[known], 0)
        place = torch.arange(self.sizes.triples, device=self.device).expand(self.steps, -1)
        source = torch.full_like(place, -1)
        for run in runs:
            begin, end = order.ptr[run[:-1], None], order.ptr[run[1:], None]
            source = torch.where((place >= 0) & (place < end - begin), begin + place, source)
            place = place - (end - begin)
        inside, source = source >= 0, source.clamp(min=0)
        first, second = numbers
        one = torch.where(inside, first(order.first[source]), 0)
        two = torch.where(inside, second(order.second[source]), 0)
        return GroupedTriples(pad(lengths.cumsum(1), (1, 0)).int(), one.int(), two.int())

    def _with_chunks(self, orders: Orders) -> Orders:
        exact = [Chunks.of(order.ptr) for order in orders]
        names = ("segment_chunks", "weight_chunks", "message_chunks")
        needed = {name: c.group.shape[1] for name, c in zip(names, exact, strict=True)}
        self.sizes = self.sizes.holding(**needed)
        one, two, three = (
            replace(order, chunks=Chunks.of(order.ptr, getattr(self.sizes, name)))
            for name, order in zip(names, orders, strict=True)
        )
        return one, two, three

    @property
    def last_node(self) -> int:
        """A node place of a step that no graph fills."""
        return self.replicates * self.sizes.nodes - 1

    def _by_step(self, x: Tensor) -> Tensor:
        return x.view(self.steps, self.replicates, *x.shape[1:])

    def _own(self, first: Tensor, size: int) -> Tensor:
        """Places [S, size] of each step's entries in a list of the whole; -1 beyond the last."""
        place = first[:-1, None] + torch.arange(size, device=self.device)
        return torch.where(place < first[1:, None], place, -1)

    def _cut(
        self, renumber: Renumber | None, x: Tensor, first: Tensor, size: int, padding: int
    ) -> Tensor:
        """Cut a list of the whole into steps, [S, size], filled up with ``padding``."""
        place = self._own(first, size)
        if not len(x):
            return x.new_full(place.shape, padding)
        own = x[place.clamp(min=0)]
        own = own if renumber is None else renumber(own)
        return torch.where(place >= 0, own, padding)

    def _cut_weights(self, renumber: Renumber | None, x: Tensor, padding: int) -> Tensor:
        return self._cut(renumber, x, self.weight_first, self.sizes.weights, padding)

    # Renumbering from the whole to the step, for tensors [S, ...].

    def _node(self, x: Tensor) -> Tensor:
        x = x - self.step * (self.replicates * self.places)
        places = max(self.places, 1)
        return x + x // places * (self.sizes.nodes - self.places)

    def _row(self, x: Tensor) -> Tensor:
        x = x - self.step * (self.replicates * (self.width + 1))
        replicate, local = x // (self.width + 1), x % (self.width + 1)
        local = torch.where(local == self.width, self.sizes.rows, local)
        return replicate * (self.sizes.rows + 1) + local

    def _replicate(self, x: Tensor) -> Tensor:
        return x - self.step * self.replicates

    def _message(self, x: Tensor) -> Tensor:
        return x - self.message_first[:-1, None]

    def _weight(self, x: Tensor) -> Tensor:
        near = x - self.weight_first[:-1, None]
        weights = self.whole.weights
        if isinstance(weights, FastEntries):
            return near
        pairs = len(weights.row)
        return torch.where(x < pairs, near, self._node(x - pairs) + self.sizes.weights)


def _longest(first: Tensor) -> Tensor:
    return first.diff().max().long()
