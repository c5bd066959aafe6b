"""The segment product as one operator with a registered gradient, on the kernels chosen here.

out[s] = sum over the triples p of segment s of A[a_p] * B[b_p]; the gradients for A and for B are
the same operation with the triples grouped by a and by b (design: the fast engine, step 4).
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from pdf_search.kernels import reference
from pdf_search.kernels.triples import Order, Triples


def serves_cpu(x: Tensor) -> bool:
    """Whether the compiled CPU kernels take this tensor."""
    return x.device.type == "cpu" and x.dtype == torch.float32


def kernels_for(x: Tensor) -> ModuleType:
    """The module whose kernels serve a tensor's device and type."""
    if serves_cpu(x):
        from pdf_search.kernels import cpu  # noqa: PLC0415  (Numba loads a compiler)

        return cpu
    return reference


def segment_product(a: Tensor, b: Tensor, triples: Triples) -> Tensor:
    """out [segments, d] from A [Na, d] (or [Na, 1]: one weight for all channels) and B [Nb, d]."""
    out: Tensor = _operator(a, b, triples.tensors())
    return out


@torch.library.custom_op("pdf_search::segment_product", mutates_args=())
def _operator(a: Tensor, b: Tensor, index: list[Tensor]) -> Tensor:
    order = Triples.from_tensors(index).by_segment
    out: Tensor = kernels_for(b).segment_product(a, b, order)
    return out


@torch.library.custom_op("pdf_search::segment_product_backward", mutates_args=())
def _backward_operator(
    grad: Tensor, a: Tensor, b: Tensor, index: list[Tensor]
) -> tuple[Tensor, Tensor]:
    kernels, triples = kernels_for(b), Triples.from_tensors(index)
    by_a, by_b = triples.by_a, triples.by_b
    shared = a.shape[1] != b.shape[1]
    grad_a = (kernels.segment_dot if shared else kernels.segment_product)(grad, b, by_a)
    swapped = Order(by_b.ptr, by_b.second, by_b.first)
    return grad_a, kernels.segment_product(a, grad, swapped)


@_operator.register_fake
def _(a: Tensor, b: Tensor, index: list[Tensor]) -> Tensor:  # noqa: ARG001
    return b.new_empty(len(index[0]) - 1, b.shape[1])


@_backward_operator.register_fake
def _(
    grad: Tensor,  # noqa: ARG001
    a: Tensor,
    b: Tensor,
    index: list[Tensor],  # noqa: ARG001
) -> tuple[Tensor, Tensor]:
    return torch.empty_like(a), torch.empty_like(b)


def _setup(ctx: Any, inputs: tuple[Tensor, Tensor, list[Tensor]], output: Tensor) -> None:  # noqa: ARG001
    a, b, index = inputs
    ctx.save_for_backward(a, b, *index)


def _backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, list[None]]:
    a, b, *index = ctx.saved_tensors
    grad_a, grad_b = _backward_operator(grad.contiguous(), a, b, index)
    return grad_a, grad_b, [None] * len(index)


_operator.register_autograd(_backward, setup_context=_setup)
