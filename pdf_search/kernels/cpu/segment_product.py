"""The segment product on the CPU: parallel and deterministic.

A group of triples is summed in the same order whatever the number of threads. A long group is
split into chunks, whose sums are added in order.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from numba import njit, prange
from torch import Tensor

from pdf_search.kernels.cpu.runtime import OPTIONS, Ints, Kernel, as_array
from pdf_search.kernels.structures import CHUNK, GroupedTriples


def grouped_product(a: Tensor, b: Tensor, triples: GroupedTriples) -> Tensor:
    """See ``reference``; float32."""
    return _run(_product if a.shape[1] == b.shape[1] else _scaled, a, b, triples, b.shape[1])


def grouped_dot(a: Tensor, b: Tensor, triples: GroupedTriples) -> Tensor:
    """See ``reference``; float32."""
    return _run(_dot, a, b, triples, 1)


def _run(
    kernel: Callable[..., None], a: Tensor, b: Tensor, triples: GroupedTriples, width: int
) -> Tensor:
    out = torch.empty(triples.groups, width)
    if "cpu" not in triples.plan:
        triples.plan["cpu"] = _plan(triples.ptr.numpy(), CHUNK)
    chunks, joins = triples.plan["cpu"]
    partial = np.empty((joins[-1, 2] if len(joins) else 0, width), np.float32)
    first, second = triples.first.numpy(), triples.second.numpy()
    kernel(as_array(a), as_array(b), first, second, chunks, out.numpy(), partial)
    _join(joins, partial, out.numpy())
    return out


@njit(**OPTIONS)  # type: ignore[untyped-decorator]
def _plan(ptr: Ints, size: int) -> tuple[Ints, Ints]:
    """Split the groups into chunks of at most ``size`` triples.

    Gives the chunks (group, begin, end, row of ``partial`` or -1) and, for each group of several
    chunks, the join (group, first row, end of its rows in ``partial``).
    """
    groups = len(ptr) - 1
    total, long_groups = 0, 0
    for g in range(groups):
        pieces = max(1, (ptr[g + 1] - ptr[g] + size - 1) // size)
        total += pieces
        long_groups += pieces > 1
    chunks = np.empty((total, 4), np.int32)
    joins = np.empty((long_groups, 3), np.int32)
    c, j, row = 0, 0, 0
    for g in range(groups):
        pieces = max(1, (ptr[g + 1] - ptr[g] + size - 1) // size)
        if pieces > 1:
            joins[j] = (g, row, row + pieces)
            j += 1
        for i in range(pieces):
            begin = ptr[g] + i * size
            chunks[c] = (g, begin, min(begin + size, ptr[g + 1]), row if pieces > 1 else -1)
            row += pieces > 1
            c += 1
    return chunks, joins


@Kernel
def _product(a, b, first, second, chunks, out, partial):  # type: ignore[no-untyped-def]
    for c in prange(len(chunks)):
        group, begin, end, row = chunks[c]
        target = out[group] if row < 0 else partial[row]
        target[:] = 0.0
        fours = begin + (end - begin) // 4 * 4
        for p in range(begin, fours, 4):  # four at a time: the target is loaded and stored once
            x0, x1, x2, x3 = a[first[p]], a[first[p + 1]], a[first[p + 2]], a[first[p + 3]]
            y0, y1, y2, y3 = b[second[p]], b[second[p + 1]], b[second[p + 2]], b[second[p + 3]]
            for d in range(target.shape[0]):
                target[d] += (x0[d] * y0[d] + x1[d] * y1[d]) + (x2[d] * y2[d] + x3[d] * y3[d])
        for p in range(fours, end):
            x, y = a[first[p]], b[second[p]]
            for d in range(target.shape[0]):
                target[d] += x[d] * y[d]


@Kernel
def _scaled(a, b, first, second, chunks, out, partial):  # type: ignore[no-untyped-def]
    for c in prange(len(chunks)):
        group, begin, end, row = chunks[c]
        target = out[group] if row < 0 else partial[row]
        target[:] = 0.0
        for p in range(begin, end):
            factor, y = a[first[p], 0], b[second[p]]
            for d in range(target.shape[0]):
                target[d] += factor * y[d]


@Kernel
def _dot(a, b, first, second, chunks, out, partial):  # type: ignore[no-untyped-def]
    for c in prange(len(chunks)):
        group, begin, end, row = chunks[c]
        total = np.float32(0.0)
        for p in range(begin, end):
            x, y = a[first[p]], b[second[p]]
            for d in range(x.shape[0]):
                total += x[d] * y[d]
        if row < 0:
            out[group, 0] = total
        else:
            partial[row, 0] = total


@njit(**OPTIONS)
def _join(joins, partial, out):  # type: ignore[no-untyped-def]
    for j in range(len(joins)):
        group, first, last = joins[j]
        out[group] = partial[first]
        for row in range(first + 1, last):
            out[group] += partial[row]
