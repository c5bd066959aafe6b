"""The segment product in plain torch."""

from __future__ import annotations

import torch
from torch import Tensor

from pdf_search.kernels.structures import GroupedTriples


def grouped_product(a: Tensor, b: Tensor, triples: GroupedTriples) -> Tensor:
    """Sum a[first] * b[second] over the triples of each group, [groups, d].

    ``a`` is [Na, d or 1] and ``b`` [Nb, d or 1]. Sums of bfloat16 and float32 are float32, of
    float64 float64.
    """
    return _sum(_factor(a, triples.first) * _factor(b, triples.second), triples)


def grouped_dot(a: Tensor, b: Tensor, triples: GroupedTriples) -> Tensor:
    """Sum the dot products a[first] . b[second] over the triples of each group, [groups, 1]."""
    values = _factor(a, triples.first) * _factor(b, triples.second)
    return _sum(values.sum(1, keepdim=True), triples)


def _factor(x: Tensor, rows: Tensor) -> Tensor:
    return x[rows.long()].to(torch.promote_types(x.dtype, torch.float32))


def _sum(values: Tensor, triples: GroupedTriples) -> Tensor:
    groups = triples.groups
    lengths = (triples.ptr[1:] - triples.ptr[:-1]).long()
    owner = torch.repeat_interleave(torch.arange(groups, device=values.device), lengths)
    return values.new_zeros(groups, values.shape[1]).index_add(0, owner, values)
