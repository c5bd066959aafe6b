"""The gradients written out in plain torch against autograd through the plain formulas."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdf_search.kernels import batch_norm, bias_activation, message, reference
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
    x, shift = numbers(3, 20, 6).requires_grad_(), numbers(3, 1, 6).requires_grad_()
    outputs, norms = [], [BatchNorm(6, 3).double().train(training) for _ in range(2)]
    for norm in norms:
        norm.running_mean += 0.5
    ours = batch_norm(x, shift, weight, norms[0], training, act)
    theirs = norms[1](x + shift, weight)
    theirs = theirs if act is None else activation(act, theirs)
    equal(ours, theirs, [x, shift])
    for one, two in zip(norms[0].buffers(), norms[1].buffers(), strict=True):
        torch.testing.assert_close(one, two, rtol=1e-12, atol=1e-12)
    for norm, out in zip(norms, (ours, theirs), strict=True):
        outputs.append(torch.autograd.grad(out, list(norm.parameters()), numbers(*out.shape)))
    for one, two in zip(*outputs, strict=True):
        torch.testing.assert_close(one, two, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("act", [None, "gelu", "relu"])
def test_bias_activation(act: str | None) -> None:
    x, bias = numbers(2, 9, 4).requires_grad_(), numbers(2, 1, 4).requires_grad_()
    plain = x + bias if act is None else activation(act, x + bias)
    equal(bias_activation(x, bias, act), plain, [x, bias])
