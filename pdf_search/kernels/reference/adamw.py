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
    """Change ``state``: values, mean and mean square of the gradient, each [R, S], in place.

    ``corrections`` [R, 1]: 1 - beta^steps of both means; ``active`` [R]: the others are left alone;
    ``constants``: beta 1 and 2, epsilon, weight decay.
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
