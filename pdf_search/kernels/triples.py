"""Index structures that the kernels walk through: triples (s, a, b) in three orders, and messages.

Legend: P triples, S segments, A and B the row tables of the two factors; R replicates, B graph
slots, N node places, M messages.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

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
class Order:
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
    by_segment: Order  # first = a, second = b
    by_a: Order  # first = segment, second = b
    by_b: Order  # first = a, second = segment

    def with_one_b(self) -> Triples:
        """The same triples, each with row 0 of B: their product with ones sums the rows of A."""
        return Triples(_with_first(self.by_segment), _with_first(self.by_a), self.by_b)

    @classmethod
    def build(cls, segment: Tensor, a: Tensor, b: Tensor, sizes: tuple[int, int, int]) -> Triples:
        """From triples in any order; ``sizes``: segments, rows of A, rows of B."""
        return cls(
            group(segment, a, b, sizes[0]),
            group(a, segment, b, sizes[1]),
            group(b, a, segment, sizes[2]),
        )


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


def _with_first(order: Order) -> Order:
    return replace(order, second=torch.zeros_like(order.second))


def group(key: Tensor, first: Tensor, second: Tensor, groups: int) -> Order:
    """The order by ``key``; triples of one group keep their order."""
    ptr = pointer(key, groups)
    if key.device.type == "cpu":
        from pdf_search.kernels import cpu  # noqa: PLC0415  (Numba loads a compiler)

        place = cpu.places_by_group(key, ptr)
    else:
        place = key.int().argsort(stable=True)
    return Order(ptr, first[place].int(), second[place].int())


def pointer(key: Tensor, groups: int) -> Tensor:
    """Row pointer [groups + 1] of entries with these group numbers, once sorted."""
    ptr = torch.zeros(groups + 1, dtype=torch.int32, device=key.device)
    ptr[1:] = torch.bincount(key, minlength=groups).cumsum(0)
    return ptr
