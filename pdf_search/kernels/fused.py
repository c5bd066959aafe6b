"""Fused operations of the fast engine with their gradients: messages, BatchNorm + activation.

Where no fused kernel serves a device or type, the same is computed in plain torch.

Legend: R replicates, L entries, d channels, N nodes, M messages, T edge types.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pdf_search.kernels import reference
from pdf_search.kernels.product import serves_cpu

LARGEST_TYPES = 64  # more edge types than this are not worth a table for each graph


def message(
    y: Tensor, w: Tensor | None, node: Tensor, kind: Tensor, slots: Tensor, act: str
) -> Tensor:
    """act(y[node] + w[kind]), [M, d].

    ``y`` [N, d], ``w`` [T, d] or None; ``slots`` [slots + 1]: the messages of each graph slot.
    """
    if not serves_cpu(y) or (w is not None and len(w) > LARGEST_TYPES):
        return reference.message(y, w, node, kind, act)
    edge = y.new_empty(0, y.shape[1]) if w is None else w
    out: Tensor = _Message.apply(  # type: ignore[no-untyped-call]
        y, edge, node, kind, slots, act == "gelu"
    )
    return out


def normalise(
    x: Tensor,
    weight: Tensor,
    mean: Tensor,
    rstd: Tensor,
    gamma: Tensor,
    beta: Tensor,
    batch: Tensor,
    act: str | None,
) -> Tensor:
    """act((x - mean) * rstd * gamma + beta), [R, L, d]; the gradient knows where mean comes from.

    ``x`` [R, L, d], ``weight`` [R, L, 1], statistics and parameters [R, 1, d] (statistics without
    gradient), ``batch`` [R, 1, 1] whether the statistics are those of ``x`` itself.
    """
    out: Tensor = _Normalise.apply(  # type: ignore[no-untyped-call]
        x, weight, mean, rstd, gamma, beta, batch, act
    )
    return out


class _Message(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, y: Tensor, w: Tensor, node: Tensor, kind: Tensor, slots: Tensor, gelu: bool
    ) -> Tensor:
        from pdf_search.kernels import cpu, cpu_elementwise  # noqa: PLC0415  (loads a compiler)

        cpu.use_torch_threads()
        ctx.save_for_backward(y, w, node, kind, slots)
        ctx.gelu = gelu
        out = y.new_empty(len(node), y.shape[1])
        cpu_elementwise.message_forward(
            cpu.as_array(y), cpu.as_array(w), node.numpy(), kind.numpy(), gelu, out.numpy()
        )
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        from pdf_search.kernels import cpu, cpu_elementwise  # noqa: PLC0415

        y, w, node, kind, slots = ctx.saved_tensors
        grad_y = torch.zeros_like(y)
        grad_w = y.new_zeros(len(slots) - 1, *w.shape)
        cpu_elementwise.message_backward(
            cpu.as_array(grad),
            cpu.as_array(y),
            cpu.as_array(w),
            node.numpy(),
            kind.numpy(),
            slots.numpy(),
            ctx.gelu,
            grad_y.numpy(),
            grad_w.numpy(),
        )
        return grad_y, grad_w.sum(0), None, None, None, None


class _Normalise(torch.autograd.Function):
    @staticmethod
    def forward(  # noqa: PLR0913, PLR0917
        ctx: Any,
        x: Tensor,
        weight: Tensor,
        mean: Tensor,
        rstd: Tensor,
        gamma: Tensor,
        beta: Tensor,
        batch: Tensor,
        act: str | None,
    ) -> Tensor:
        from pdf_search.kernels import cpu, cpu_elementwise  # noqa: PLC0415

        ctx.save_for_backward(x, weight, mean, rstd, gamma, beta, batch)
        ctx.act = act
        out = torch.empty_like(x)
        cpu_elementwise.norm_forward(
            cpu.as_array(x),
            _rows(mean),
            _rows(rstd * gamma),
            _rows(beta),
            act is not None,
            act == "gelu",
            out.numpy(),
        )
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        from pdf_search.kernels import cpu, cpu_elementwise  # noqa: PLC0415

        x, weight, mean, rstd, gamma, beta, batch = ctx.saved_tensors
        grad_x, grad_gamma, grad_beta = (torch.empty_like(t) for t in (x, mean, mean))
        cpu_elementwise.norm_backward(
            cpu.as_array(grad),
            cpu.as_array(x),
            cpu.as_array(weight)[..., 0],
            _rows(mean),
            _rows(rstd),
            _rows(gamma),
            _rows(beta),
            batch.flatten().numpy(),
            ctx.act is not None,
            ctx.act == "gelu",
            grad_x.numpy(),
            _rows(grad_gamma),
            _rows(grad_beta),
        )
        return grad_x, None, None, None, grad_gamma, grad_beta, None, None


def statistics(x: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    """Weighted mean and biased variance over the entries of each replicate, [R, 1, d]."""
    from pdf_search.kernels import cpu, cpu_elementwise  # noqa: PLC0415

    cpu.use_torch_threads()
    mean, var = x.new_empty(2, len(x), 1, x.shape[2]).unbind()
    weights = cpu.as_array(weight)[..., 0]
    cpu_elementwise.norm_statistics(cpu.as_array(x), weights, _rows(mean), _rows(var))
    return mean, var


def _rows(x: Tensor) -> Any:
    """[R, 1, d] as a numpy array [R, d]."""
    return x.detach()[:, 0].contiguous().numpy()
