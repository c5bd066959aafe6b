"""BatchNorm with its activation on the GPU, in Triton.

The statistics are computed in one pass over memory. Each run of entries gets its own mean and sum
of squares about it, and the runs are joined (Chan, Golub & LeVeque 1979).

Parameters are views of the optimizer's flat tensor, so the kernels take the stride between their
replicates.

Legend: R replicates, L entries, d channels.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from pdf_search.kernels.structures import Norm, Statistics
from pdf_search.kernels.triton.activation import activated, slope

ROWS = 32  # entries of a run
CHANNELS = 32  # channels that one program takes


def norm_statistics(x: Tensor, weight: Tensor, shift: Tensor, norm: Norm) -> Statistics:
    """See ``reference``."""
    replicates, length, width = x.shape
    runs = triton.cdiv(length, ROWS)
    means, squares = x.new_empty(2, replicates, runs, width).unbind()
    counts = x.new_empty(replicates, runs)
    mean, rstd = x.new_empty(2, replicates, 1, width).unbind()
    share = x.new_empty(replicates)
    blocks = triton.cdiv(width, CHANNELS)
    sizes = {"ROWS": ROWS, "WIDTH": CHANNELS}
    _runs[(replicates * runs, blocks)](
        x, weight, means, squares, counts, length, runs, width, **sizes
    )
    _statistics[(replicates, blocks)](
        means, squares, counts, shift, norm.running_mean, norm.running_var, mean, rstd, share,
        runs, width, shift.stride(0), norm.momentum, norm.eps, **sizes,
    )  # fmt: skip
    return Statistics(mean, rstd, share)


def norm_forward(
    x: Tensor, statistics: Statistics, affine: tuple[Tensor, Tensor], act: str | None
) -> Tensor:
    """See ``reference``."""
    (mean, rstd, _), (gamma, beta) = statistics, affine
    out = torch.empty_like(x)
    replicates, length, width = x.shape
    runs = triton.cdiv(length, ROWS)
    _forward[(replicates * runs, triton.cdiv(width, CHANNELS))](
        x, mean, rstd, gamma, beta, out, length, runs, width, gamma.stride(0), beta.stride(0),
        ACT=act is not None, GELU=act == "gelu", ROWS=ROWS, WIDTH=CHANNELS,
    )  # fmt: skip
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
    gamma, beta = affine
    replicates, length, width = x.shape
    runs, blocks = triton.cdiv(length, ROWS), triton.cdiv(width, CHANNELS)
    grad_x = torch.empty_like(x)
    grad_gamma, grad_beta, grad_shift = x.new_empty(3, replicates, 1, width).unbind()
    sums = x.new_empty(2, replicates, runs, width)
    sizes = {"ROWS": ROWS, "WIDTH": CHANNELS}
    _slopes[(replicates * runs, blocks)](
        grad.contiguous(), x, mean, rstd, gamma, beta, grad_x, sums[0], sums[1],
        length, runs, width, gamma.stride(0), beta.stride(0),
        ACT=act is not None, GELU=act == "gelu", **sizes,
    )  # fmt: skip
    _sums[(replicates, blocks)](
        sums[0], sums[1], rstd, gamma, share, grad_beta, grad_gamma, grad_shift, runs, width,
        gamma.stride(0), **sizes,
    )  # fmt: skip
    _shared[(replicates * runs, blocks)](
        x, weight, mean, rstd, gamma, share, grad_gamma, grad_beta, grad_x, length, runs, width,
        gamma.stride(0), **sizes,
    )  # fmt: skip
    return grad_x, grad_gamma, grad_beta, grad_shift


@triton.jit  # type: ignore[untyped-decorator]
def _place(length, runs, width, ROWS: tl.constexpr, WIDTH: tl.constexpr):  # type: ignore[no-untyped-def]
    """This program's replicate, run, entries, flat entries, channels, places in [R, L, d], mask."""
    program = tl.program_id(0).to(tl.int64)  # every offset counts in 64 bits
    replicate, run = program // runs, program % runs
    i = run * ROWS + tl.arange(0, ROWS)
    d = tl.program_id(1).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    entry = replicate * length + i
    place = entry[:, None] * width + d[None, :]
    return replicate, run, i, entry, d, place, (i < length)[:, None] & (d < width)[None, :]


