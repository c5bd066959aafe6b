"""A linear map, a BatchNorm and an activation as one differentiable operation.

Legend: R replicates, L entries, i and d channels.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pdf_search.kernels.dispatch import Backend, fused_backend_for, runs_triton
from pdf_search.kernels.reference.activation import activated
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
    """Compute act(x W + c), [R, L, d]: a norm with mean 0, deviation 1, gamma 1 and c as beta.

    On a GPU it is torch's product and activation, which launch less than a norm.
    """
    if runs_triton(x.device):
        return activated(torch.baddbmm(bias, x, matrix), act)
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
        else:
            statistics = _statistics(kernels, product, weight, shift, norm, training)
        ctx.save_for_backward(x, matrix, product, weight, *statistics, gamma, beta)
        ctx.act, ctx.normed = act, norm is not None
        return kernels.norm_forward(product, statistics, (gamma, beta), act)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, matrix, product, weight, mean, rstd, share, gamma, beta = ctx.saved_tensors
        kernels = fused_backend_for(x)
        grad_product, *affine, grad_shift = kernels.norm_backward(
            grad, product, weight, Statistics(mean, rstd, share), (gamma, beta), ctx.act
        )
        grad_x = None
        if ctx.needs_input_grad[0]:
            grad_x = kernels.product(grad_product, matrix.transpose(1, 2))
        grad_matrix = kernels.product(x.transpose(1, 2), grad_product)
        of_norm = (grad_shift, affine[0]) if ctx.normed else (None, None)
        return grad_x, grad_matrix, *of_norm, affine[1], None, None, None, None


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
