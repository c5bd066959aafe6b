"""The operations in plain torch: slow, readable, and what the others are tested against."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from pdf_search.kernels.triples import Order


def segment_product(a: Tensor, b: Tensor, order: Order) -> Tensor:
    """out[g] = sum over the triples of group g of a[first] * b[second], [groups, d].

    ``a`` [Na, d or 1], ``b`` [Nb, d or 1], float32 or bfloat16; summed in float32.
    """
    values = a[order.first.long()].float() * b[order.second.long()].float()
    return _sum(values, order).to(b.dtype)


def segment_dot(a: Tensor, b: Tensor, order: Order) -> Tensor:
    """out[g] = sum over the triples of group g of a[first] . b[second], [groups, 1]."""
    values = (a[order.first.long()].float() * b[order.second.long()].float()).sum(1, keepdim=True)
    return _sum(values, order).to(b.dtype)


def _sum(values: Tensor, order: Order) -> Tensor:
    lengths = (order.ptr[1:] - order.ptr[:-1]).long()
    owner = torch.repeat_interleave(torch.arange(order.groups, device=values.device), lengths)
    return values.new_zeros(order.groups, values.shape[1]).index_add(0, owner, values)


def message(y: Tensor, w: Tensor | None, node: Tensor, kind: Tensor, act: str) -> Tensor:
    """act(y[node] + w[kind]), [M, d]; ``y`` [N, d], ``w`` [T, d] or None."""
    values = y.index_select(0, node)
    if w is not None:
        values = values + w.index_select(0, kind)
    return functional.gelu(values) if act == "gelu" else values.relu()
