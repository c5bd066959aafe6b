"""The segment product on the GPU, in Triton: one program sums one chunk of a group.

Long groups are split into chunks, so that one long group does not hold up the others. The chunks
of a group are added with atomic additions. If ``torch.use_deterministic_algorithms`` is on, they
go to a buffer of partial sums, which is then added in order. Rows are float32 or bfloat16, sums
float32.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from pdf_search.kernels.structures import Chunks, GroupedTriples

ROWS = 8  # triples that a program takes at a time
CHANNELS = 32  # channels that one program takes
WARPS = 1


def grouped_product(a: Tensor, b: Tensor, triples: GroupedTriples) -> Tensor:
    """See ``reference``."""
    return _run(a, b, triples, b.shape[1], dot=False)


def grouped_dot(a: Tensor, b: Tensor, triples: GroupedTriples) -> Tensor:
    """See ``reference``."""
    return _run(a, b, triples, 1, dot=True)


def _run(a: Tensor, b: Tensor, triples: GroupedTriples, width: int, dot: bool) -> Tensor:
    a, b = a.contiguous(), b.contiguous()
    chunks = triples.chunks or Chunks.of(triples.ptr)
    count = len(chunks.group)
    ordered = torch.are_deterministic_algorithms_enabled()
    rows = count if ordered else triples.groups
    out = torch.zeros(rows, width, device=b.device)
    target = torch.arange(count, device=b.device, dtype=torch.int32) if ordered else chunks.group
    if count:
        channels = b.shape[1]
        blocks = 1 if dot else triton.cdiv(channels, CHANNELS)
        _kernel[(count, blocks)](
            a,
            b,
            out,
            triples.first,
            triples.second,
            target,
            chunks.begin,
            chunks.end,
            channels,
            SHARED=a.shape[1] != channels,
            DOT=dot,
            ROWS=ROWS,
            WIDTH=triton.next_power_of_2(channels) if dot else CHANNELS,
            num_warps=WARPS,
        )
    if ordered:
        out = _join(out, chunks.ptr, triples.groups)
    return out.to(b.dtype)


def _join(partial: Tensor, ptr: Tensor, groups: int) -> Tensor:
    """Add the partial sums of each group, in order."""
    width = partial.shape[1]
    out = torch.empty(groups, width, device=partial.device)
    grid = (groups, triton.cdiv(width, CHANNELS))
    _join_kernel[grid](partial, ptr, out, width, WIDTH=CHANNELS, num_warps=WARPS)
    return out


@triton.jit  # type: ignore[untyped-decorator]
def _kernel(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    a,
    b,
    out,
    first,
    second,
    target,
    begin,
    end,
    channels,
    SHARED: tl.constexpr,
    DOT: tl.constexpr,
    ROWS: tl.constexpr,
    WIDTH: tl.constexpr,
):
    chunk = tl.program_id(0)
    d = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    start, stop = tl.load(begin + chunk), tl.load(end + chunk)
    total = tl.zeros([ROWS, WIDTH], tl.float32)
    for run in range(start, stop, ROWS):
        p = run + tl.arange(0, ROWS)
        present = p < stop
        row_a = tl.load(first + p, mask=present, other=0).to(tl.int64)
        row_b = tl.load(second + p, mask=present, other=0).to(tl.int64)
        inside = present[:, None] & (d < channels)[None, :]
        y = tl.load(b + row_b[:, None] * channels + d[None, :], mask=inside, other=0.0)
        if SHARED:
            x = tl.load(a + row_a, mask=present, other=0.0)[:, None]
        else:
            x = tl.load(a + row_a[:, None] * channels + d[None, :], mask=inside, other=0.0)
        total += x.to(tl.float32) * y.to(tl.float32)
    if start < stop:
        row = tl.load(target + chunk).to(tl.int64)
        if DOT:
            tl.atomic_add(out + row, tl.sum(tl.sum(total, axis=1), axis=0), sem="relaxed")
        else:
            place = out + row * channels + d
            tl.atomic_add(place, tl.sum(total, axis=0), mask=d < channels, sem="relaxed")


@triton.jit  # type: ignore[untyped-decorator]
def _join_kernel(partial, ptr, out, width, WIDTH: tl.constexpr):  # type: ignore[no-untyped-def]
    group = tl.program_id(0)
    d = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    total = tl.zeros([WIDTH], tl.float32)
    for row in range(tl.load(ptr + group), tl.load(ptr + group + 1)):
        total += tl.load(partial + row * width + d, mask=d < width, other=0.0)
    tl.store(out + group * width + d, total, mask=d < width)
