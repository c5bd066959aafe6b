"""Messages and their gradient in plain torch.

The last message of a graph slot is minus the sum over its nodes: through it far pairs are summed.

Legend: R replicates, N nodes, B graph slots, M messages, T edge types, d channels.
"""

from __future__ import annotations

import torch
from torch import Tensor

from pdf_search.kernels.reference.activation import activated, before_activation
from pdf_search.kernels.structures import Messages


def message_forward(
    y: Tensor, w: Tensor, where: Messages, act: str, dtype: torch.dtype | None = None
) -> Tensor:
    """Compute the messages act(y[node] + w[type]), [M, d], from ``y`` [R, N, d], ``w`` [R, T, d].

    The last message of a slot is minus the sum of its nodes' messages of edge type 0. ``dtype``: of
    the messages; by default that of ``y``.
    """
    values = activated(_sums(y, w, where), act)
    slot, plain, last = _parts(where)
    total = values.new_zeros(len(where.nodes), values.shape[1])
    total = total.index_add(0, slot, torch.where(plain, values, 0.0))
    return torch.where(last, -total[slot], values).to(dtype or y.dtype)


def message_backward(
    grad: Tensor, y: Tensor, w: Tensor, where: Messages, act: str
) -> tuple[Tensor, Tensor]:
    """The gradients for y [R, N, d] and w [R, T, d], given ``grad`` for the messages [M, d]."""
    slot, plain, last = _parts(where)
    of_sum = grad[(where.ptr[1:] - 1).clamp(min=0)[slot]]  # of the slot's last message
    change = torch.where(last, 0.0, grad) - torch.where(plain, of_sum, 0.0)
    change = before_activation(change, _sums(y, w, where), act)
    grad_y, grad_w = torch.zeros_like(y).flatten(0, 1), torch.zeros_like(w).flatten(0, 1)
    grad_y = grad_y.index_add(0, where.node, change)
    grad_w = grad_w.index_add(0, _row(w, where), change)
    return grad_y.view(y.shape), grad_w.view(w.shape)


def _sums(y: Tensor, w: Tensor, where: Messages) -> Tensor:
    """y[node] + w[type] of each message."""
    nodes = y.flatten(0, 1).index_select(0, where.node)
    return nodes + w.flatten(0, 1).index_select(0, _row(w, where))


def _row(w: Tensor, where: Messages) -> Tensor:
    """The row of each message in ``w``, flat over the replicates."""
    slots = len(where.nodes)
    replicate = torch.arange(slots, device=w.device) * len(w) // slots
    return where.kind + replicate[where.slot()] * w.shape[1]


def _parts(where: Messages) -> tuple[Tensor, Tensor, Tensor]:
    """The slot [M] of each message, whether it is a node's of type 0, and whether it is the last.

    Both flags are [M, 1].
    """
    slot = where.slot()
    place = torch.arange(len(slot), device=slot.device) - where.ptr[slot]
    plain = (place < where.nodes[slot])[:, None]
    last = (place == where.ptr.diff()[slot] - 1)[:, None]
    return slot, plain, last
