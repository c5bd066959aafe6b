"""The AdamW update of flat parameters in one pass (Loshchilov & Hutter 2019, torch's constants).

Legend: R replicates, S parameters.
"""

from __future__ import annotations

import torch
from torch import Tensor

from pdf_search.kernels.product import fuses, serves_cpu

BETA1, BETA2, EPS = 0.9, 0.999, 1e-8


Triple = tuple[Tensor, Tensor, Tensor]


def adamw(
    grad: Tensor,
    state: Triple,
    corrections: tuple[Tensor, Tensor],
    active: Tensor,
    rate: float | Tensor,
    decay: float,
) -> None:
    """Change the values and both moments of ``state``, each [R, S], in place where ``active`` [R].

    The ``corrections`` of the moments [R, 1] are 1 - beta^steps.
    """
    if serves_cpu(grad):
        from pdf_search.kernels import cpu, cpu_elementwise  # noqa: PLC0415

        arrays = (t.numpy() for t in (grad, *state, *(c[:, 0] for c in corrections), active))
        with cpu.threads():
            cpu_elementwise.adamw(*arrays, BETA1, BETA2, EPS, float(rate), decay)
        return
    if fuses(grad):
        from pdf_search.kernels import gpu_adamw  # noqa: PLC0415

        gpu_adamw.adamw(grad, state, corrections, active, rate, (BETA1, BETA2, EPS, decay))
        return
    for old, new in zip(state, _updated(grad, state, corrections, rate, decay), strict=True):
        old.copy_(torch.where(active[:, None], new, old))


def _updated(
    grad: Tensor,
    state: Triple,
    corrections: tuple[Tensor, Tensor],
    rate: float | Tensor,
    decay: float,
) -> Triple:
    values, mean, square = state
    mean = torch.lerp(mean, grad, 1 - BETA1)
    square = square * BETA2 + grad.square().mul_(1 - BETA2)
    scale = (square / corrections[1]).sqrt_().add_(EPS)
    change = (mean / corrections[0]).div_(scale)
    return values * (1 - rate * decay) - rate * change, mean, square
