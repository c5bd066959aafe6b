"""BatchNorm with its activation as one kernel, and the plain bias with activation.

Legend: R replicates, L entries, d channels.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pdf_search.kernels.product import serves_gpu


def normalise(
    x: Tensor,
    shift: Tensor,
    weight: Tensor,
    norm: Norm,
    training: bool,
    act: str | None,
) -> Tensor:
    """act(BatchNorm(x + shift)), [R, L, d]; in training the running statistics are moved.

    ``x`` [R, L, d], ``shift`` [R, 1, d]; an entry counts ``weight`` [R, L, 1] times. A replicate
    with at most one entry normalises with its running statistics and leaves them. The batch's own
    mean takes the shift off again, so it is never added.
    """
    out: Tensor = _Normalise.apply(  # type: ignore[no-untyped-call]
        x, shift, norm.weight, norm.bias, weight, norm, training, act
    )
    return out


def shifted(x: Tensor, shift: Tensor, act: str | None) -> Tensor:
    """act(x + shift) by one kernel; ``x`` [R, L, d], ``shift`` [R, 1, d]."""
    out: Tensor = _Shifted.apply(x, shift, act)  # type: ignore[no-untyped-call]
    return out


class Norm(Protocol):
    """A BatchNorm: parameters and buffers, each [R, 1, d]."""

    weight: Any
    bias: Any
    running_mean: Tensor
    running_var: Tensor
    momentum: float
    eps: float


class _Normalise(torch.autograd.Function):
    @staticmethod
    def forward(  # noqa: PLR0913, PLR0917
        ctx: Any,
        x: Tensor,
        shift: Tensor,
        gamma: Tensor,
        beta: Tensor,
        weight: Tensor,
        norm: Norm,
        training: bool,
        act: str | None,
    ) -> Tensor:
        running = norm.running_mean, norm.running_var
        if training:
            mean, rstd, share = _statistics(x, weight, shift, norm)
        else:
            mean, rstd = running[0] - shift, torch.rsqrt(running[1] + norm.eps)
            share = x.new_zeros(len(x))
        ctx.save_for_backward(x, weight, mean, rstd, gamma, beta, share)
        ctx.act = act
        return _forward(x, mean, rstd * gamma, beta, act)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        *saved, share = ctx.saved_tensors
        grad_x, grad_gamma, grad_beta = _backward(grad, *saved, share, ctx.act)
        _, _, _, rstd, gamma, _ = saved
        grad_shift = torch.where(share[:, None, None] > 0, 0.0, gamma * rstd * grad_beta)
        return grad_x, grad_shift, grad_gamma, grad_beta, None, None, None, None


class _Shifted(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, shift: Tensor, act: str | None) -> Tensor:
        ctx.save_for_backward(x, shift)
        ctx.act = act
        return _forward(x, torch.zeros_like(shift), torch.ones_like(shift), shift, act)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, shift = ctx.saved_tensors
        zero, one = torch.zeros_like(shift), torch.ones_like(shift)
        weight, share = x.new_zeros(*x.shape[:2], 1), x.new_zeros(len(x))
        grad_x, _, grad_shift = _backward(grad, x, weight, zero, one, one, shift, share, ctx.act)
        return grad_x, grad_shift, None


def _statistics(x: Tensor, weight: Tensor, shift: Tensor, norm: Norm) -> tuple[Tensor, ...]:
    """Mean and 1 / deviation [R, 1, d], and the share [R] of an entry; see ``_backward``."""
    if serves_gpu(x):
        from pdf_search.kernels import gpu_norm  # noqa: PLC0415

        return gpu_norm.statistics(x, weight, shift, norm)
    from pdf_search.kernels import cpu, cpu_elementwise  # noqa: PLC0415

    mean, rstd = x.new_empty(2, *shift.shape).unbind()
    share = x.new_empty(len(x))
    with cpu.threads():
        cpu_elementwise.norm_statistics(
            cpu.as_array(x),
            cpu.as_array(weight)[..., 0],
            _rows(shift),
            np.float32(norm.momentum),
            np.float32(norm.eps),
            *map(_rows, (norm.running_mean, norm.running_var, mean, rstd)),
            share.numpy(),
        )
    return mean, rstd, share


def _forward(x: Tensor, mean: Tensor, scale: Tensor, beta: Tensor, act: str | None) -> Tensor:
    if serves_gpu(x):
        from pdf_search.kernels import gpu_norm  # noqa: PLC0415

        return gpu_norm.forward(x, mean, scale, beta, act)
    from pdf_search.kernels import cpu, cpu_elementwise  # noqa: PLC0415

    out = torch.empty_like(x)
    flags = act is not None, act == "gelu"
    with cpu.threads():
        cpu_elementwise.norm_forward(
            cpu.as_array(x), _rows(mean), _rows(scale), _rows(beta), *flags, out.numpy()
        )
    return out


def _backward(grad: Tensor, x: Tensor, weight: Tensor, *rest: Any) -> tuple[Tensor, ...]:
    """Gradients for x, gamma and beta; ``rest``: mean, rstd, gamma, beta, share, activation."""
    if serves_gpu(x):
        from pdf_search.kernels import gpu_norm  # noqa: PLC0415

        return gpu_norm.backward(grad, x, weight, *rest)
    from pdf_search.kernels import cpu, cpu_elementwise  # noqa: PLC0415

    *statistics, share, act = rest
    grads = [torch.empty_like(t) for t in (x, statistics[0], statistics[0])]
    with cpu.threads():
        cpu_elementwise.norm_backward(
            cpu.as_array(grad),
            cpu.as_array(x),
            cpu.as_array(weight)[..., 0],
            *map(_rows, statistics),
            share.numpy(),
            act is not None,
            act == "gelu",
            grads[0].numpy(),
            *map(_rows, grads[1:]),
        )
    return tuple(grads)


def _rows(x: Tensor) -> Any:
    """[R, 1, d] as a numpy array [R, d]; a contiguous tensor shares its memory."""
    return x.detach()[:, 0].contiguous().numpy()
