"""BatchNorm with its activation as one kernel, and the plain bias with activation.

Legend: R replicates, L entries, d channels.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable


def normalise(
    x: Tensor,
    weight: Tensor,
    mean: Tensor,
    rstd: Tensor,
    gamma: Tensor,
    beta: Tensor,
    batch: Tensor,
    act: str | None,
) -> Tensor:
    """act((x - mean) * rstd * gamma + beta), [R, L, d].

    ``x`` [R, L, d], ``weight`` [R, L, 1], statistics and parameters [R, 1, d]. ``batch`` [R, 1, 1]:
    whether the statistics are those of ``x`` itself, which the gradient for ``x`` then knows; where
    they are not, ``mean`` has a gradient of its own.
    """
    out: Tensor = _Normalise.apply(  # type: ignore[no-untyped-call]
        x, weight, mean, rstd, gamma, beta, batch, act
    )
    return out


def shifted(x: Tensor, shift: Tensor, act: str | None) -> Tensor:
    """act(x + shift) by one kernel; ``x`` [R, L, d], ``shift`` [R, 1, d]."""
    zero, one = torch.zeros_like(shift), torch.ones_like(shift)
    batch = torch.zeros(len(x), 1, 1, dtype=torch.bool)
    return normalise(x, x.new_ones(*x.shape[:2], 1), zero, one, one, shift, batch, act)


class _Normalise(torch.autograd.Function):
    @staticmethod
    def forward(  # noqa: PLR0913, PLR0917
        ctx: Any,
        x: Tensor,
        weight: Tensor,
        mean: Tensor,
        rstd: Tensor,
        gamma: Tensor,
        beta: Tensor,
        batch: Tensor,
        act: str | None,
    ) -> Tensor:
        from pdf_search.kernels import cpu, cpu_elementwise  # noqa: PLC0415

        ctx.save_for_backward(x, weight, mean, rstd, gamma, beta, batch)
        ctx.act = act
        out = torch.empty_like(x)
        with cpu.threads():
            cpu_elementwise.norm_forward(
                cpu.as_array(x),
                _rows(mean),
                _rows(rstd * gamma),
                _rows(beta),
                act is not None,
                act == "gelu",
                out.numpy(),
            )
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        from pdf_search.kernels import cpu, cpu_elementwise  # noqa: PLC0415

        x, weight, mean, rstd, gamma, beta, batch = ctx.saved_tensors
        grad_x, grad_gamma, grad_beta = (torch.empty_like(t) for t in (x, mean, mean))
        with cpu.threads():
            cpu_elementwise.norm_backward(
                cpu.as_array(grad),
                cpu.as_array(x),
                cpu.as_array(weight)[..., 0],
                _rows(mean),
                _rows(rstd),
                _rows(gamma),
                _rows(beta),
                torch.where(batch, 1 / weight.sum(1, keepdim=True), 0.0).flatten().numpy(),
                ctx.act is not None,
                ctx.act == "gelu",
                grad_x.numpy(),
                _rows(grad_gamma),
                _rows(grad_beta),
            )
        grad_mean = torch.where(batch, 0.0, -gamma * rstd * grad_beta)
        return grad_x, None, grad_mean, None, grad_gamma, grad_beta, None, None


def statistics(x: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    """Weighted mean and biased variance over the entries of each replicate, [R, 1, d]."""
    from pdf_search.kernels import cpu, cpu_elementwise  # noqa: PLC0415

    mean, var = x.new_empty(2, len(x), 1, x.shape[2]).unbind()
    weights = cpu.as_array(weight)[..., 0]
    with cpu.threads():
        cpu_elementwise.norm_statistics(cpu.as_array(x), weights, _rows(mean), _rows(var))
    return mean, var


def _rows(x: Tensor) -> Any:
    """[R, 1, d] as a numpy array [R, d]."""
    return x.detach()[:, 0].contiguous().numpy()
