"""The convolution of a layer as one differentiable operation: product, messages, segment product.

Legend: R replicates, N nodes, T edge types, E weights, d channels.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pdf_search.kernels.dispatch import Backend, backend_for
from pdf_search.kernels.operators.messages import kernels_for
from pdf_search.kernels.operators.segment_product import product_gradients
from pdf_search.kernels.structures import Messages, Triples


def convolve(
    x: Tensor,
    matrix: Tensor,
    w: Tensor,
    weights: Tensor,
    where: Messages,
    triples: Triples,
    act: str,
    stored: Tensor | None = None,
) -> Tensor:
    """Sum weights[a] * act(x[u] W + w[t]) over the triples of each node, [R, N, d].

    ``x`` is [R, N, d], ``matrix`` W [R, d, d], ``w`` [R, T, d] and ``weights`` [E, d] or [E, 1].
    It is ``segment_product`` of the weights and the ``message`` of each row of ``where``.
    ``stored``: the weights as they are read, in another dtype, which the messages then have too;
    sums and gradients are those of float32.
    """
    kernels = kernels_for(x, w)
    stored = weights.detach() if stored is None else stored
    out: Tensor = _Convolution.apply(  # type: ignore[no-untyped-call]
        x, matrix, w, weights, stored, where, triples, act, kernels
    )
    return out


class _Convolution(torch.autograd.Function):
    @staticmethod
    def forward(  # noqa: PLR0913, PLR0917
        ctx: Any,
        x: Tensor,
        matrix: Tensor,
        w: Tensor,
        weights: Tensor,  # noqa: ARG004 for its gradient
        stored: Tensor,
        where: Messages,
        triples: Triples,
        act: str,
        kernels: Backend,
    ) -> Tensor:
        y = kernels.product(x, matrix)
        messages = kernels.message_forward(y, w, where, act, stored.dtype)
        ctx.save_for_backward(x, matrix, y, w, stored, messages)
        ctx.rest = where, triples, act, kernels
        out = backend_for(messages).grouped_product(stored, messages, triples.by_segment)
        return out.view(y.shape)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, matrix, y, w, stored, messages = ctx.saved_tensors
        where, triples, act, kernels = ctx.rest
        both = product_gradients(
            grad.flatten(0, 1), stored, messages, triples, (ctx.needs_input_grad[3], True)
        )
        grad_weights, grad_messages = both
        assert grad_messages is not None
        grad_y, grad_w = kernels.message_backward(grad_messages, y, w, where, act)
        grad_x = None
        if ctx.needs_input_grad[0]:
            grad_x = kernels.product(grad_y, matrix.transpose(1, 2))
        grad_matrix = kernels.product(x.transpose(1, 2), grad_y)
        return grad_x, grad_matrix, grad_w, grad_weights, None, None, None, None, None
