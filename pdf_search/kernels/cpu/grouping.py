"""Sorts entries by their group with a counting sort, on the CPU."""

from __future__ import annotations

import torch
from numba import njit
from torch import Tensor

from pdf_search.kernels.cpu.runtime import OPTIONS


def places_by_group(key: Tensor, ptr: Tensor) -> Tensor:
    """See ``reference``."""
    place = torch.empty(len(key), dtype=torch.int64)
    _counting_sort(key.numpy(), ptr.numpy().copy(), place.numpy())
    return place


@njit(**OPTIONS)
def _counting_sort(key, following, place):  # type: ignore[no-untyped-def]
    for i in range(len(key)):
        place[following[key[i]]] = i
        following[key[i]] += 1
