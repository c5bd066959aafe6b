"""The segment product on the GPU, in Triton: one program sums one chunk of a group.

Long groups are split into chunks, so that one hot row does not serialise the work. Chunks of one
group meet by atomic addition, or, if ``torch.use_deterministic_algorithms`` is on, in a buffer of
partial sums that is added up in order. Storage float32 or bfloat16, sums in float32.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import triton
import triton.language as tl
from torch import Tensor

from pdf_search.kernels.triples import Order

CHUNK = 32  # triples that one program sums
CHANNELS = 32  # channels that one program takes


def segment_product(a: Tensor, b: Tensor, order: Order) -> Tensor:
    """See ``reference.segment_product``."""
    return _run(a, b, order, b.shape[1], dot=False)


def segment_dot(a: Tensor, b: Tensor, order: Order) -> Tensor:
    """See ``reference.segment_dot``."""
    return _run(a, b, order, 1, dot=True)


@dataclass(frozen=True)
class Chunks:
    """The work of a launch: runs of at most CHUNK triples of one group, all int32 [chunks]."""

    group: Tensor
    begin: Tensor
    end: Tensor

    @classmethod
    def of(cls, ptr: Tensor) -> Chunks:
        lengths = (ptr[1:] - ptr[:-1]).long()
        pieces = (lengths + CHUNK - 1) // CHUNK
        group = torch.repeat_interleave(pieces)
        first = pieces.cumsum(0) - pieces
        place = torch.arange(len(group), device=ptr.device) - first[group]
        begin = ptr[group] + place * CHUNK
        return cls(group.int(), begin.int(), torch.minimum(begin + CHUNK, ptr[group + 1]).int())


def _run(a: Tensor, b: Tensor, order: Order, width: int, dot: bool) -> Tensor:
    a, b = a.contiguous(), b.contiguous()
    chunks = Chunks.of(order.ptr)
    count = len(chunks.group)
    ordered = torch.are_deterministic_algorithms_enabled()
    rows = count if ordered else order.groups
    out = torch.zeros(rows, width, device=b.device)
    target = torch.arange(count, device=b.device, dtype=torch.int32) if ordered else chunks.group
    if count:
        channels = b.shape[1]
        blocks = 1 if dot else triton.cdiv(channels, CHANNELS)
        _kernel[(count, blocks)](
            a,
            b,
            out,
            order.first,
            order.second,
            target,
            chunks.begin,
            chunks.end,
            channels,
            SHARED=a.shape[1] != channels,
            DOT=dot,
            CHUNK=CHUNK,
            WIDTH=triton.next_power_of_2(channels) if dot else CHANNELS,
        )
    if ordered:
        out = _join(out, chunks.group, order.groups)
    return out.to(b.dtype)


def _join(partial: Tensor, group: Tensor, groups: int) -> Tensor:
    """Partial sums of each group added in order (``segment_reduce`` is sequential in a segment)."""
    lengths = torch.bincount(group.long(), minlength=groups)
    return torch.segment_reduce(partial, "sum", lengths=lengths, axis=0, initial=0)


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
    CHUNK: tl.constexpr,
    WIDTH: tl.constexpr,
):
    chunk = tl.program_id(0)
    d = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    p = tl.load(begin + chunk) + tl.arange(0, CHUNK)
    present = p < tl.load(end + chunk)
    row_a = tl.load(first + p, mask=present, other=0).to(tl.int64)
    row_b = tl.load(second + p, mask=present, other=0).to(tl.int64)
    inside = present[:, None] & (d < channels)[None, :]
    y = tl.load(b + row_b[:, None] * channels + d[None, :], mask=inside, other=0.0)
    if SHARED:
        x = tl.load(a + row_a, mask=present, other=0.0)[:, None]
    else:
        x = tl.load(a + row_a[:, None] * channels + d[None, :], mask=inside, other=0.0)
    product = x.to(tl.float32) * y.to(tl.float32)
    row = tl.load(target + chunk).to(tl.int64)
    if DOT:
        tl.atomic_add(out + row, tl.sum(tl.sum(product, axis=1), axis=0))
    else:
        total = tl.sum(product, axis=0)
        tl.atomic_add(out + row * channels + d, total, mask=d < channels, sem="relaxed")
