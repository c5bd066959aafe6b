"""The segment product: out[s] = sum over the triples p of segment s of A[a_p] * B[b_p].

The gradients for A and for B are the same operation with the triples grouped by a and by b
(design: the fast engine, step 4).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pdf_search.kernels.dispatch import backend_for
from pdf_search.kernels.structures import Triples


def segment_product(a: Tensor, b: Tensor, triples: Triples) -> Tensor:
    """Sum the products of rows of A and B over each segment, [segments, d].

    ``a`` is [Na, d], or [Na, 1] for one weight for all channels; ``b`` is [Nb, d].

    Raises:
        TypeError: the two have different dtypes, so that one would be rounded to the other's.
    """
    if a.dtype != b.dtype:
        raise TypeError(f"segment_product of {a.dtype} and {b.dtype}: convert one of them")
    out: Tensor = _SegmentProduct.apply(a, b, triples)  # type: ignore[no-untyped-call]
    return out


class _SegmentProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor, triples: Triples) -> Tensor:
        ctx.save_for_backward(a, b)
        ctx.triples = triples
        return backend_for(b).grouped_product(a, b, triples.by_segment).to(b.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        a, b = ctx.saved_tensors
        return *product_gradients(grad, a, b, ctx.triples, ctx.needs_input_grad[:2]), None


def product_gradients(
    grad: Tensor, a: Tensor, b: Tensor, triples: Triples, needed: tuple[bool, bool]
) -> tuple[Tensor | None, Tensor | None]:
    """The gradients of a segment product for A and for B, those that are needed."""
    kernels = backend_for(b)
    grad_a = grad_b = None
    if needed[0]:
        shared = a.shape[1] != b.shape[1]
        product = kernels.grouped_dot if shared else kernels.grouped_product
        grad_a = product(grad, b, triples.by_a)
    if needed[1]:
        grad_b = kernels.grouped_product(a, grad, triples.by_b)
    return grad_a, grad_b
