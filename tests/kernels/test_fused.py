"""Fused kernels against autograd through the plain formulas in double precision."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from pdf_search.kernels.fused import message
from pdf_search.model.layers import BatchNorm


def close(ours: Tensor | None, theirs: Tensor | None, tolerance: float = 1e-5) -> None:
    assert ours is not None
    assert theirs is not None
    scale = max(float(theirs.detach().abs().max()), 1e-3) if theirs.numel() else 1.0
    torch.testing.assert_close(ours.double(), theirs, rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize("act", ["gelu", "relu"])
@pytest.mark.parametrize("types", [0, 1, 5, 80])
@pytest.mark.parametrize("width", [1, 16, 37])
def test_message_and_its_gradients(act: str, types: int, width: int) -> None:
    generator = torch.Generator().manual_seed(types + width)
    slots = torch.tensor([0, 4, 4, 9, 12])
    owner = torch.repeat_interleave(slots.diff())
    node = owner * 3 + torch.randint(3, (12,), generator=generator)
    kind = torch.randint(max(types, 1), (12,), generator=generator)
    y = (torch.randn(12, width, generator=generator) * 4).requires_grad_()
    w = torch.randn(types, width, generator=generator, requires_grad=True) if types else None
    grad = torch.randn(12, width, generator=generator)
    inputs = [y] if w is None else [y, w]
    out = message(y, w, node, kind, slots, act)
    ours = torch.autograd.grad(out, inputs, grad)

    wide = [x.detach().double().requires_grad_() for x in inputs]
    total = wide[0][node] + (wide[1][kind] if types else 0)
    expected = functional.gelu(total) if act == "gelu" else total.relu()
    close(out, expected)
    for x, z in zip(ours, torch.autograd.grad(expected, wide, grad.double()), strict=True):
        close(x, z)


def test_gelu_over_its_whole_range() -> None:
    y = torch.linspace(-30, 30, 4001)[:, None].requires_grad_()
    node, slots = torch.arange(4001), torch.tensor([0, 4001])
    out = message(y, None, node, node * 0, slots, "gelu")
    (slope,) = torch.autograd.grad(out.sum(), y)
    wide = y.detach().double().requires_grad_()
    expected = functional.gelu(wide)
    (theirs,) = torch.autograd.grad(expected.sum(), wide)
    assert float((out - expected).detach().abs().max()) < 1e-6 * 30
    assert float((slope - theirs).abs().max()) < 2e-6


@pytest.mark.parametrize("act", [None, "gelu", "relu"])
@pytest.mark.parametrize("width", [1, 16, 45])
def test_fused_norm_equals_plain_norm(act: str | None, width: int) -> None:
    """Three replicates: weighted entries, one entry only, none at all."""
    generator = torch.Generator().manual_seed(width)
    x = torch.randn(3, 20, width, generator=generator) * 3 + 1
    weight = torch.randint(0, 5, (3, 20, 1), generator=generator).float()
    weight[1] = 0
    weight[1, 0] = 1
    weight[2] = 0
    grad = torch.randn(3, 20, width, generator=generator)
    results = []
    for fused, dtype in ((True, torch.float32), (False, torch.float64)):
        norm = BatchNorm(width, 3).to(dtype)
        with torch.no_grad():
            norm.weight += 0.3
            norm.bias -= 0.2
            norm.running_mean += 0.5
        entries = x.detach().to(dtype).requires_grad_()
        out = norm(entries, weight.to(dtype), act, fused)
        grads = torch.autograd.grad(out, [entries, norm.weight, norm.bias], grad.to(dtype))
        results.append((out, *grads, norm.running_mean, norm.running_var))
    for ours, theirs in zip(*results, strict=True):
        close(ours, theirs)
