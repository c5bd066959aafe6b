"""A linear map, a BatchNorm and an activation as one differentiable operation.

Legend: R replicates, L entries, i and d channels.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pdf_search.kernels.dispatch import Backend, fused_backend_for
from pdf_search.kernels.structures import Norm, Statistics


def normed_linear(
    x: Tensor,
    matrix: Tensor,
    bias: Tensor,
    weight: Tensor,
    norm: Norm,
    training: bool,
    act: str | None,
) -> Tensor:
    """Compute act(BatchNorm(x W + c)), [R, L, d]; training updates the running statistics.

    ``x`` is [R, L, i], ``matrix`` W [R, i, d] and ``bias`` c [R, 1, d]. Each entry counts
    ``weight`` [R, L, 1] times. A replicate with at most one entry uses its running statistics and
    does not change them. The bias is never added, because subtracting the batch's mean would take
    it off again.
    """
    out: Tensor = _Dense.apply(  # type: ignore[no-untyped-call]
        x, matrix, bias, norm.weight, norm.bias, weight, norm, training, act
    )
    return out


def linear(x: Tensor, matrix: Tensor, bias: Tensor, act: str | None) -> Tensor:
    """Compute act(x W + c), [R, L, d]: a norm with mean 0, deviation 1, gamma 1 and c as beta."""
    out: Tensor = _Dense.apply(  # type: ignore[no-untyped-call]
        x, matrix, None, None, bias, None, None, False, act
    )
    return out


class _Dense(torch.autograd.Function):
    @staticmethod
    def forward(  # noqa: PLR0913, PLR0917
        ctx: Any,
        x: Tensor,
        matrix: Tensor,
        shift: Tensor | None,
        gamma: Tensor | None,
        beta: Tensor,
        weight: Tensor | None,
        norm: Norm | None,
        training: bool,
        act: str | None,
    ) -> Tensor:
        kernels = fused_backend_for(x)
        product = kernels.product(x, matrix)
        if norm is None or shift is None or gamma is None or weight is None:
            statistics, gamma, weight = _none(product, beta)
            scale = gamma
        else:
            statistics = _statistics(kernels, product, weight, shift, norm, training)
            scale = statistics.rstd * gamma
        ctx.save_for_backward(x, matrix, product, weight, *statistics, gamma, beta)
        ctx.act, ctx.normed = act, norm is not None
        return kernels.norm_forward(product, statistics.mean, scale, beta, act)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, matrix, product, weight, mean, rstd, share, gamma, beta = ctx.saved_tensors
        kernels = fused_backend_for(x)
        grad_product, grad_gamma, grad_beta = kernels.norm_backward(
            grad, product, weight, Statistics(mean, rstd, share), (gamma, beta), ctx.act
        )
        grad_x = grad_shift = None
        if ctx.needs_input_grad[0]:
            grad_x = kernels.product(grad_product, matrix.transpose(1, 2))
        grad_matrix = kernels.product(x.transpose(1, 2), grad_product)
        if ctx.normed:
            own = share[:, None, None] > 0
            grad_shift = torch.where(own, 0.0, gamma * rstd * grad_beta)
        of_gamma = grad_gamma if ctx.normed else None
        return grad_x, grad_matrix, grad_shift, of_gamma, grad_beta, None, None, None, None


def _statistics(
    kernels: Backend, x: Tensor, weight: Tensor, shift: Tensor, norm: Norm, training: bool
) -> Statistics:
    """The batch's in training, else the running ones."""
    if training:
        return kernels.norm_statistics(x, weight, shift, norm)
    rstd = torch.rsqrt(norm.running_var + norm.eps)
    return Statistics(norm.running_mean - shift, rstd, x.new_zeros(len(x)))


def _none(x: Tensor, like: Tensor) -> tuple[Statistics, Tensor, Tensor]:
    """Statistics, gamma and weights that change nothing."""
    zero, one = torch.zeros_like(like), torch.ones_like(like)
    return Statistics(zero, one, x.new_zeros(len(x))), one, x.new_zeros(*x.shape[:2], 1)
