"""The segment product as one operator with its gradient, on the kernels chosen here.

out[s] = sum over the triples p of segment s of A[a_p] * B[b_p]; the gradients for A and for B are
the same operation with the triples grouped by a and by b (design: the fast engine, step 4).
"""

from __future__ import annotations

from importlib.util import find_spec
from types import ModuleType
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pdf_search.kernels import reference
from pdf_search.kernels.triples import Triples


def serves_cpu(x: Tensor) -> bool:
    """Whether the compiled CPU kernels take this tensor."""
    return x.device.type == "cpu" and x.dtype == torch.float32


def serves_gpu(x: Tensor) -> bool:
    """Whether the Triton kernels take this tensor."""
    return x.device.type == "cuda" and find_spec("triton") is not None


def fuses(x: Tensor) -> bool:
    """Whether chains of small operations on this tensor run as one kernel."""
    return serves_cpu(x) or (serves_gpu(x) and x.dtype == torch.float32)


def kernels_for(x: Tensor) -> ModuleType:
    """The module whose kernels serve a tensor's device and type."""
    if serves_cpu(x):
        from pdf_search.kernels import cpu  # noqa: PLC0415  (Numba loads a compiler)

        return cpu
    if serves_gpu(x):
        from pdf_search.kernels import gpu  # noqa: PLC0415  (Triton comes with torch's GPU builds)

        return gpu
    return reference


def segment_product(a: Tensor, b: Tensor, triples: Triples) -> Tensor:
    """out [segments, d] from A [Na, d] (or [Na, 1]: one weight for all channels) and B [Nb, d]."""
    out: Tensor = _SegmentProduct.apply(a, b, triples)  # type: ignore[no-untyped-call]
    return out


class _SegmentProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor, triples: Triples) -> Tensor:
        ctx.save_for_backward(a, b)
        ctx.triples = triples
        out: Tensor = kernels_for(b).segment_product(a, b, triples.by_segment)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        a, b = ctx.saved_tensors
        kernels, by_a, by_b = kernels_for(b), ctx.triples.by_a, ctx.triples.by_b
        grad_a = grad_b = None
        if ctx.needs_input_grad[0]:
            shared = a.shape[1] != b.shape[1]
            product = kernels.segment_dot if shared else kernels.segment_product
            grad_a = product(grad, b, by_a)
        if ctx.needs_input_grad[1]:
            grad_b = kernels.segment_product(a, grad, by_b)
        return grad_a, grad_b, None
