"""Index structures that the kernels walk through: triples (s, a, b) in three orders, and messages.

Legend: P triples, S segments, A and B the row tables of the two factors; R replicates, B graph
slots, N node places, M messages.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

CHUNK = 256  # longest run of triples that one worker sums; a hot row is many chunks


@dataclass(frozen=True)
class Order:
    """Triples grouped by one of their three numbers, and the other two, all int32.

    The triples of group g are ``ptr[g]:ptr[g + 1]``.
    """

    ptr: Tensor  # [groups + 1]
    first: Tensor  # [P]
    second: Tensor  # [P]

    @property
    def groups(self) -> int:
        return len(self.ptr) - 1


@dataclass(frozen=True)
class Triples:
    by_segment: Order  # first = a, second = b
    by_a: Order  # first = segment, second = b
    by_b: Order  # first = a, second = segment

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


def group(key: Tensor, first: Tensor, second: Tensor, groups: int) -> Order:
    """The order by ``key``; triples of one group keep their order."""
    place = key.argsort(stable=True)
    return Order(pointer(key, groups), first[place].int(), second[place].int())


def pointer(key: Tensor, groups: int) -> Tensor:
    """Row pointer [groups + 1] of entries with these group numbers, once sorted."""
    ptr = torch.zeros(groups + 1, dtype=torch.int32, device=key.device)
    ptr[1:] = torch.bincount(key, minlength=groups).cumsum(0)
    return ptr
