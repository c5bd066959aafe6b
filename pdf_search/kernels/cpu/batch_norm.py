"""BatchNorm with its activation on the CPU.

Legend: R replicates, L entries, d channels.
"""

from __future__ import annotations

import numpy as np
import torch
from numba import njit, prange
from torch import Tensor

from pdf_search.kernels.cpu.activation import activated, slope
from pdf_search.kernels.cpu.runtime import OPTIONS, Kernel, as_array
from pdf_search.kernels.structures import Norm, Statistics

ROWS = 32  # entries summed in float32, before their sum is added in float64

_f = np.float32
_ONE = _f(1.0)


def norm_statistics(x: Tensor, weight: Tensor, shift: Tensor, norm: Norm) -> Statistics:
    """See ``reference``."""
    mean, rstd = x.new_empty(2, *shift.shape).unbind()
    share = x.new_empty(len(x))
    _statistics(
        as_array(x), as_array(weight), as_array(shift), _f(norm.momentum), _f(norm.eps),
        *map(as_array, (norm.running_mean, norm.running_var, mean, rstd)), share.numpy(),
    )  # fmt: skip
    return Statistics(mean, rstd, share)


def norm_forward(
    x: Tensor, statistics: Statistics, affine: tuple[Tensor, Tensor], act: str | None
) -> Tensor:
    """See ``reference``."""
    mean, rstd, _ = statistics
    out = torch.empty_like(x)
    flags = act is not None, act == "gelu"
    _forward(*map(as_array, (x, mean, rstd, *affine)), *flags, out.numpy())
    return out


