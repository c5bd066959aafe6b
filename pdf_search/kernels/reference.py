"""The operations in plain torch: slow, readable, and what the others are tested against."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from pdf_search.kernels.triples import Messages, Order


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


def message(y: Tensor, w: Tensor, where: Messages, act: str) -> Tensor:
    """See ``messages.message``."""
    replicate = torch.arange(len(where.nodes), device=y.device) * len(w) // len(where.nodes)
    slot = where.slot()
    row = where.kind + replicate[slot] * w.shape[1]
    values = y.flatten(0, 1).index_select(0, where.node) + w.flatten(0, 1).index_select(0, row)
    values = functional.gelu(values) if act == "gelu" else values.relu()
    place = torch.arange(len(slot), device=y.device) - where.ptr[slot]
    plain = (place < where.nodes[slot])[:, None]
    total = values.new_zeros(len(where.nodes), values.shape[1])
    total = total.index_add(0, slot, torch.where(plain, values, 0.0))
    last = (place == where.ptr.diff()[slot] - 1)[:, None]
    return torch.where(last, -total[slot], values)
