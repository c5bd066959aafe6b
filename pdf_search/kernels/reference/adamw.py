"""A step of AdamW in plain torch.

Legend: R replicates, S parameters of a replicate.
"""

from __future__ import annotations

import torch
from torch import Tensor

Three = tuple[Tensor, Tensor, Tensor]


def adamw_step(
    grad: Tensor,
    state: Three,
    corrections: tuple[Tensor, Tensor],
    active: Tensor,
    rate: float | Tensor,
    constants: tuple[float, float, float, float],
) -> None:
    """Update ``state`` in place: values, mean and mean square of the gradient, each [R, S].

    ``corrections`` [R, 1] are 1 - beta^steps of the two means. Replicates that are not ``active``
    [R] are not changed, whatever their gradient. ``constants`` are beta 1, beta 2, epsilon and the
    weight decay.
    """
    for old, new in zip(state, _updated(grad, state, corrections, rate, constants), strict=True):
        old.copy_(torch.where(active[:, None], new, old))


def _updated(
    grad: Tensor,
    state: Three,
    corrections: tuple[Tensor, Tensor],
    rate: float | Tensor,
    constants: tuple[float, float, float, float],
) -> Three:
    values, mean, square = state
    beta1, beta2, eps, decay = constants
    mean = torch.lerp(mean, grad, 1 - beta1)
    square = square * beta2 + grad.square().mul_(1 - beta2)
    scale = (square / corrections[1]).sqrt_().add_(eps)
    change = (mean / corrections[0]).div_(scale)
    return values * (1 - rate * decay) - rate * change, mean, square
