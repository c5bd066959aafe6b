"""The gradients written out in plain torch against autograd through the plain formulas."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdf_search.kernels import linear, message, normed_linear, reference
from pdf_search.model.layers import BatchNorm, activation
from tests.kernels.test_fused import messages


def numbers(*shape: int) -> Tensor:
    """In double precision, which no other backend takes."""
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def equal(ours: Tensor, theirs: Tensor, inputs: list[Tensor]) -> None:
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)
    grad = numbers(*ours.shape)
    pairs = zip(
        *(torch.autograd.grad(out, inputs, grad, retain_graph=True) for out in (ours, theirs)),
        strict=True,
    )
    for one, two in pairs:
        torch.testing.assert_close(one, two, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("act", ["gelu", "relu"])
def test_messages(act: str) -> None:
    where = messages(5, torch.Generator().manual_seed(0))
    inputs = [numbers(2, 6, 7).requires_grad_(), numbers(2, 5, 7).requires_grad_()]
    plain = reference.message_forward(*inputs, where, act)
    equal(message(*inputs, where, act), plain, inputs)


@pytest.mark.parametrize("act", [None, "gelu", "relu"])
@pytest.mark.parametrize("training", [True, False])
def test_batch_norm(act: str | None, training: bool) -> None:
    """Three replicates: weighted entries, one entry only, none at all."""
    weight = torch.zeros(3, 20, 1, dtype=torch.float64)
    weight[0] = torch.arange(20)[:, None] % 4
    weight[1, 0] = 1
    x, matrix, bias = (numbers(*s).requires_grad_() for s in ((3, 20, 4), (3, 4, 6), (3, 1, 6)))
    outputs, norms = [], [BatchNorm(6, 3).double().train(training) for _ in range(2)]
    for norm in norms:
        norm.running_mean += 0.5
    ours = normed_linear(x, matrix, bias, weight, norms[0], training, act)
    theirs = norms[1](x @ matrix + bias, weight)
    theirs = theirs if act is None else activation(act, theirs)
    equal(ours, theirs, [x, matrix, bias])
    for one, two in zip(norms[0].buffers(), norms[1].buffers(), strict=True):
        torch.testing.assert_close(one, two, rtol=1e-12, atol=1e-12)
    for norm, out in zip(norms, (ours, theirs), strict=True):
        outputs.append(torch.autograd.grad(out, list(norm.parameters()), numbers(*out.shape)))
    for one, two in zip(*outputs, strict=True):
        torch.testing.assert_close(one, two, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("act", [None, "gelu", "relu"])
def test_linear(act: str | None) -> None:
    inputs = [numbers(*s).requires_grad_() for s in ((2, 9, 3), (2, 3, 4), (2, 1, 4))]
    x, matrix, bias = inputs
    plain = x @ matrix + bias if act is None else activation(act, x @ matrix + bias)
    equal(linear(x, matrix, bias, act), plain, inputs)
