"""Kernels carry inf and nan through, as torch does: a diverging trial is seen by its loss.

``interpreted`` runs the same tests on the Triton kernels.
"""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdf_search.kernels import cpu, normed_linear, reference
from pdf_search.kernels.dispatch import Backend
from pdf_search.kernels.reference.activation import activated
from pdf_search.kernels.structures import Statistics
from pdf_search.model.layers import BatchNorm
from tests.kernels.test_fused import messages
from tests.kernels.test_segment_product import make

BAD = [float("inf"), float("-inf"), float("nan")]
KERNELS = pytest.mark.parametrize("kernels", [reference, cpu], ids=["reference", "cpu"])


def numbers(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


def nothing_hidden(ours: Tensor, theirs: Tensor) -> None:
    """What is not finite in theirs is not finite in ours."""
    assert not ours[~theirs.isfinite()].isfinite().any()


def same_elsewhere(ours: Tensor, theirs: Tensor, channel: int) -> None:
    """The other channels are as in double precision."""
    others = torch.arange(ours.shape[-1]) != channel
    assert theirs[..., others].isfinite().all()
    torch.testing.assert_close(
        ours[..., others].double(), theirs[..., others], rtol=1e-4, atol=1e-4
    )


@KERNELS
@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("act", [None, "gelu", "relu"])
def test_a_value_before_the_activation(kernels: Backend, bad: float, act: str | None) -> None:
    x = numbers(1, 40, 5)
    x[0, 3, 2] = bad
    zero, one = torch.zeros(1, 1, 5), torch.ones(1, 1, 5)
    statistics = Statistics(zero, one, torch.zeros(1))
    ours, theirs = kernels.norm_forward(x, statistics, (one, zero), act), activated(x, act)
    nothing_hidden(ours, theirs)  # at inf torch's GELU is inf or NaN, by the processor
    both = ours.isfinite() & theirs.isfinite()
    assert both.sum() >= both.numel() - 1
    torch.testing.assert_close(ours[both], theirs[both], rtol=1e-5, atol=1e-6)


@KERNELS
@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("act", ["gelu", "relu"])
def test_a_message_and_its_gradients(kernels: Backend, bad: float, act: str) -> None:
    """In the features, then in the gradient. The second replicate stays as it is.

    A slope at an infinite value may be NaN, as torch has it, or the limit.
    """
    where = messages(3, torch.Generator().manual_seed(0))
    for in_features in (True, False):
        y, w, grad = numbers(2, 6, 4), numbers(2, 3, 4), numbers(len(where.node), 4)
        y[0, 1, 2], grad[1, 2] = (bad, 1.0) if in_features else (1.0, bad)
        results = []
        for each, kind in ((kernels, torch.float32), (reference, torch.float64)):
            inputs = y.to(kind), w.to(kind), where, act
            results.append(
                (each.message_forward(*inputs), *each.message_backward(grad.to(kind), *inputs))
            )
        nothing_hidden(results[0][0], results[1][0])
        for ours, theirs in zip(*results, strict=True):
            same_elsewhere(ours, theirs, 2)
        for ours, theirs in zip(results[0][1:], results[1][1:], strict=True):
            assert ours[1].isfinite().all()
            if not in_features:
                nothing_hidden(ours, theirs)


@KERNELS
@pytest.mark.parametrize("bad", BAD)
def test_a_factor_of_a_segment_product(kernels: Backend, bad: float) -> None:
    for shape in ((7, 7, 300, 5, 6, 9), (7, 1, 300, 5, 6, 9)):
        a, b, grad, triples = make(shape)
        a, b = a.detach(), b.detach()
        b[2, 3] = bad
        order = triples.by_segment
        ours, theirs = (k.grouped_product(a, b, order) for k in (kernels, reference))
        nothing_hidden(ours, theirs)
        same_elsewhere(ours, theirs.double(), 3)
        ours = kernels.grouped_dot(grad, b, triples.by_a)
        theirs = reference.grouped_dot(grad, b, triples.by_a)
        assert torch.equal(ours.isfinite(), theirs.isfinite())


@KERNELS
@pytest.mark.parametrize("bad", BAD)
def test_an_optimizer_step(kernels: Backend, bad: float) -> None:
    """The replicate that is not active keeps its values."""
    grad = numbers(2, 50)
    grad[:, 7] = bad
    state = numbers(2, 50), numbers(2, 50), numbers(2, 50).abs()
    before = state[0].clone()
    corrections = torch.full((2, 1), 0.3), torch.full((2, 1), 0.01)
    active = torch.tensor([True, False])
    kernels.adamw_step(grad, state, corrections, active, 1e-2, (0.9, 0.999, 1e-8, 0.1))
    assert state[0][0].isfinite().logical_not().nonzero().tolist() == [[7]]
    assert torch.equal(state[0][1], before[1])


@pytest.mark.parametrize("bad", [*BAD, 3e38])
@pytest.mark.parametrize("act", [None, "gelu", "relu"])
def test_batch_norm_of_a_value_that_is_not_finite(bad: float, act: str | None) -> None:
    """In its channel everything of the replicate is lost, the statistics too; nothing else is."""
    norm = BatchNorm(5, 2)
    x, matrix = numbers(2, 40, 5), numbers(2, 5, 5)
    matrix[0, 1, 2] = bad
    matrix.requires_grad_()
    out = normed_linear(x, matrix, torch.zeros(2, 1, 5), torch.ones(2, 40, 1), norm, True, act)
    out.sum().backward()
    assert matrix.grad is not None
    if bad != 3e38:
        assert out[0, :, 2].isnan().all()
        assert norm.running_mean[0, 0, 2].isfinite().logical_not()
        assert norm.running_var[0, 0, 2].isnan()
    others = torch.ones(2, 1, 5, dtype=torch.bool)
    others[0, 0, 2] = False
    for values in (out, matrix.grad, norm.running_mean, norm.running_var):
        assert values[others.expand_as(values)].isfinite().all()
