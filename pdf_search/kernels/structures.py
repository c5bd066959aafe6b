"""What the kernels read and give back, besides plain tensors.

That is triples (s, a, b) in three orders, messages, norms, and the lists that are collated.

Legend: P triples, S segments, A and B the row tables of the two factors; R replicates, B graph
slots, N node places, M messages, E weight entries, U rows of a replicate, L entries of a norm, d
channels, G graphs of the data set.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

CHUNK = 256  # longest run of triples that one worker sums; a hot row is many chunks
GPU_CHUNK = 64  # the same on the GPU, where a chunk is one program


@dataclass(frozen=True)
class Chunks:
    """The work of a GPU launch: runs of at most GPU_CHUNK triples of one group, all int32."""

    group: Tensor  # [chunks]
    begin: Tensor  # [chunks]
    end: Tensor  # [chunks], no more than begin where there is nothing to do
    ptr: Tensor  # [groups + 1] the chunks of each group

    @classmethod
    def of(cls, ptr: Tensor, count: int | None = None) -> Chunks:
        """``ptr`` [..., groups + 1]; each of the leading dimensions gets ``count`` chunks.

        ``count`` None: as many as there are, which the host has to wait for.
        """
        pieces = (ptr.diff() + GPU_CHUNK - 1) // GPU_CHUNK
        ends = pieces.cumsum(-1)
        count = int(ends[..., -1].max()) if count is None else count
        place = torch.arange(count, device=ptr.device).expand(*ptr.shape[:-1], count)
        group = torch.searchsorted(ends, place.contiguous(), right=True)
        group = group.clamp(max=ptr.shape[-1] - 2)
        within = place - (ends - pieces).gather(-1, group)
        begin = ptr.gather(-1, group) + within * GPU_CHUNK
        end = torch.minimum(begin + GPU_CHUNK, ptr.gather(-1, group + 1))
        starts = torch.nn.functional.pad(ends, (1, 0))
        return cls(group.int(), begin.int(), end.int(), starts.int())


@dataclass(frozen=True)
class GroupedTriples:
    """Triples grouped by one of their three numbers, and the other two, all int32.

    The triples of group g are ``ptr[g]:ptr[g + 1]``.
    """

    ptr: Tensor  # [groups + 1]
    first: Tensor  # [P]
    second: Tensor  # [P]
    chunks: Chunks | None = None  # worked out beforehand, where a step must not wait for the host
    plan: dict[str, Any] = field(default_factory=dict, repr=False)  # of kernels, made once

    @property
    def groups(self) -> int:
        return len(self.ptr) - 1


@dataclass(frozen=True)
class Triples:
    by_segment: GroupedTriples  # first = a, second = b
    by_a: GroupedTriples  # first = segment, second = b
    by_b: GroupedTriples  # first = a, second = segment

    def with_one_b(self) -> Triples:
        """The same triples, each with row 0 of B: their product with ones sums the rows of A."""
        return Triples(_with_first(self.by_segment), _with_first(self.by_a), self.by_b)


@dataclass(frozen=True)
class Messages:
    """The messages of a batch, slot by slot: each of a slot's nodes with edge type 0, then the
    combinations of node and bond type that occur, then one that stands for minus their first sum.
    """

    node: Tensor  # [M] flat node (r * N + u)
    kind: Tensor  # [M] edge type
    ptr: Tensor  # [R * B + 1] the messages of each flat slot; an empty slot has none
    nodes: Tensor  # [R * B] nodes of each flat slot

    def slot(self) -> Tensor:
        """The flat slot of each message, [M]; messages beyond the last slot's count to it."""
        place = torch.arange(len(self.node), device=self.ptr.device)
        slot = torch.searchsorted(self.ptr, place, right=True) - 1
        return slot.clamp(max=len(self.nodes) - 1)


class Norm(Protocol):
    """A BatchNorm: parameters and buffers, each [R, 1, d]."""

    weight: Any
    bias: Any
    running_mean: Tensor
    running_var: Tensor
    momentum: float
    eps: float


class Statistics(NamedTuple):
    """What a batch is normalised with."""

    mean: Tensor  # [R, 1, d]
    rstd: Tensor  # [R, 1, d], 1 / deviation
    share: Tensor  # [R], 1 / (sum of the weights); 0 where mean and rstd are not the batch's own


class GraphLists(NamedTuple):
    """The lists of all graphs: for each kind (ptr [G + 1], columns...)."""

    rows: tuple[Tensor, ...]  # row and pairs
    entries: tuple[Tensor, ...]  # weight entry
    triples: tuple[Tensor, ...]  # v, entry, message, pair and place by message
    messages: tuple[Tensor, ...]  # node, type and uses
    plus: Tensor  # the two rows of each weight entry
    minus: Tensor
    scratch: tuple[Tensor, Tensor]  # for each row and entry, -1 before and after


class CollatedLists(NamedTuple):
    """The lists of a batch."""

    rows: Tensor  # [R, U] rows of the bank
    row_weight: Tensor  # [R, U, 1] pairs that have the row, 0 for padding
    plus: Tensor  # [E] flat rows of each weight entry
    minus: Tensor  # [E]
    messages: Messages
    triples: Triples


def _with_first(order: GroupedTriples) -> GroupedTriples:
    return replace(order, second=torch.zeros_like(order.second))
