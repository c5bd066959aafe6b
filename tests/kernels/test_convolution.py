"""The convolution, and the product in it, against their parts in double precision."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdf_search.kernels import Messages, Triples, build_triples, convolve, cpu, reference
from tests.kernels.test_fused import close, messages


def plain(
    x: Tensor, matrix: Tensor, w: Tensor, weights: Tensor, where: Messages, triples: Triples
) -> Tensor:
    made = reference.message_forward(x @ matrix, w, where, "gelu")
    a, b, ptr = triples.by_segment.first, triples.by_segment.second, triples.by_segment.ptr
    segment = torch.repeat_interleave(torch.arange(len(ptr) - 1), ptr.diff())
    products = weights[a.long()] * made[b.long()]
    out = products.new_zeros(len(ptr) - 1, made.shape[1]).index_add(0, segment, products)
    return out.view(x.shape[0], x.shape[1], -1)


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("types", [1, 5, 80])
@pytest.mark.parametrize("width", [1, 16, 37])
def test_a_convolution_and_each_gradient(shared: bool, types: int, width: int) -> None:
    generator = torch.Generator().manual_seed(types + width)
    where = messages(types, generator)
    sizes = 12, 9, len(where.node)  # nodes, weights, messages
    numbers = [torch.randint(size, (70,), generator=generator) for size in sizes]
    triples = build_triples(*numbers, sizes)
    shapes = (2, 6, width), (2, width, width), (2, types, width), (9, 1 if shared else width)
    values = [torch.randn(shape, generator=generator) for shape in shapes]
    grad = torch.randn(2, 6, width, generator=generator)
    inputs = [v.clone().requires_grad_() for v in values]
    wide = [v.double().requires_grad_() for v in values]
    ours, theirs = convolve(*inputs, where, triples, "gelu"), plain(*wide, where, triples)
    close(ours, theirs)
    gradients = (
        torch.autograd.grad(out, all_, grad.to(out.dtype))
        for out, all_ in ((ours, inputs), (theirs, wide))
    )
    for one, two in zip(*gradients, strict=True):
        close(one, two)


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("width", [16, 37])
def test_a_convolution_that_stores_bfloat16(shared: bool, width: int) -> None:
    """It is off by the rounding of weights and messages to 8 bits, and by no more.

    Sums and gradients are float32.
    """
    generator = torch.Generator().manual_seed(width)
    where = messages(5, generator)
    sizes = 12, 9, len(where.node)
    numbers = [torch.randint(size, (700,), generator=generator) for size in sizes]
    triples = build_triples(*numbers, sizes)
    shapes = (2, 6, width), (2, width, width), (2, 5, width), (9, 1 if shared else width)
    inputs = [torch.randn(shape, generator=generator).requires_grad_() for shape in shapes]
    wide = [v.detach().double().requires_grad_() for v in inputs]
    grad = torch.randn(2, 6, width, generator=generator)
    ours = convolve(*inputs, where, triples, "gelu", inputs[3].detach().bfloat16())
    theirs = plain(*wide, where, triples)
    found = (ours, *torch.autograd.grad(ours, inputs, grad))
    expected = (theirs, *torch.autograd.grad(theirs, wide, grad.double()))
    for one, two in zip(found, expected, strict=True):
        assert one.dtype == torch.float32
        off = float((one.detach().double() - two.detach()).norm() / two.detach().norm())
        assert 1e-4 < off < 1e-2


@pytest.mark.parametrize("sizes", [(1, 7, 5, 3), (3, 300, 96, 96), (1, 37, 1500, 37), (2, 0, 9, 9)])
@pytest.mark.parametrize("turned", [True, False])
@pytest.mark.parametrize("onednn", [True, False])
def test_matrix_products(
    monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, ...], turned: bool, onednn: bool
) -> None:
    """Factors as they are and transposed; ``onednn``: as on a processor where it is quicker."""
    if onednn and not torch.backends.mkldnn.is_available():
        pytest.skip("this torch has no oneDNN")
    monkeypatch.setattr(cpu.products, "quick_onednn", lambda: onednn)
    replicates, n, k, m = sizes
    generator = torch.Generator().manual_seed(n)
    a = torch.randn(replicates, n, k, generator=generator)
    b = torch.randn(replicates, k, m, generator=generator)
    if turned:
        a, b = (x.transpose(1, 2).contiguous().transpose(1, 2) for x in (a, b))
    close(cpu.product(a, b), a.double() @ b.double(), 1e-6)
