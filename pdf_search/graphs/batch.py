"""Batches: for each of R replicates its own graphs, padded to one size.

Legend: R replicates, B graph slots, N node places of a replicate, P pair places of a replicate.
Nodes and pairs of a replicate are packed at the front, so that a node's place depends on its own
replicate alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from pdf_search.graphs.bank import Bank
from pdf_search.graphs.graph_set import Array, GraphSet


@dataclass(frozen=True)
class Batch:
    graphs: Tensor  # [R, B] graph numbers, -1 = empty slot
    nodes: Tensor  # [R, N, F] node input
    node_mask: Tensor  # [R, N, 1] 1.0 for a node, 0.0 for padding
    node_slot: Tensor  # [R, N] graph slot of a node; B = padding
    node_count: Tensor  # [R, B]
    pair_target: Tensor  # [R, P] v; N = padding
    pair_source: Tensor  # [R, P] u; 0 = padding
    pair_row: Tensor  # [R, P] row of the bank
    pair_type: Tensor  # [R, P] edge type
    pair_mask: Tensor  # [R, P, 1]
    targets: Tensor  # [R, B, tasks], nan = unlabelled or empty slot


@dataclass(frozen=True)
class DeviceData:
    """A graph set and its bank as tensors of one device. Far pairs are listed."""

    node_ptr: Tensor
    nodes: Tensor
    targets: Tensor
    pair_ptr: Tensor
    target: Tensor
    source: Tensor
    row: Tensor
    edge_type: Tensor
    rows: Tensor  # [U, m] float32
    edge_types: Tensor  # [T, C]

    @classmethod
    def build(cls, graphs: GraphSet, bank: Bank, device: torch.device) -> DeviceData:
        listed = bank.enumerated()

        def put(array: Array) -> Tensor:
            return torch.from_numpy(np.array(array)).to(device)

        return cls(
            node_ptr=put(graphs.node_ptr),
            nodes=put(graphs.nodes),
            targets=put(graphs.targets),
            pair_ptr=put(listed.pair_ptr),
            target=put(listed.target),
            source=put(listed.source),
            row=put(listed.row),
            edge_type=put(listed.edge_type),
            rows=put(bank.rows),
            edge_types=put(graphs.edge_types),
        )

    def collate(self, graphs: Tensor) -> Batch:
        """The batch of these graphs, [R, B] numbers with -1 for an empty slot."""
        present = graphs >= 0
        number = graphs.clamp(min=0)
        node_count = _counts(self.node_ptr, number, present)
        first_node = node_count.cumsum(1) - node_count
        slot, node, node_mask = _places(self.node_ptr, number, node_count)
        pair_count = _counts(self.pair_ptr, number, present)
        pair_slot, pair, pair_mask = _places(self.pair_ptr, number, pair_count)
        offset = first_node.gather(1, pair_slot)
        targets = self.targets[number]
        return Batch(
            graphs=graphs,
            nodes=self.nodes[node],
            node_mask=node_mask[..., None].to(self.rows.dtype),
            node_slot=torch.where(node_mask, slot, graphs.shape[1]),
            node_count=node_count,
            pair_target=torch.where(pair_mask, self.target[pair] + offset, node.shape[1]),
            pair_source=torch.where(pair_mask, self.source[pair] + offset, 0),
            pair_row=self.row[pair].long(),
            pair_type=self.edge_type[pair].long(),
            pair_mask=pair_mask[..., None].to(self.rows.dtype),
            targets=torch.where(present[..., None], targets, torch.nan),
        )


def _counts(ptr: Tensor, number: Tensor, present: Tensor) -> Tensor:
    """Entries of each slot's graph, [R, B]."""
    return torch.where(present, ptr[number + 1] - ptr[number], 0)


def _places(ptr: Tensor, number: Tensor, count: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Slot and place in the ragged array of every entry, [R, L]; and which are not padding."""
    replicates, slots = number.shape
    total = count.sum(1)
    length = int(total.max())
    place = torch.arange(length, device=ptr.device).expand(replicates, -1)
    end = count.cumsum(1)
    slot = torch.searchsorted(end, place.contiguous(), right=True).clamp(max=slots - 1)
    inside = place < total[:, None]
    start = (end - count).gather(1, slot)
    entry = ptr[number.gather(1, slot)] + place - start
    return slot, torch.where(inside, entry, 0), inside
