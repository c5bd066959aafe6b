"""Batches: the graphs of each of R replicates, padded to the same number of nodes and pairs.

Legend: R replicates, B graph slots, N node places of a replicate, P pair places of a replicate.
The nodes and pairs of a replicate come first and its padding last, so that a node's place does not
depend on the other replicates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from pdf_search.graphs.bank import Bank
from pdf_search.graphs.graph_set import Array, GraphSet


@dataclass(frozen=True)
class Nodes:
    """The graphs, nodes and targets of a batch, which every engine needs."""

    graphs: Tensor  # [R, B] graph numbers, -1 = empty slot
    nodes: Tensor  # [R, N, F] node input
    node_mask: Tensor  # [R, N, 1] 1.0 for a node, 0.0 for padding
    node_slot: Tensor  # [R, N] graph slot of a node; B = padding
    node_count: Tensor  # [R, B]
    targets: Tensor  # [R, B, tasks], nan = unlabelled or empty slot


@dataclass(frozen=True)
class Batch(Nodes):
    """A batch of the reference engine, in which every supported pair is listed."""

    pair_target: Tensor  # [R, P] v; N = padding
    pair_source: Tensor  # [R, P] u; 0 = padding
    pair_row: Tensor  # [R, P] row of the bank
    pair_type: Tensor  # [R, P] edge type
    pair_mask: Tensor  # [R, P, 1]


@dataclass(frozen=True)
class NodeData:
    """The nodes and targets of a graph set as tensors on one device."""

    node_ptr: Tensor  # [G + 1]
    nodes: Tensor  # [N, F]
    targets: Tensor  # [G, tasks]

    @classmethod
    def build(cls, graphs: GraphSet, device: torch.device) -> NodeData:
        """Copy a graph set's nodes and targets to ``device``."""
        return cls(*(put(x, device) for x in (graphs.node_ptr, graphs.nodes, graphs.targets)))

    def collate(self, graphs: Tensor) -> Nodes:
        """Return the nodes and targets of these graphs: numbers [R, B], -1 for an empty slot."""
        present = graphs >= 0
        number = graphs.clamp(min=0)
        node_count = counts(self.node_ptr, graphs)
        slot, node, inside = places(self.node_ptr, number, node_count)
        return Nodes(
            graphs=graphs,
            nodes=self.nodes[node],
            node_mask=inside[..., None].float(),
            node_slot=torch.where(inside, slot, graphs.shape[1]),
            node_count=node_count,
            targets=torch.where(present[..., None], self.targets[number], torch.nan),
        )


@dataclass(frozen=True)
class DeviceData:
    """A graph set and its bank as tensors on one device, for the reference engine.

    P counts every supported pair, far pairs included.
    """

    node_data: NodeData
    pair_ptr: Tensor  # [G + 1]
    target: Tensor  # [P] v
    source: Tensor  # [P] u
    row: Tensor  # [P]
    edge_type: Tensor  # [P]
    rows: Tensor  # [U, m] float32
    edge_types: Tensor  # [T, C]

    @classmethod
    def build(cls, graphs: GraphSet, bank: Bank, device: torch.device) -> DeviceData:
        """List every pair of ``bank`` and copy all arrays to ``device``."""
        listed = bank.enumerated()
        return cls(
            node_data=NodeData.build(graphs, device),
            pair_ptr=put(listed.pair_ptr, device),
            target=put(listed.target, device),
            source=put(listed.source, device),
            row=put(listed.row, device),
            edge_type=put(listed.edge_type, device),
            rows=put(bank.rows, device),
            edge_types=put(graphs.edge_types, device),
        )

    def collate(self, graphs: Tensor) -> Batch:
        """Return the batch of these graphs: numbers [R, B], -1 for an empty slot."""
        nodes = self.node_data.collate(graphs)
        padding = nodes.node_slot.shape[1]
        first_node = nodes.node_count.cumsum(1) - nodes.node_count
        pair_count = counts(self.pair_ptr, graphs)
        slot, pair, inside = places(self.pair_ptr, graphs.clamp(min=0), pair_count)
        offset = first_node.gather(1, slot)
        return Batch(
            **vars(nodes),
            pair_target=torch.where(inside, self.target[pair] + offset, padding),
            pair_source=torch.where(inside, self.source[pair] + offset, 0),
            pair_row=self.row[pair].long(),
            pair_type=self.edge_type[pair].long(),
            pair_mask=inside[..., None].float(),
        )


def put(array: Array, device: torch.device) -> Tensor:
    """Copy an array to the device; torch cannot share prepared arrays, which are read-only."""
    return torch.from_numpy(np.array(array)).to(device)


def counts(ptr: Tensor, graphs: Tensor) -> Tensor:
    """The number of entries of each slot's graph in a ragged array, [R, B]; 0 for an empty slot.

    ``ptr`` [G + 1] is the array's row pointer; ``graphs`` [R, B] has -1 for an empty slot.
    """
    number = graphs.clamp(min=0)
    return torch.where(graphs >= 0, ptr[number + 1] - ptr[number], 0)


def places(ptr: Tensor, number: Tensor, count: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Lay out the entries of each replicate's graphs one after the other, padded to a length L.

    ``ptr`` [G + 1] is the row pointer of a ragged array, ``number`` [R, B] the graphs and ``count``
    [R, B] their entries.

    Returns:
        The slot of each entry, its place in the ragged array (0 for padding), and whether it is an
        entry rather than padding; each [R, L].
    """
    replicates, slots = number.shape
    total = count.sum(1)
    place = torch.arange(int(total.max()), device=ptr.device).expand(replicates, -1)
    end = count.cumsum(1)
    slot = torch.searchsorted(end, place.contiguous(), right=True).clamp(max=slots - 1)
    inside = place < total[:, None]
    start = (end - count).gather(1, slot)
    entry = ptr[number.gather(1, slot)] + place - start
    return slot, torch.where(inside, entry, 0), inside
