"""Sorts triples into the three orders in which the kernels read them.

Legend: P triples.
"""

from __future__ import annotations

import torch
from torch import Tensor

from pdf_search.kernels.dispatch import backend
from pdf_search.kernels.structures import GroupedTriples, Triples


def build_triples(segment: Tensor, a: Tensor, b: Tensor, sizes: tuple[int, int, int]) -> Triples:
    """Group triples, given in any order, by segment, by a and by b.

    ``segment``, ``a`` and ``b`` are [P]. ``sizes`` are the numbers of segments, of rows of A and of
    rows of B.
    """
    return Triples(
        group_triples(segment, a, b, sizes[0]),
        group_triples(a, segment, b, sizes[1]),
        group_triples(b, a, segment, sizes[2]),
    )


def group_triples(key: Tensor, first: Tensor, second: Tensor, groups: int) -> GroupedTriples:
    """Group triples by ``key`` [P], values below ``groups``; those of a group keep their order."""
    ptr = segment_pointers(key, groups)
    place = backend(key.device).places_by_group(key, ptr)
    return GroupedTriples(ptr, first[place].int(), second[place].int())


def segment_pointers(key: Tensor, groups: int) -> Tensor:
    """The row pointers of entries sorted by ``key``: where each group begins, [groups + 1]."""
    ptr = torch.zeros(groups + 1, dtype=torch.int32, device=key.device)
    ptr[1:] = torch.bincount(key, minlength=groups).cumsum(0)
    return ptr
