"""Two differentiable operations: BatchNorm with its activation, and a bias with its activation.

Legend: R replicates, L entries, d channels.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pdf_search.kernels.dispatch import fused_backend_for
from pdf_search.kernels.structures import Norm, Statistics


def batch_norm(
    x: Tensor,
    shift: Tensor,
    weight: Tensor,
    norm: Norm,
    training: bool,
    act: str | None,
) -> Tensor:
    """Compute act(BatchNorm(x + shift)), [R, L, d]; training updates the running statistics.

    ``x`` is [R, L, d] and ``shift`` [R, 1, d]. Each entry counts ``weight`` [R, L, 1] times. A
    replicate with at most one entry uses its running statistics and does not change them. The
    shift is never added to ``x``, because subtracting the batch's mean would take it off again.
    """
    out: Tensor = _BatchNorm.apply(  # type: ignore[no-untyped-call]
        x, shift, norm.weight, norm.bias, weight, norm, training, act
    )
    return out


def bias_activation(x: Tensor, bias: Tensor, act: str | None) -> Tensor:
    """Compute act(x + bias) in one kernel, for ``x`` [R, L, d] and ``bias`` [R, 1, d]."""
    out: Tensor = _BiasActivation.apply(x, bias, act)  # type: ignore[no-untyped-call]
    return out


class _BatchNorm(torch.autograd.Function):
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
        kernels = fused_backend_for(x)
        if training:
            mean, rstd, share = kernels.norm_statistics(x, weight, shift, norm)
        else:
            mean, rstd = norm.running_mean - shift, torch.rsqrt(norm.running_var + norm.eps)
            share = x.new_zeros(len(x))
        ctx.save_for_backward(x, weight, mean, rstd, share, gamma, beta)
        ctx.act = act
        return kernels.norm_forward(x, mean, rstd * gamma, beta, act)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, weight, mean, rstd, share, gamma, beta = ctx.saved_tensors
        grad_x, grad_gamma, grad_beta = fused_backend_for(x).norm_backward(
            grad, x, weight, Statistics(mean, rstd, share), (gamma, beta), ctx.act
        )
        grad_shift = torch.where(share[:, None, None] > 0, 0.0, gamma * rstd * grad_beta)
        return grad_x, grad_shift, grad_gamma, grad_beta, None, None, None, None


class _BiasActivation(torch.autograd.Function):
    """The kernels of BatchNorm with mean 0, deviation 1, gamma 1 and the bias as beta."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, bias: Tensor, act: str | None) -> Tensor:
        ctx.save_for_backward(x, bias)
        ctx.act = act
        zero, one = torch.zeros_like(bias), torch.ones_like(bias)
        return fused_backend_for(x).norm_forward(x, zero, one, bias, act)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, bias = ctx.saved_tensors
        zero, one = torch.zeros_like(bias), torch.ones_like(bias)
        weight, share = x.new_zeros(*x.shape[:2], 1), x.new_zeros(len(x))
        grad_x, _, grad_bias = fused_backend_for(x).norm_backward(
            grad, x, weight, Statistics(zero, one, share), (one, bias), ctx.act
        )
        return grad_x, grad_bias, None
