"""Triples put in the orders in which kernels walk through them.

Legend: P triples.
"""

from __future__ import annotations

import torch
from torch import Tensor

from pdf_search.kernels.dispatch import backend
from pdf_search.kernels.structures import GroupedTriples, Triples


def build_triples(segment: Tensor, a: Tensor, b: Tensor, sizes: tuple[int, int, int]) -> Triples:
    """From triples in any order; ``sizes``: segments, rows of A, rows of B."""
    return Triples(
        group_triples(segment, a, b, sizes[0]),
        group_triples(a, segment, b, sizes[1]),
        group_triples(b, a, segment, sizes[2]),
    )


def group_triples(key: Tensor, first: Tensor, second: Tensor, groups: int) -> GroupedTriples:
    """Triples grouped by ``key`` [P]; those of one group keep their order."""
    ptr = segment_pointers(key, groups)
    place = backend(key.device).places_by_group(key, ptr)
    return GroupedTriples(ptr, first[place].int(), second[place].int())


def segment_pointers(key: Tensor, groups: int) -> Tensor:
    """Where each group begins and ends, [groups + 1], once entries are sorted by ``key``."""
    ptr = torch.zeros(groups + 1, dtype=torch.int32, device=key.device)
    ptr[1:] = torch.bincount(key, minlength=groups).cumsum(0)
    return ptr
