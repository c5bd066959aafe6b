"""The segment product and its gradients: every kernel against the plain version, on odd shapes."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdf_search.kernels import Triples, build_triples, cpu, reference, segment_product
from pdf_search.kernels.structures import CHUNK

# width, width of A, triples, segments, rows of A, rows of B
SHAPES = [
    (160, 160, 900, 40, 70, 90),
    (160, 1, 900, 40, 70, 90),  # one weight for all channels
    (1, 1, 5, 3, 2, 2),
    (7, 7, 3 * CHUNK + 1, 2, 1, 5),  # one hot row, longer than a chunk
    (33, 1, 3 * CHUNK + 1, 2, 1, 5),
    (16, 16, 0, 4, 3, 3),  # no triple at all
    (5, 5, 1, 1, 1, 1),
]


def make(shape: tuple[int, ...]) -> tuple[Tensor, Tensor, Tensor, Triples]:
    d, width, count, segments, rows_a, rows_b = shape
    generator = torch.Generator().manual_seed(sum(shape))

    def numbers(size: int) -> Tensor:
        return torch.randint(size, (count,), generator=generator)

    triples = build_triples(
        numbers(segments), numbers(rows_a), numbers(rows_b), (segments, rows_a, rows_b)
    )
    a = torch.randn(rows_a, width, generator=generator, requires_grad=True)
    b = torch.randn(rows_b, d, generator=generator, requires_grad=True)
    return a, b, torch.randn(segments, d, generator=generator), triples


def plain(a: Tensor, b: Tensor, triples: Triples) -> Tensor:
    order = triples.by_segment
    lengths = (order.ptr[1:] - order.ptr[:-1]).long()
    owner = torch.repeat_interleave(torch.arange(len(lengths)), lengths)
    values = a[order.first.long()] * b[order.second.long()]
    return torch.zeros(len(lengths), b.shape[1], dtype=b.dtype).index_add(0, owner, values)


@pytest.mark.parametrize("shape", SHAPES)
def test_value_and_gradients_equal_plain_double_precision(shape: tuple[int, ...]) -> None:
    a, b, grad, triples = make(shape)
    out = segment_product(a, b, triples)
    ours = torch.autograd.grad(out, (a, b), grad)
    wide_a, wide_b = (x.detach().double().requires_grad_() for x in (a, b))
    expected = plain(wide_a, wide_b, triples)
    theirs = torch.autograd.grad(expected, (wide_a, wide_b), grad.double())
    for x, y in zip((out, *ours), (expected, *theirs), strict=True):
        assert x.shape == y.shape
        torch.testing.assert_close(
            x.double(), y, rtol=1e-5, atol=1e-5 * float(y.detach().abs().max())
        )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_reference_kernels_sum_in_float32(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    a, b, _, triples = make(shape)
    a, b = a.detach().to(dtype), b.detach().to(dtype)
    out = reference.grouped_product(a, b, triples.by_segment)
    assert out.dtype == torch.float32
    expected = plain(a.double(), b.double(), triples)
    scale = float(expected.abs().max()) if expected.numel() else 0.0
    torch.testing.assert_close(out.double(), expected, rtol=1e-5, atol=1e-5 * scale)


def test_float64_is_never_summed_in_float32() -> None:
    """Summed in float32, ones would stop at 2^24 - here the small part would be lost."""
    order = build_triples(*(torch.tensor([0, 0]) for _ in range(3)), (1, 1, 1))
    a = torch.tensor([[1.0 + 2.0**-40]], dtype=torch.float64, requires_grad=True)
    one = torch.ones(1, 1, dtype=torch.float64)
    out = segment_product(a, one, order)
    assert out.dtype == torch.float64
    assert out.item() == 2.0 + 2.0**-39
    (slope,) = torch.autograd.grad(out, a, torch.full((1, 1), 1.0 + 2.0**-40).double())
    assert slope.item() == 2.0
    assert reference.grouped_dot(a, one, order.by_a).item() == 2.0 + 2.0**-39
    with pytest.raises(TypeError, match=r"float64 and torch\.float32: convert one"):
        segment_product(a, one.float(), order)


def test_cpu_sums_do_not_depend_on_the_number_of_threads() -> None:
    a, b, _, triples = make((48, 48, 5000, 7, 3, 90))
    before = torch.get_num_threads()
    results = []
    for threads in (1, 2, 1):
        torch.set_num_threads(threads)
        results.append(cpu.grouped_product(a, b, triples.by_segment))
    torch.set_num_threads(before)
    assert torch.equal(results[0], results[1])
    assert torch.equal(results[0], results[2])
