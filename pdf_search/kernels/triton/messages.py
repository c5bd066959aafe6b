"""Messages and their gradient on the GPU, in Triton: a program for a piece of a graph and channels.

The last message of a graph slot is minus the sum over its nodes: through it far pairs are summed.

A piece is SPAN nodes or more. Few graphs have several, whose sums are then joined in order. Nothing
is added atomically: a node's gradient is summed by the program that has the node, for which the
messages of bonds are sorted by node.

Legend: R replicates, N nodes, B graph slots, M messages, T edge types, d channels.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from pdf_search.kernels.reference import messages as reference
from pdf_search.kernels.structures import Messages
from pdf_search.kernels.triton.activation import activated, slope

ROWS = 16  # messages or nodes that a program takes at a time
CHANNELS = 32  # channels that one program takes
WARPS = 8  # of the backward pass: with 4 some numbers of edge types spill under Triton 3.8
LEAST_TYPES = 16  # rows of the smallest matrix product
MOST_TYPES = 64  # a program holds a row for each; ogbg-ppa has thousands
SPAN = 64  # least nodes of a piece; more where a graph would have more than PIECES
PIECES = 16


def message_forward(
    y: Tensor, w: Tensor, where: Messages, act: str, dtype: torch.dtype = torch.float32
) -> Tensor:
    """See ``reference``."""
    y, w = y.contiguous(), w.contiguous()
    slots, width = len(where.nodes), y.shape[2]
    span, pieces = _pieces(where, y)
    blocks = triton.cdiv(width, CHANNELS)
    out = y.new_empty(len(where.node), width, dtype=dtype)  # nothing refers to padding
    partial = y.new_empty(slots * pieces if pieces > 1 else 0, width)
    if slots:
        _forward[(slots * pieces, blocks)](
            y, w, *_index(where), out, partial, slots // len(w), w.shape[1], width, span, pieces,
            GELU=act == "gelu", MANY=pieces > 1, ROWS=ROWS, WIDTH=CHANNELS,
        )  # fmt: skip
    if pieces > 1:
        _far_sum[(slots, blocks)](
            partial, where.ptr, where.nodes, out, width, span, pieces, WIDTH=CHANNELS
        )
    return out


def message_backward(
    grad: Tensor, y: Tensor, w: Tensor, where: Messages, act: str
) -> tuple[Tensor, Tensor]:
    """See ``reference``, which computes it where there are more than ``MOST_TYPES`` edge types."""
    if w.shape[1] > MOST_TYPES:
        return reference.message_backward(grad, y, w, where, act)
    y, w, grad = y.contiguous(), w.contiguous(), grad.contiguous()
    slots, types, width = len(where.nodes), w.shape[1], y.shape[2]
    span, pieces = _pieces(where, y)
    grad_y, grad_w = y.new_zeros(y.shape), w.new_empty(w.shape)  # places without a node get 0
    partial = w.new_empty(slots * pieces, types, width)
    blocks, each = triton.cdiv(width, CHANNELS), slots // max(len(w), 1)
    rows = max(LEAST_TYPES, triton.next_power_of_2(types))
    if slots:
        _backward[(slots * pieces, blocks)](
            grad, y, w, *_index(where), grad_y, partial, each, types, width, span, pieces,
            GELU=act == "gelu", ROWS=ROWS, WIDTH=CHANNELS, TYPES=rows, num_warps=WARPS,
        )  # fmt: skip
    _type_sums[(len(w) * types, blocks)](
        partial, where.nodes, grad_w, each, types, width, span, pieces, ROWS=ROWS, WIDTH=CHANNELS
    )
    return grad_y, grad_w


def _pieces(where: Messages, y: Tensor) -> tuple[int, int]:
    """The nodes of a piece, and the most pieces of a graph."""
    most = max(1, y.shape[1] if where.most is None else min(where.most, y.shape[1]))
    span = max(SPAN, triton.cdiv(most, PIECES))
    return span, triton.cdiv(most, span)


def _index(where: Messages) -> tuple[Tensor, ...]:
    return where.node, where.kind, where.ptr, where.nodes


@triton.jit
def _piece(ptr, nodes, span, pieces):  # type: ignore[no-untyped-def]
    """This program's slot and piece, the piece's nodes, and the slot's messages and nodes."""
    program = tl.program_id(0).to(tl.int64)  # every offset counts in 64 bits
    slot, piece = program // pieces, program % pieces
    begin, last = tl.load(ptr + slot), tl.load(ptr + slot + 1) - 1
    count = tl.load(nodes + slot)
    return slot, piece, piece * span, tl.minimum(count, (piece + 1) * span), begin, last, count


