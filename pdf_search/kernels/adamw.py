"""The AdamW update of flat parameters in one pass (Loshchilov & Hutter 2019, torch's constants).

Legend: R replicates, S parameters.
"""

from __future__ import annotations

import torch
from torch import Tensor

from pdf_search.kernels.product import fuses, serves_cpu

BETA1, BETA2, EPS = 0.9, 0.999, 1e-8


def adamw(
    grad: Tensor,
    values: Tensor,
    mean: Tensor,
    square: Tensor,
    mean_correction: Tensor,
    square_correction: Tensor,
    active: Tensor,
    rate: float | Tensor,
    decay: float,
) -> None:
    """Change ``values``, ``mean`` and ``square`` [R, S] in place where ``active`` [R].

    The corrections [R, 1] are 1 - beta^steps.
    """
    state = values, mean, square
    corrections = mean_correction, square_correction
    if serves_cpu(values):
        from pdf_search.kernels import cpu, cpu_elementwise  # noqa: PLC0415

        arrays = (t.numpy() for t in (grad, *state, *(c[:, 0] for c in corrections), active))
        with cpu.threads():
            cpu_elementwise.adamw(*arrays, BETA1, BETA2, EPS, float(rate), decay)
        return
    if fuses(values):
        from pdf_search.kernels import gpu_adamw  # noqa: PLC0415

        gpu_adamw.adamw(grad, state, corrections, active, rate, (BETA1, BETA2, EPS, decay))
        return
    new = _updated(grad, *state, *corrections, rate, decay)
    for old, now in zip(state, new, strict=True):
        old.copy_(torch.where(active[:, None], now, old))


def _updated(
    grad: Tensor,
    values: Tensor,
    mean: Tensor,
    square: Tensor,
    mean_correction: Tensor,
    square_correction: Tensor,
    rate: float | Tensor,
    decay: float,
) -> tuple[Tensor, Tensor, Tensor]:
    mean = torch.lerp(mean, grad, 1 - BETA1)
    square = square * BETA2 + grad.square().mul_(1 - BETA2)
    scale = (square / square_correction).sqrt_().add_(EPS)
    change = (mean / mean_correction).div_(scale)
    return values * (1 - rate * decay) - rate * change, mean, square
