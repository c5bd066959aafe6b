"""The arguments and results of the kernels that are more than a tensor.

They are triples (s, a, b) in three orders, messages, norms, and the lists that are collated.

Legend: P triples, S segments, A and B the row tables of the two factors; R replicates, B graph
slots, N node places, M messages, E weight entries, U rows of a replicate, L entries of a norm, d
channels, G graphs of the data set.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

CHUNK = 256  # most triples that one worker sums; a longer group is split into several chunks
GPU_CHUNK = 64  # the same on the GPU, where a short group or a chunk is one program


@dataclass(frozen=True)
class Chunks:
    """The groups of more than GPU_CHUNK triples, cut into runs of at most so many; all int32.

    The chunks of a group stand together. Shorter groups have none.
    """

    group: Tensor  # [chunks]
    begin: Tensor  # [chunks]
    end: Tensor  # [chunks], equal to begin where the chunk is padding
    stop: Tensor  # [chunks] where the group's chunks end, told by its first one; else 0

    @classmethod
    def of(cls, ptr: Tensor, count: int | None = None) -> Chunks:
        """Cut the long groups of ``ptr`` [..., groups + 1] into chunks.

        Every index of the leading dimensions gets ``count`` chunks, padded with empty ones. With
        None the largest number needed is read from the device, which makes the host wait.
        """
        pieces = (ptr.diff() + GPU_CHUNK - 1) // GPU_CHUNK
        pieces = torch.where(pieces > 1, pieces, 0)
        ends = pieces.cumsum(-1)
        if count is None:
            count = int(ends[..., -1].max()) if ends.numel() else 0
        place = torch.arange(count, device=ptr.device).expand(*ptr.shape[:-1], count)
        group = torch.searchsorted(ends, place.contiguous(), right=True)
        group = group.clamp(max=ptr.shape[-1] - 2)
        stop = ends.gather(-1, group)
        within = place - stop + pieces.gather(-1, group)
        begin = ptr.gather(-1, group) + within * GPU_CHUNK
        end = torch.minimum(begin + GPU_CHUNK, ptr.gather(-1, group + 1))
        there = place < stop
        end = torch.where(there, end, begin)
        stop = torch.where(there & (within == 0), stop, 0)
        return cls(group.int(), begin.int(), end.int(), stop.int())


@dataclass(frozen=True)
class GroupedTriples:
    """Triples grouped by one of their three numbers, and the other two, all int32.

    The triples of group g are ``ptr[g]:ptr[g + 1]``.
    """

    ptr: Tensor  # [groups + 1]
    first: Tensor  # [P]
    second: Tensor  # [P]
    chunks: Chunks | None = None  # computed beforehand where a step must not wait for the host
    plan: dict[str, Any] = field(default_factory=dict, repr=False)  # what a kernel computes once

    @property
    def groups(self) -> int:
        """The number of groups, empty ones included."""
        return len(self.ptr) - 1


@dataclass(frozen=True)
class Triples:
    """The same triples (segment, a, b) in three orders.

    A segment product reads the first order; its gradients for A and B read the other two.
    """

    by_segment: GroupedTriples  # first = a, second = b
    by_a: GroupedTriples  # first = segment, second = b
    by_b: GroupedTriples  # first = a, second = segment

    def with_one_b(self) -> Triples:
        """The same triples with b = 0 in each.

        Their product with a B of ones sums the rows of A of each segment.
        """
        return Triples(_with_first(self.by_segment), _with_first(self.by_a), self.by_b)


@dataclass(frozen=True)
class Messages:
    """The messages of a batch, slot by slot.

    A slot has first a message of each node with edge type 0, then one of each combination of node
    and bond type that occurs, sorted by node. Its last message stands for minus the sum of the
    first group.
    """

    node: Tensor  # [M] flat node (r * N + u)
    kind: Tensor  # [M] edge type
    ptr: Tensor  # [R * B + 1] where each flat slot's messages begin; an empty slot has none
    nodes: Tensor  # [R * B] nodes of each flat slot
    most: int | None = None  # no slot of any batch has more nodes; None: not known

    def slot(self) -> Tensor:
        """The flat slot of each message, [M]; padding after the last message gets the last slot."""
        place = torch.arange(len(self.node), device=self.ptr.device)
        slot = torch.searchsorted(self.ptr, place, right=True) - 1
        return slot.clamp(max=len(self.nodes) - 1)


class Draws(NamedTuple):
    """The places of the dropout noise of one layer, in a step.

    With ``replicate`` the entries are a flat list; without, each replicate has L of its own.
    """

    keys: Tensor  # [R] random keys of the replicates for the step, 32 bits in int64
    place: int  # of the layer
    indices: tuple[Tensor, ...]  # one or two numbers of an entry in its replicate, [R, L] or [L]
    replicate: Tensor | None = None  # [L]


class Norm(Protocol):
    """A BatchNorm of R replicates: parameters and buffers, each [R, 1, d]."""

    weight: Any
    bias: Any
    running_mean: Tensor
    running_var: Tensor
    momentum: float
    eps: float


class Statistics(NamedTuple):
    """The mean and deviation that a batch is normalised with."""

    mean: Tensor  # [R, 1, d]
    rstd: Tensor  # [R, 1, d], 1 / deviation
    share: Tensor  # [R], 1 / (sum of the weights); 0 where mean and rstd are not the batch's own


class GraphLists(NamedTuple):
    """The lists of all graphs of the data set.

    Each is (ptr [G + 1], columns...), and the items of graph g are ``ptr[g]:ptr[g + 1]``. The
    comments name the columns.
    """

    rows: tuple[Tensor, ...]  # row; number of pairs that have it
    entries: tuple[Tensor, ...]  # weight entry
    triples: tuple[Tensor, ...]  # v; entry; message; pair; place when sorted by message
    messages: tuple[Tensor, ...]  # node; edge type; number of triples that use it
    plus: Tensor  # row whose weight an entry adds, -1 for none
    minus: Tensor  # row whose weight it takes off, -1 for none
    scratch: tuple[Tensor, Tensor]  # work space for each row and entry, -1 before and after


class CollatedLists(NamedTuple):
    """The lists of a batch, with flat numbers that run through its replicates."""

    rows: Tensor  # [R, U] rows of the bank
    row_weight: Tensor  # [R, U, 1] number of pairs that have the row, 0 for padding
    plus: Tensor  # [E] flat row whose weight an entry adds
    minus: Tensor  # [E] flat row whose weight it takes off
    messages: Messages
    triples: Triples


def _with_first(order: GroupedTriples) -> GroupedTriples:
    return replace(order, second=torch.zeros_like(order.second))