@triton.jit  # type: ignore[untyped-decorator]
def _forward(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    y, w, node, kind, ptr, nodes, out, partial, slots, types, width, span, pieces,
    GELU: tl.constexpr, MANY: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """Write the messages of a piece's nodes, its share of the others, and the sum of the former."""
    slot, piece, low, high, begin, last, count = _piece(ptr, nodes, span, pieces)
    if low < high:
        d = tl.program_id(1).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
        edges = w + slot // slots * types * width
        total = tl.zeros([WIDTH], tl.float32)
        for first in range(begin + low, begin + high, ROWS):
            value = _messages(y, edges, node, kind, out, first, begin + high, d, width, GELU, ROWS)
            total += tl.sum(value, axis=0)
        if MANY:
            tl.store(partial + (slot * pieces + piece) * width + d, total, mask=d < width)
        else:
            tl.store(out + last * width + d, -total, mask=d < width)
        parts = (count + span - 1) // span
        share = (last - begin - count + parts - 1) // parts
        first_other = begin + count + piece * share
        end = tl.minimum(last, first_other + share)
        for first in range(first_other, end, ROWS):
            _messages(y, edges, node, kind, out, first, end, d, width, GELU, ROWS)


@triton.jit  # type: ignore[untyped-decorator]
def _messages(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    y, edges, node, kind, out, first, end, d, width, GELU: tl.constexpr, ROWS: tl.constexpr
):
    """Write the messages from ``first`` on, before ``end``; returns them, 0 beyond."""
    m = first + tl.arange(0, ROWS).to(tl.int64)
    inside = (m < end)[:, None] & (d < width)[None, :]
    source = tl.load(node + m, mask=m < end, other=0).to(tl.int64)
    edge = tl.load(kind + m, mask=m < end, other=0).to(tl.int64)
    value = tl.load(y + source[:, None] * width + d[None, :], mask=inside, other=0.0)
    value += tl.load(edges + edge[:, None] * width + d[None, :], mask=inside, other=0.0)
    value = tl.where(inside, activated(value, True, GELU), 0.0)
    tl.store(out + m[:, None] * width + d[None, :], value, mask=inside)
    return value


@triton.jit  # type: ignore[untyped-decorator]
def _far_sum(  # type: ignore[no-untyped-def]
    partial, ptr, nodes, out, width, span, pieces, WIDTH: tl.constexpr
):
    """Write minus the sum of a slot's pieces, in order, as its last message."""
    slot = tl.program_id(0).to(tl.int64)
    d = tl.program_id(1).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    parts = (tl.load(nodes + slot) + span - 1) // span
    if parts > 0:
        total = tl.zeros([WIDTH], tl.float32)
        for piece in range(0, parts):
            row = slot * pieces + piece
            total += tl.load(partial + row * width + d, mask=d < width, other=0.0)
        last = tl.load(ptr + slot + 1).to(tl.int64) - 1
        tl.store(out + last * width + d, -total, mask=d < width)


@triton.jit  # type: ignore[untyped-decorator]
def _backward(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    grad, y, w, node, kind, ptr, nodes, grad_y, partial, slots, types, width, span, pieces,
    GELU: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr, TYPES: tl.constexpr,
):  # fmt: skip
    """Write the gradients of a piece's nodes, and add up those of its edge types."""
    slot, piece, low, high, begin, last, count = _piece(ptr, nodes, span, pieces)
    if low < high:
        d = tl.program_id(1).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
        here = d < width
        edges = w + slot // slots * types * width
        total = tl.load(grad + last * width + d, mask=here, other=0.0)
        plain = tl.load(edges + d, mask=here, other=0.0)
        t = tl.arange(0, TYPES)
        by_type = tl.zeros([TYPES, WIDTH], tl.float32)
        of_plain = tl.zeros([WIDTH], tl.float32)
        for first in range(begin + low, begin + high, ROWS):
            m = first + tl.arange(0, ROWS).to(tl.int64)
            present = m < begin + high
            inside = present[:, None] & here[None, :]
            own = tl.load(node + m, mask=present, other=-1).to(tl.int64)
            place = own[:, None] * width + d[None, :]
            x = tl.load(y + place, mask=inside, other=0.0)
            change = tl.load(grad + m[:, None] * width + d[None, :], mask=inside, other=0.0)
            change = (change - total[None, :]) * slope(x + plain[None, :], True, GELU)
            change = tl.where(inside, change, 0.0)
            of_plain += tl.sum(change, axis=0)
            p = _first_of(node, own, begin + count, last, ROWS)
            more = present & (tl.load(node + p, mask=p < last, other=-1) == own)
            while tl.max(more.to(tl.int32), axis=0) > 0:  # a bond type of each node at a time
                both = more[:, None] & here[None, :]
                edge = tl.load(kind + p, mask=more, other=0)
                row = edge.to(tl.int64)[:, None] * width + d[None, :]
                value = x + tl.load(edges + row, mask=both, other=0.0)
                of_bond = tl.load(grad + p[:, None] * width + d[None, :], mask=both, other=0.0)
                of_bond = tl.where(both, of_bond * slope(value, True, GELU), 0.0)
                change += of_bond
                one = ((t[:, None] == edge[None, :]) & more[None, :]).to(tl.float32)
                by_type = tl.dot(one, of_bond, by_type, input_precision="ieee")
                p += 1
                more = more & (tl.load(node + p, mask=p < last, other=-1) == own)
            tl.store(grad_y + place, change, mask=inside)
        by_type += tl.where(t[:, None] == 0, of_plain[None, :], 0.0)
        place = ((slot * pieces + piece) * types + t)[:, None] * width + d[None, :]
        tl.store(partial + place, by_type, mask=(t < types)[:, None] & here[None, :])


@triton.jit  # type: ignore[untyped-decorator]
def _first_of(node, own, low, high, ROWS: tl.constexpr):  # type: ignore[no-untyped-def]
    """The first place from ``low`` on, before ``high``, whose node is not below ``own`` [ROWS]."""
    left = low + tl.zeros([ROWS], tl.int64)
    right = high + tl.zeros([ROWS], tl.int64)
    span = high - low
    while span > 0:
        middle = (left + right) // 2
        below = (tl.load(node + middle, mask=left < right, other=0) < own) & (left < right)
        left = tl.where(below, middle + 1, left)
        right = tl.where(below, right, middle)
        span = span // 2
    return left


@triton.jit  # type: ignore[untyped-decorator]
def _type_sums(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    partial, nodes, grad_w, slots, types, width, span, pieces,
    ROWS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """Add the gradients of an edge type over the pieces of a replicate's graphs, in order."""
    program = tl.program_id(0).to(tl.int64)
    replicate, edge = program // types, program % types
    d = tl.program_id(1).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    total = tl.zeros([WIDTH], tl.float32)
    for first in range(0, slots * pieces, ROWS):
        part = first + tl.arange(0, ROWS).to(tl.int64)
        slot = replicate * slots + part // pieces
        there = part < slots * pieces
        there = there & (part % pieces * span < tl.load(nodes + slot, mask=there, other=0))
        row = ((replicate * slots * pieces + part) * types + edge)[:, None] * width
        inside = there[:, None] & (d < width)[None, :]
        total += tl.sum(tl.load(partial + row + d[None, :], mask=inside, other=0.0), axis=0)
    tl.store(grad_w + program * width + d, total, mask=d < width)
