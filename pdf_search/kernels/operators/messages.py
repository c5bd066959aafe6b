"""The messages of the fast engine, act(W x[u] + W e[t] + c) for node u and edge type t.

Legend: R replicates, N nodes, B graph slots, M messages, T edge types, d channels.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pdf_search.kernels.dispatch import Backend, fused_backend_for, reference_backend
from pdf_search.kernels.structures import Messages

# The fused kernels keep a gradient table [T, d] for each graph, too large beyond this many types.
LARGEST_TYPES = 64


def message(y: Tensor, w: Tensor, where: Messages, act: str) -> Tensor:
    """Compute the message act(y[node] + w[type]) of each row of ``where``, [M, d].

    ``y`` [R, N, d] is W x and ``w`` [R, T, d] is W e with the bias. The last message of a slot is
    minus the sum of its nodes' messages of edge type 0.
    """
    kernels = kernels_for(y, w)
    out: Tensor = _Message.apply(y, w, where, act, kernels)  # type: ignore[no-untyped-call]
    return out


def kernels_for(y: Tensor, w: Tensor) -> Backend:
    """The backend of the messages of ``y`` and ``w``."""
    return fused_backend_for(y) if w.shape[1] <= LARGEST_TYPES else reference_backend()


class _Message(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, y: Tensor, w: Tensor, where: Messages, act: str, kernels: Backend
    ) -> Tensor:
        ctx.save_for_backward(y, w)
        ctx.rest = where, act
        ctx.kernels = kernels
        return kernels.message_forward(y, w, where, act)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        grads = ctx.kernels.message_backward(grad, *ctx.saved_tensors, *ctx.rest)
        return *grads, None, None, None