def norm_backward(
    grad: Tensor,
    x: Tensor,
    weight: Tensor,
    statistics: Statistics,
    affine: tuple[Tensor, Tensor],
    act: str | None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """See ``reference``."""
    mean, rstd, share = statistics
    grad_x = torch.empty_like(x)
    grad_gamma, grad_beta, grad_shift = x.new_empty(3, *mean.shape).unbind()
    _backward(
        *map(as_array, (grad, x, weight, mean, rstd, *affine)), share.numpy(),
        act is not None, act == "gelu",
        grad_x.numpy(), grad_gamma.numpy(), grad_beta.numpy(), grad_shift.numpy(),
    )  # fmt: skip
    return grad_x, grad_gamma, grad_beta, grad_shift


@Kernel
def _statistics(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    x, weight, shift, momentum, eps, running_mean, running_var, mean, rstd, share_of
):
    """Write the statistics of a training batch, and update the running ones.

    Each run of ROWS entries gets its own mean and sum of squares about it, in one pass over
    memory. The runs are joined in float64 (Chan, Golub & LeVeque 1979), because the error of a
    float32 sum of thousands would show in the gradient.
    """
    replicates, length, width = x.shape
    runs = (length + ROWS - 1) // ROWS
    means = np.empty((replicates, runs, width), _f)
    squares = np.empty((replicates, runs, width), _f)
    shares = np.empty((replicates, runs), _f)
    for job in prange(replicates * runs):
        r, run = job // runs, job % runs
        begin, end = run * ROWS, min(run * ROWS + ROWS, length)
        centre, square = means[r, run], squares[r, run]
        centre[:] = 0.0
        square[:] = 0.0
        total = _f(0.0)
        for i in range(begin, end):
            share, row = weight[r, i, 0], x[r, i]
            total += share
            for d in range(width):
                centre[d] += share * row[d]
        shares[r, run] = total
        for d in range(width):
            centre[d] /= max(total, _ONE)
        for i in range(begin, end):
            share, row = weight[r, i, 0], x[r, i]
            for d in range(width):
                square[d] += share * (row[d] - centre[d]) * (row[d] - centre[d])
    for r in range(replicates):
        _join_runs(means[r], squares[r], shares[r], mean[r, 0], rstd[r, 0])
        count = shares[r].astype(np.float64).sum()
        share_of[r] = 1 / count if count > 1 else 0.0
        for d in range(width):
            if count > 1:
                var = rstd[r, 0, d]
                moved = mean[r, 0, d] + shift[r, 0, d]
                running_mean[r, 0, d] += momentum * (moved - running_mean[r, 0, d])
                unbiased = var * count / (count - 1)
                running_var[r, 0, d] += momentum * (unbiased - running_var[r, 0, d])
            else:
                mean[r, 0, d] = running_mean[r, 0, d] - shift[r, 0, d]
                var = running_var[r, 0, d]
            rstd[r, 0, d] = 1 / np.sqrt(var + eps)


@njit(**OPTIONS)
def _join_runs(means, squares, shares, mean, var):  # type: ignore[no-untyped-def]
    """Write mean and biased variance [d] from the runs' means and sums of squares, [runs, d]."""
    width = means.shape[1]
    centre, square = np.zeros(width), np.zeros(width)
    count = max(shares.astype(np.float64).sum(), 1.0)
    for run in range(len(shares)):
        for d in range(width):
            centre[d] += shares[run] * means[run, d]
    for d in range(width):
        centre[d] /= count
    for run in range(len(shares)):
        for d in range(width):
            offset = means[run, d] - centre[d]
            square[d] += squares[run, d] + shares[run] * offset * offset
    for d in range(width):
        mean[d] = centre[d]
        var[d] = square[d] / count


@njit(**OPTIONS)
def _add_runs(sums, out):  # type: ignore[no-untyped-def]
    """Sum [R, runs, d] over the runs in float64, for the reason given in ``_statistics``."""
    total = np.empty(sums.shape[2])
    for r in range(len(sums)):
        total[:] = 0.0
        for run in range(sums.shape[1]):
            for d in range(sums.shape[2]):
                total[d] += sums[r, run, d]
        for d in range(sums.shape[2]):
            out[r, 0, d] = total[d]


@Kernel
def _forward(x, mean, rstd, gamma, beta, act, gelu, out):  # type: ignore[no-untyped-def]
    """Write act((x - mean) * rstd * gamma + beta); without activation if ``act`` is False."""
    replicates, length, width = x.shape
    for i in prange(replicates * length):
        r = i // length
        row, target = x[r, i % length], out[r, i % length]
        m, s, g, b = mean[r, 0], rstd[r, 0], gamma[r, 0], beta[r, 0]
        if act:
            for d in range(width):
                target[d] = activated((row[d] - m[d]) * (s[d] * g[d]) + b[d], gelu)
        else:
            for d in range(width):
                target[d] = (row[d] - m[d]) * (s[d] * g[d]) + b[d]


@Kernel
def _backward(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    grad, x, weight, mean, rstd, gamma, beta, share_of, act, gelu,
    grad_x, grad_gamma, grad_beta, grad_shift,
):  # fmt: skip
    """Write the gradients of act((x - mean) * rstd * gamma + beta) for x, gamma, beta and shift.

    ``share_of`` [R] is 1 / (sum of the weights) where mean and rstd are the batch's own, and so
    depend on x. It is 0 where they are not.
    """
    replicates, length, width = x.shape
    runs = (length + ROWS - 1) // ROWS
    sums = np.empty((2, replicates, runs, width), _f)
    for job in prange(replicates * runs):
        r, begin = job // runs, job % runs * ROWS
        m, s, g, b = mean[r, 0], rstd[r, 0], gamma[r, 0], beta[r, 0]
        total, product = sums[0, r, job % runs], sums[1, r, job % runs]
        total[:] = 0.0
        product[:] = 0.0
        for i in range(begin, min(begin + ROWS, length)):
            row, out, target = x[r, i], grad[r, i], grad_x[r, i]
            if act:
                for d in range(width):
                    normal = (row[d] - m[d]) * s[d]
                    target[d] = out[d] * slope(normal * g[d] + b[d], gelu)
            else:
                target[:] = out
            for d in range(width):
                total[d] += target[d]
                product[d] += target[d] * (row[d] - m[d]) * s[d]
    _add_runs(sums[0], grad_beta)
    _add_runs(sums[1], grad_gamma)
    for r in range(replicates):
        for d in range(width):
            moved = gamma[r, 0, d] * rstd[r, 0, d] * grad_beta[r, 0, d]
            grad_shift[r, 0, d] = _f(0.0) if share_of[r] > 0 else moved
    for job in prange(replicates * length):
        r, i = job // length, job % length
        m, s, g = mean[r, 0], rstd[r, 0], gamma[r, 0]
        row, target = x[r, i], grad_x[r, i]
        total, product = grad_beta[r, 0], grad_gamma[r, 0]
        share = share_of[r] * weight[r, i, 0]
        for d in range(width):
            normal = (row[d] - m[d]) * s[d]
            target[d] = g[d] * s[d] * (target[d] - share * (total[d] + normal * product[d]))
