"""Dropout with noise that is a hash of its place, so that it can be drawn again."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pdf_search.kernels.dispatch import fused_backend_for, runs_triton
from pdf_search.kernels.structures import Draws


def dropout(x: Tensor, draws: Draws, rate: float) -> Tensor:
    """Multiply ``x`` [R, L, d], or [L, d] with ``draws.replicate``, by 0 or 1 / (1 - rate)."""
    if x.dtype == torch.float32 and runs_triton(x.device):
        out: Tensor = _Dropout.apply(x, draws, rate)  # type: ignore[no-untyped-call]
        return out
    # Elsewhere a draw takes longer than to read the factors again.
    factors = fused_backend_for(x).dropped(x.detach().new_ones(()).expand_as(x), draws, rate)
    return x * factors


class _Dropout(torch.autograd.Function):
    """Linear in x, so its gradient is the same operation; no factor is kept in between."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, draws: Draws, rate: float) -> Tensor:
        ctx.rest = draws, rate
        return fused_backend_for(x).dropped(x, draws, rate)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        return fused_backend_for(grad).dropped(grad, *ctx.rest), None, None
