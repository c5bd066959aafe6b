"""BatchNorm with its activation in plain torch.

Legend: R replicates, L entries, d channels.
"""

from __future__ import annotations

import torch
from torch import Tensor

from pdf_search.kernels.reference.activation import activated, before_activation
from pdf_search.kernels.structures import Norm, Statistics


def norm_statistics(x: Tensor, weight: Tensor, shift: Tensor, norm: Norm) -> Statistics:
    """The statistics of a training batch ``x`` + ``shift``; updates the running statistics.

    ``x`` is [R, L, d], ``weight`` [R, L, 1], ``shift`` [R, 1, d]. The returned mean is that of
    ``x`` without the shift. A replicate with at most one entry gets its running statistics, the
    shift taken off their mean, and does not change them.
    """
    count = weight.sum(1, keepdim=True)
    batch = count > 1
    mean = (x * weight).sum(1, keepdim=True) / count.clamp(min=1)
    var = ((x - mean).square() * weight).sum(1, keepdim=True) / count.clamp(min=1)
    unbiased = var * count / (count - 1).clamp(min=1)
    for running, new in ((norm.running_mean, mean + shift), (norm.running_var, unbiased)):
        running.copy_(torch.where(batch, running.lerp(new, norm.momentum), running))
    mean = torch.where(batch, mean, norm.running_mean - shift)
    var = torch.where(batch, var, norm.running_var)
    share = torch.where(batch, 1 / count.clamp(min=1), 0.0)
    return Statistics(mean, torch.rsqrt(var + norm.eps), share[:, 0, 0])


def norm_forward(
    x: Tensor, statistics: Statistics, affine: tuple[Tensor, Tensor], act: str | None
) -> Tensor:
    """Compute act((x - mean) * rstd * gamma + beta) for ``x`` [R, L, d].

    ``affine`` holds gamma and beta, [R, 1, d].
    """
    gamma, beta = affine
    return activated((x - statistics.mean) * (statistics.rstd * gamma) + beta, act)


def norm_backward(
    grad: Tensor,
    x: Tensor,
    weight: Tensor,
    statistics: Statistics,
    affine: tuple[Tensor, Tensor],
    act: str | None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The gradients for x, gamma, beta and the shift of act((x - mean) * rstd * gamma + beta).

    ``affine`` holds gamma and beta, [R, 1, d]. Where the statistics are the batch's own (``share``
    above 0), they depend on ``x``, the gradient goes through them too, and the shift, which the
    mean takes off again, has none.
    """
    mean, rstd, share = statistics
    gamma, beta = affine
    normal = (x - mean) * rstd
    change = before_activation(grad, normal * gamma + beta, act)
    grad_beta = change.sum(1, keepdim=True)
    grad_gamma = (change * normal).sum(1, keepdim=True)
    share = share[:, None, None]
    own = share * weight * (grad_beta + normal * grad_gamma)
    grad_shift = torch.where(share > 0, 0.0, gamma * rstd * grad_beta)
    return gamma * rstd * (change - own), grad_gamma, grad_beta, grad_shift
