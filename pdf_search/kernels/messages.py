"""Messages of the fast engine with their gradient: act(W x[u] + W e[t] + c) for each (u, t).

Legend: R replicates, N nodes, B graph slots, M messages, T edge types, d channels.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pdf_search.kernels import reference
from pdf_search.kernels.product import fuses, serves_gpu
from pdf_search.kernels.triples import Messages

LARGEST_TYPES = 64  # more edge types than this are not worth a gradient table for each graph


def message(y: Tensor, w: Tensor, where: Messages, act: str) -> Tensor:
    """act(y[node] + w[type]) of each message, [M, d]; the last of a slot is minus its nodes' sum.

    ``y`` [R, N, d], ``w`` [R, T, d] (the bias included).
    """
    ordered = serves_gpu(y) and torch.are_deterministic_algorithms_enabled()
    if not fuses(y) or w.shape[1] > LARGEST_TYPES or ordered:
        return reference.message(y, w, where, act)
    out: Tensor = _Message.apply(  # type: ignore[no-untyped-call]
        y, w, where.node, where.kind, where.ptr, where.nodes, act == "gelu"
    )
    return out


class _Message(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, y: Tensor, w: Tensor, *rest: Any) -> Tensor:
        *index, gelu = rest
        ctx.save_for_backward(y, w, *index)
        ctx.gelu = gelu
        if serves_gpu(y):
            from pdf_search.kernels import gpu_messages  # noqa: PLC0415

            return gpu_messages.forward(y, w, index, gelu)
        from pdf_search.kernels import cpu, cpu_elementwise  # noqa: PLC0415  (loads a compiler)

        out = y.new_empty(len(index[0]), y.shape[2])
        rows, edges = cpu.as_array(y).reshape(-1, y.shape[2]), cpu.as_array(w)
        arrays = [i.numpy() for i in index]
        with cpu.threads():
            cpu_elementwise.message_forward(rows, edges, *arrays, gelu, out.numpy())
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        y, w, *index = ctx.saved_tensors
        if serves_gpu(y):
            from pdf_search.kernels import gpu_messages  # noqa: PLC0415

            grad_y, grad_w = gpu_messages.backward(grad, y, w, index, ctx.gelu)
            by_slot = grad_w.view(len(w), len(grad_w) // len(w), *w.shape[1:])
            return grad_y, by_slot.sum(1), None, None, None, None, None
        from pdf_search.kernels import cpu, cpu_elementwise  # noqa: PLC0415

        slots = len(index[-1])
        grad_y, grad_w = torch.zeros_like(y), w.new_zeros(slots, *w.shape[1:])
        with cpu.threads():
            cpu_elementwise.message_backward(
                cpu.as_array(grad),
                cpu.as_array(y).reshape(-1, y.shape[2]),
                cpu.as_array(w),
                *(i.numpy() for i in index),
                ctx.gelu,
                grad_y.numpy().reshape(-1, y.shape[2]),
                grad_w.numpy(),
            )
        by_replicate = grad_w.view(len(w), slots // len(w), *w.shape[1:])
        return grad_y, by_replicate.sum(1), None, None, None, None, None
