"""Messages and their gradient on the CPU.

The last message of a graph slot is minus the sum over its nodes: through it far pairs are summed.

Legend: R replicates, N nodes, B graph slots, M messages, T edge types, d channels.
"""

from __future__ import annotations

import numpy as np
import torch
from numba import prange
from numpy.typing import NDArray
from torch import Tensor

from pdf_search.kernels.cpu.activation import activated, slope
from pdf_search.kernels.cpu.runtime import Kernel, as_array
from pdf_search.kernels.structures import Messages

_ONE = np.float32(1.0)


def message_forward(
    y: Tensor, w: Tensor, where: Messages, act: str, dtype: torch.dtype = torch.float32
) -> Tensor:
    """See ``reference``."""
    out = y.new_empty(len(where.node), y.shape[2])
    _forward(_nodes(y), as_array(w), *_index(where), act == "gelu", out.numpy())
    return out.to(dtype)


def message_backward(
    grad: Tensor, y: Tensor, w: Tensor, where: Messages, act: str
) -> tuple[Tensor, Tensor]:
    """See ``reference``."""
    slots = len(where.nodes)
    grad_y, grad_w = y.new_zeros(y.shape), w.new_zeros(slots, *w.shape[1:])
    _backward(
        as_array(grad), _nodes(y), as_array(w), *_index(where), act == "gelu",
        _nodes(grad_y), grad_w.numpy(),
    )  # fmt: skip
    return grad_y, grad_w.view(len(w), slots // len(w), *w.shape[1:]).sum(1)


def _nodes(y: Tensor) -> NDArray[np.float32]:
    """A tensor [R, N, d] as an array [R * N, d]."""
    return as_array(y).reshape(-1, y.shape[2])


def _index(where: Messages) -> tuple[NDArray[np.int64], ...]:
    return tuple(i.numpy() for i in (where.node, where.kind, where.ptr, where.nodes))


@Kernel
def _forward(y, w, node, kind, ptr, nodes, gelu, out):  # type: ignore[no-untyped-def]
    """Write out[m] = act(y[node[m]] + w[r, kind[m]]), and in a slot's last row minus the sum."""
    slots, width = len(ptr) - 1, y.shape[1]
    for s in prange(slots):
        edges = w[s * len(w) // slots]
        last = ptr[s + 1] - 1
        if last < ptr[s]:
            continue
        total = out[last]
        total[:] = 0.0
        for m in range(ptr[s], last):
            source, edge, target = y[node[m]], edges[kind[m]], out[m]
            for d in range(width):
                target[d] = activated(source[d] + edge[d], gelu)
            if m < ptr[s] + nodes[s]:
                for d in range(width):
                    total[d] -= target[d]


@Kernel
def _backward(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    grad, y, w, node, kind, ptr, nodes, gelu, grad_y, grad_w
):
    """Add the gradients for y [R * N, d] and, slot by slot, w [slots, T, d]; both start at 0."""
    slots, width = len(ptr) - 1, y.shape[1]
    for s in prange(slots):
        edges = w[s * len(w) // slots]
        last = ptr[s + 1] - 1
        for m in range(ptr[s], last):
            source, edge, g, total = y[node[m]], edges[kind[m]], grad[m], grad[last]
            target, edge_target = grad_y[node[m]], grad_w[s, kind[m]]
            share = _ONE if m < ptr[s] + nodes[s] else _ONE * 0
            for d in range(width):
                change = (g[d] - share * total[d]) * slope(source[d] + edge[d], gelu)
                target[d] += change
                edge_target[d] += change
