"""Messages and their gradient on the GPU, in Triton: a program for each graph slot and channels.

The last message of a graph slot is minus the sum over its nodes: through it far pairs are summed.

Legend: R replicates, N nodes, B graph slots, M messages, T edge types, d channels.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from pdf_search.kernels import reference
from pdf_search.kernels.structures import Messages
from pdf_search.kernels.triton.activation import activated, slope

ROWS = 16  # messages that a program takes at a time
CHANNELS = 32  # channels that one program takes
LEAST_TYPES = 16  # rows of the smallest matrix product


def message_forward(y: Tensor, w: Tensor, where: Messages, act: str) -> Tensor:
    """See ``reference``, which is used where torch is set to deterministic algorithms."""
    if torch.are_deterministic_algorithms_enabled():
        return reference.message_forward(y, w, where, act)
    y, w = y.contiguous(), w.contiguous()
    slots, width = len(where.nodes), y.shape[2]
    out = y.new_empty(len(where.node), width)  # nothing refers to padding
    _forward[(slots, triton.cdiv(width, CHANNELS))](
        y, w, *_index(where), out, slots // len(w), w.shape[1], width,
        GELU=act == "gelu", ROWS=ROWS, WIDTH=CHANNELS,
    )  # fmt: skip
    return out


def message_backward(
    grad: Tensor, y: Tensor, w: Tensor, where: Messages, act: str
) -> tuple[Tensor, Tensor]:
    """See ``reference``, used where torch is set to deterministic: atomic sums have no order."""
    if torch.are_deterministic_algorithms_enabled():
        return reference.message_backward(grad, y, w, where, act)
    y, w, grad = y.contiguous(), w.contiguous(), grad.contiguous()
    slots, types, width = len(where.nodes), w.shape[1], y.shape[2]
    grad_y, grad_w = y.new_zeros(y.shape), w.new_empty(slots, types, width)
    _backward[(slots, triton.cdiv(width, CHANNELS))](
        grad, y, w, *_index(where), grad_y, grad_w, slots // len(w), types, width,
        GELU=act == "gelu", ROWS=ROWS, WIDTH=CHANNELS,
        TYPES=max(LEAST_TYPES, triton.next_power_of_2(types)),
    )  # fmt: skip
    return grad_y, grad_w.view(len(w), slots // len(w), types, width).sum(1)


def _index(where: Messages) -> tuple[Tensor, ...]:
    return where.node, where.kind, where.ptr, where.nodes


@triton.jit  # type: ignore[untyped-decorator]
def _forward(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    y, w, node, kind, ptr, nodes, out, slots, types, width,
    GELU: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    slot = tl.program_id(0)
    d = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    begin, last = tl.load(ptr + slot), tl.load(ptr + slot + 1) - 1
    plain = begin + tl.load(nodes + slot)
    total = tl.zeros([WIDTH], tl.float32)
    for first in range(begin, last, ROWS):
        m = first + tl.arange(0, ROWS)
        inside = (m < last)[:, None] & (d < width)[None, :]
        source = tl.load(node + m, mask=m < last, other=0)
        edge = slot // slots * types + tl.load(kind + m, mask=m < last, other=0)
        value = tl.load(y + source[:, None] * width + d[None, :], mask=inside, other=0.0)
        value += tl.load(w + edge[:, None] * width + d[None, :], mask=inside, other=0.0)
        value = activated(value, True, GELU)
        tl.store(out + m[:, None] * width + d[None, :], value, mask=inside)
        total += tl.sum(tl.where((m < plain)[:, None] & inside, value, 0.0), axis=0)
    if last >= begin:
        tl.store(out + last * width + d, -total, mask=d < width)


@triton.jit  # type: ignore[untyped-decorator]
def _backward(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    grad, y, w, node, kind, ptr, nodes, grad_y, grad_w, slots, types, width,
    GELU: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr, TYPES: tl.constexpr,
):  # fmt: skip
    slot = tl.program_id(0)
    d = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    here = d < width
    begin, last = tl.load(ptr + slot), tl.load(ptr + slot + 1) - 1
    plain = begin + tl.load(nodes + slot)
    total = tl.load(grad + tl.maximum(last, 0) * width + d, mask=here, other=0.0)
    t = tl.arange(0, TYPES)
    by_type = tl.zeros([TYPES, WIDTH], tl.float32)
    for first in range(begin, last, ROWS):
        m = first + tl.arange(0, ROWS)
        inside = (m < last)[:, None] & here[None, :]
        source = tl.load(node + m, mask=m < last, other=0)
        edge = tl.load(kind + m, mask=m < last, other=-1)
        row = slot // slots * types + tl.maximum(edge, 0)
        value = tl.load(y + source[:, None] * width + d[None, :], mask=inside, other=0.0)
        value += tl.load(w + row[:, None] * width + d[None, :], mask=inside, other=0.0)
        change = tl.load(grad + m[:, None] * width + d[None, :], mask=inside, other=0.0)
        change -= tl.where((m < plain)[:, None], total[None, :], 0.0)
        change = tl.where(inside, change * slope(value, True, GELU), 0.0)
        place = grad_y + source[:, None] * width + d[None, :]
        tl.atomic_add(place, change, mask=inside, sem="relaxed")
        own = (t[:, None] == edge[None, :]).to(tl.float32)  # exact: each entry is 0 or 1
        by_type = tl.dot(own, change, by_type, input_precision="ieee")
    place = (slot * types + t)[:, None] * width + d[None, :]
    tl.store(grad_w + place, by_type, mask=(t < types)[:, None] & here[None, :])