@triton.jit  # type: ignore[untyped-decorator]
def _runs(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    x, weight, means, squares, counts, length, runs, width, ROWS: tl.constexpr, WIDTH: tl.constexpr
):
    replicate, run, i, entry, d, place, inside = _place(length, runs, width, ROWS, WIDTH)
    value = tl.load(x + place, mask=inside, other=0.0)
    share = tl.load(weight + entry, mask=i < length, other=0.0)
    count = tl.sum(share, axis=0)
    mean = tl.sum(value * share[:, None], axis=0) / tl.maximum(count, 1.0)
    offset = value - mean[None, :]
    square = tl.sum(offset * offset * share[:, None], axis=0)
    row = replicate * runs + run
    tl.store(means + row * width + d, mean, mask=d < width)
    tl.store(squares + row * width + d, square, mask=d < width)
    tl.store(counts + row, count)


@triton.jit  # type: ignore[untyped-decorator]
def _statistics(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    means, squares, counts, shift, running_mean, running_var, mean, rstd, share,
    runs, width, shift_step, momentum, eps, ROWS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    replicate = tl.program_id(0).to(tl.int64)
    d = tl.program_id(1).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    count = tl.zeros([1], tl.float32)
    total = tl.zeros([WIDTH], tl.float32)
    for first in range(0, runs, ROWS):
        run = first + tl.arange(0, ROWS).to(tl.int64)
        inside = (run < runs)[:, None] & (d < width)[None, :]
        row = replicate * runs + run
        weight = tl.load(counts + row, mask=run < runs, other=0.0)
        value = tl.load(means + row[:, None] * width + d[None, :], mask=inside, other=0.0)
        count += tl.sum(weight, axis=0)
        total += tl.sum(value * weight[:, None], axis=0)
    centre = total / tl.maximum(count, 1.0)
    square = tl.zeros([WIDTH], tl.float32)
    for first in range(0, runs, ROWS):
        run = first + tl.arange(0, ROWS).to(tl.int64)
        inside = (run < runs)[:, None] & (d < width)[None, :]
        row = replicate * runs + run
        weight = tl.load(counts + row, mask=run < runs, other=0.0)
        value = tl.load(means + row[:, None] * width + d[None, :], mask=inside, other=0.0)
        own = tl.load(squares + row[:, None] * width + d[None, :], mask=inside, other=0.0)
        offset = value - centre[None, :]
        square += tl.sum(own + offset * offset * weight[:, None], axis=0)
    batch = count > 1.0
    var = square / tl.maximum(count, 1.0)
    place, here = replicate * width + d, d < width
    old_mean = tl.load(running_mean + place, mask=here, other=0.0)
    old_var = tl.load(running_var + place, mask=here, other=1.0)
    moved = tl.load(shift + replicate * shift_step + d, mask=here, other=0.0)
    unbiased = var * count / tl.maximum(count - 1.0, 1.0)
    rate = tl.where(batch, momentum, 0.0)
    tl.store(running_mean + place, old_mean + rate * (centre + moved - old_mean),
             mask=here & batch)  # fmt: skip
    tl.store(running_var + place, old_var + rate * (unbiased - old_var), mask=here & batch)
    tl.store(mean + place, tl.where(batch, centre, old_mean - moved), mask=here)
    deviation = tl.sqrt(tl.where(batch, var, old_var) + eps)
    tl.store(rstd + place, 1.0 / deviation, mask=here)
    one = replicate + tl.arange(0, 1)
    tl.store(share + one, tl.where(batch, 1.0 / tl.maximum(count, 1.0), 0.0))


@triton.jit  # type: ignore[untyped-decorator]
def _forward(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    x, mean, rstd, gamma, beta, out, length, runs, width, gamma_step, beta_step,
    ACT: tl.constexpr, GELU: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    replicate, _, _, _, d, place, inside = _place(length, runs, width, ROWS, WIDTH)
    channel, here = replicate * width + d, d < width
    m = tl.load(mean + channel, mask=here, other=0.0)[None, :]
    s = tl.load(rstd + channel, mask=here, other=0.0)[None, :]
    s *= tl.load(gamma + replicate * gamma_step + d, mask=here, other=0.0)[None, :]
    b = tl.load(beta + replicate * beta_step + d, mask=here, other=0.0)[None, :]
    value = (tl.load(x + place, mask=inside, other=0.0) - m) * s + b
    tl.store(out + place, activated(value, ACT, GELU), mask=inside)


@triton.jit  # type: ignore[untyped-decorator]
def _slopes(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    grad, x, mean, rstd, gamma, beta, grad_x, totals, products,
    length, runs, width, gamma_step, beta_step,
    ACT: tl.constexpr, GELU: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """Write the gradients before the activation, and their sums over each run."""
    replicate, run, _, _, d, place, inside = _place(length, runs, width, ROWS, WIDTH)
    channel, here = replicate * width + d, d < width
    m = tl.load(mean + channel, mask=here, other=0.0)[None, :]
    s = tl.load(rstd + channel, mask=here, other=0.0)[None, :]
    g = tl.load(gamma + replicate * gamma_step + d, mask=here, other=0.0)[None, :]
    b = tl.load(beta + replicate * beta_step + d, mask=here, other=0.0)[None, :]
    normal = (tl.load(x + place, mask=inside, other=0.0) - m) * s
    change = tl.load(grad + place, mask=inside, other=0.0) * slope(normal * g + b, ACT, GELU)
    tl.store(grad_x + place, change, mask=inside)
    row = (replicate * runs + run) * width + d
    tl.store(totals + row, tl.sum(change, axis=0), mask=here)
    tl.store(products + row, tl.sum(change * normal, axis=0), mask=here)


@triton.jit  # type: ignore[untyped-decorator]
def _sums(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    totals, products, rstd, gamma, share, grad_beta, grad_gamma, grad_shift, runs, width,
    gamma_step, ROWS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """Add the sums of the runs; the batch's own mean takes the shift off again."""
    replicate = tl.program_id(0).to(tl.int64)
    d = tl.program_id(1).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    total, product = tl.zeros([WIDTH], tl.float32), tl.zeros([WIDTH], tl.float32)
    for first in range(0, runs, ROWS):
        run = first + tl.arange(0, ROWS).to(tl.int64)
        inside = (run < runs)[:, None] & (d < width)[None, :]
        place = (replicate * runs + run)[:, None] * width + d[None, :]
        total += tl.sum(tl.load(totals + place, mask=inside, other=0.0), axis=0)
        product += tl.sum(tl.load(products + place, mask=inside, other=0.0), axis=0)
    tl.store(grad_beta + replicate * width + d, total, mask=d < width)
    tl.store(grad_gamma + replicate * width + d, product, mask=d < width)
    scale = tl.load(rstd + replicate * width + d, mask=d < width, other=0.0)
    scale *= tl.load(gamma + replicate * gamma_step + d, mask=d < width, other=0.0)
    moved = tl.where(tl.load(share + replicate) > 0.0, 0.0, scale * total)
    tl.store(grad_shift + replicate * width + d, moved, mask=d < width)


@triton.jit  # type: ignore[untyped-decorator]
def _shared(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    x, weight, mean, rstd, gamma, share, grad_gamma, grad_beta, grad_x, length, runs, width,
    gamma_step, ROWS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """Write the gradient for x, with its part through the batch's own mean and deviation."""
    replicate, _, i, entry, d, place, inside = _place(length, runs, width, ROWS, WIDTH)
    channel, here = replicate * width + d, d < width
    m = tl.load(mean + channel, mask=here, other=0.0)[None, :]
    s = tl.load(rstd + channel, mask=here, other=0.0)[None, :]
    g = tl.load(gamma + replicate * gamma_step + d, mask=here, other=0.0)[None, :]
    total = tl.load(grad_beta + channel, mask=here, other=0.0)[None, :]
    product = tl.load(grad_gamma + channel, mask=here, other=0.0)[None, :]
    part = tl.load(share + replicate) * tl.load(weight + entry, mask=i < length, other=0.0)
    normal = (tl.load(x + place, mask=inside, other=0.0) - m) * s
    change = tl.load(grad_x + place, mask=inside, other=0.0)
    change = g * s * (change - part[:, None] * (total + normal * product))
    tl.store(grad_x + place, change, mask=inside)
