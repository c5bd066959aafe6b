"""The segment product on the GPU, in Triton: one program sums one group and writes its row.

A group of more than GPU_CHUNK triples would hold up the others, so its chunks are programs too.
They write partial sums, which a second kernel adds in order. Nothing is added atomically: the same
triples give the same bits. Rows of either factor are float32 or bfloat16, sums float32.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from pdf_search.kernels import structures
from pdf_search.kernels.structures import Chunks, GroupedTriples

ROWS = 8  # triples that a program takes at a time
CHANNELS = 32  # channels that it takes at a time
WARPS = 1
PARTIAL = 32  # partial sums that are added at a time


def grouped_product(a: Tensor, b: Tensor, triples: GroupedTriples) -> Tensor:
    """See ``reference``."""
    return _run(a, b, triples, b.shape[1], dot=False)


def grouped_dot(a: Tensor, b: Tensor, triples: GroupedTriples) -> Tensor:
    """See ``reference``."""
    return _run(a, b, triples, 1, dot=True)


def _run(a: Tensor, b: Tensor, triples: GroupedTriples, width: int, dot: bool) -> Tensor:
    a, b = a.contiguous(), b.contiguous()
    chunks, groups, channels = _chunks(triples), triples.groups, b.shape[1]
    count, blocks = len(chunks.group), triton.cdiv(width, CHANNELS)
    out, partial = (b.new_empty(n, width, dtype=torch.float32) for n in (groups, count))
    if groups + count:
        _kernel[(groups + count, blocks)](
            a, b, out, partial, triples.ptr, triples.first, triples.second,
            chunks.begin, chunks.end, groups, channels, structures.GPU_CHUNK,
            SHARED=a.shape[1] != channels, DOT=dot, ROWS=ROWS, WIDTH=CHANNELS, num_warps=WARPS,
        )  # fmt: skip
    if count:
        _join_kernel[(count, blocks)](
            partial, chunks.group, chunks.stop, out, width, ROWS=PARTIAL, WIDTH=CHANNELS
        )
    return out


def _chunks(triples: GroupedTriples) -> Chunks:
    if triples.chunks is not None:
        return triples.chunks
    if "gpu" not in triples.plan:  # the layers of a step share their triples
        triples.plan["gpu"] = Chunks.of(triples.ptr)
    chunks: Chunks = triples.plan["gpu"]
    return chunks


@triton.jit  # type: ignore[untyped-decorator]
def _kernel(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    a, b, out, partial, ptr, first, second, begin, end, groups, channels, chunk,
    SHARED: tl.constexpr, DOT: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """Sum a short group, or a chunk of a long one: the programs of the chunks come last."""
    program = tl.program_id(0).to(tl.int64)  # every offset counts in 64 bits
    d = tl.program_id(1).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    if program < groups:
        start, stop = tl.load(ptr + program), tl.load(ptr + program + 1)
        if stop - start <= chunk:
            if DOT:
                total = _dot(a, b, first, second, start, stop, channels, ROWS, WIDTH)
                tl.store(out + program, total)
            else:
                total = _sum(a, b, first, second, start, stop, d, channels, SHARED, ROWS, WIDTH)
                tl.store(out + program * channels + d, tl.sum(total, axis=0), mask=d < channels)
    else:
        row = program - groups
        start, stop = tl.load(begin + row), tl.load(end + row)
        if DOT:
            total = _dot(a, b, first, second, start, stop, channels, ROWS, WIDTH)
            tl.store(partial + row, total)
        else:
            total = _sum(a, b, first, second, start, stop, d, channels, SHARED, ROWS, WIDTH)
            tl.store(partial + row * channels + d, tl.sum(total, axis=0), mask=d < channels)


@triton.jit  # type: ignore[untyped-decorator]
def _sum(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    a, b, first, second, start, stop, d, channels,
    SHARED: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """The products of triples ``start`` to ``stop`` at channels ``d``, summed to [ROWS, WIDTH]."""
    total = tl.zeros([ROWS, WIDTH], tl.float32)
    for run in range(start, stop, ROWS):
        p = run + tl.arange(0, ROWS).to(tl.int64)
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
    return total


@triton.jit  # type: ignore[untyped-decorator]
def _dot(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    a, b, first, second, start, stop, channels, ROWS: tl.constexpr, WIDTH: tl.constexpr
):
    """The dot products of triples ``start`` to ``stop``, summed."""
    total = tl.zeros([ROWS, WIDTH], tl.float32)
    for block in range(0, channels, WIDTH):
        d = block + tl.arange(0, WIDTH).to(tl.int64)
        total += _sum(a, b, first, second, start, stop, d, channels, False, ROWS, WIDTH)
    return tl.sum(tl.sum(total, axis=1), axis=0)


@triton.jit  # type: ignore[untyped-decorator]
def _join_kernel(  # type: ignore[no-untyped-def]
    partial, group, stop, out, width, ROWS: tl.constexpr, WIDTH: tl.constexpr
):
    """Add the partial sums of a group, in order; the program of its first chunk does it."""
    chunk = tl.program_id(0).to(tl.int64)
    d = tl.program_id(1).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    last = tl.load(stop + chunk).to(tl.int64)
    if chunk < last:
        total = tl.zeros([WIDTH], tl.float32)
        for run in range(chunk, last, ROWS):
            row = run + tl.arange(0, ROWS)
            inside = (row < last)[:, None] & (d < width)[None, :]
            place = row[:, None] * width + d[None, :]
            total += tl.sum(tl.load(partial + place, mask=inside, other=0.0), axis=0)
        target = tl.load(group + chunk).to(tl.int64)
        tl.store(out + target * width + d, total, mask=d < width)
