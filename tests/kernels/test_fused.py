"""Fused kernels against autograd through the plain formulas in double precision."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from pdf_search.kernels import Messages, linear, message, normed_linear, reference
from pdf_search.model.layers import BatchNorm, activation


def close(ours: Tensor | None, theirs: Tensor | None, tolerance: float = 1e-5) -> None:
    assert ours is not None
    assert theirs is not None
    scale = max(float(theirs.detach().abs().max()), 1e-3) if theirs.numel() else 1.0
    torch.testing.assert_close(ours.double(), theirs, rtol=0, atol=tolerance * scale)


def messages(types: int, generator: torch.Generator) -> Messages:
    """Two replicates of two slots each, one of them empty; three node places a slot."""
    nodes = torch.tensor([3, 2, 0, 3])
    extra = torch.tensor([4, 0, 0, 2])
    counts = torch.where(nodes > 0, nodes + extra + 1, 0)
    node, kind = [], []
    for slot in range(4):
        n, more = int(nodes[slot]), int(extra[slot])
        first = slot * 3
        if n:
            picks = torch.randint(n, (more,), generator=generator).sort().values
            node.append(
                torch.cat([torch.arange(n), picks, torch.zeros(1, dtype=torch.long)]) + first
            )
            bonds = torch.randint(types, (more,), generator=generator)
            kind.append(torch.cat([torch.zeros(n), bonds, torch.zeros(1)]).long())
    ptr = torch.cat([torch.zeros(1, dtype=torch.long), counts.cumsum(0)])
    return Messages(node=torch.cat(node), kind=torch.cat(kind), ptr=ptr, nodes=nodes)


@pytest.mark.parametrize("act", ["gelu", "relu"])
@pytest.mark.parametrize("types", [1, 5, 80])
@pytest.mark.parametrize("width", [1, 16, 37])
def test_messages_and_their_gradients(act: str, types: int, width: int) -> None:
    generator = torch.Generator().manual_seed(types + width)
    where = messages(types, generator)
    y = torch.randn(2, 6, width, generator=generator) * 4
    w = torch.randn(2, types, width, generator=generator)
    grad = torch.randn(len(where.node), width, generator=generator)
    results = []
    for function, dtype in ((message, torch.float32), (reference.message_forward, torch.float64)):
        inputs = [x.to(dtype).requires_grad_() for x in (y, w)]
        out = function(*inputs, where, act)
        results.append((out, *torch.autograd.grad(out, inputs, grad.to(dtype))))
    for ours, theirs in zip(*results, strict=True):
        close(ours, theirs)


def test_the_plain_messages_by_hand() -> None:
    where = messages(3, torch.Generator().manual_seed(0))
    y, w = torch.randn(2, 6, 4), torch.randn(2, 3, 4)
    out = reference.message_forward(y, w, where, "relu")
    for slot, replicate in enumerate((0, 0, 1, 1)):
        begin, end = int(where.ptr[slot]), int(where.ptr[slot + 1])
        for m in range(begin, end - 1):
            node, kind = int(where.node[m]), int(where.kind[m])
            assert torch.equal(out[m], (y.view(12, 4)[node] + w[replicate, kind]).relu())
        if end > begin:
            plain = out[begin : begin + int(where.nodes[slot])]
            torch.testing.assert_close(out[end - 1], -plain.sum(0))


def test_more_edge_types_than_a_program_can_hold_are_left_to_plain_torch() -> None:
    """Without a GPU a kernel of Triton's could not even be launched."""
    triton = pytest.importorskip("pdf_search.kernels.triton", reason="Triton is not installed")
    types = triton.messages.MOST_TYPES + 1
    where = messages(types, torch.Generator().manual_seed(0))
    y, w, grad = torch.randn(2, 6, 4), torch.randn(2, types, 4), torch.randn(len(where.node), 4)
    ours = triton.message_backward(grad, y, w, where, "gelu")
    for x, z in zip(ours, reference.message_backward(grad, y, w, where, "gelu"), strict=True):
        assert torch.equal(x, z)


def test_gelu_over_its_whole_range() -> None:
    x = torch.linspace(-30, 30, 4001)[None, :, None].requires_grad_()
    out = linear(x, torch.ones(1, 1, 1), torch.zeros(1, 1, 1), "gelu")
    (slope,) = torch.autograd.grad(out.sum(), x)
    wide = x.detach().double().requires_grad_()
    expected = functional.gelu(wide)
    (theirs,) = torch.autograd.grad(expected.sum(), wide)
    assert float((out - expected).detach().abs().max()) < 1e-6 * 30
    assert float((slope - theirs).abs().max()) < 2e-6


@pytest.mark.parametrize("act", [None, "gelu", "relu"])
@pytest.mark.parametrize("width", [1, 16, 45])
def test_fused_norm_equals_plain_norm(act: str | None, width: int) -> None:
    """Three replicates: weighted entries, one entry only, none at all."""
    generator = torch.Generator().manual_seed(width)
    x = torch.randn(3, 20, 6, generator=generator) * 3 + 1
    matrix = torch.randn(3, 6, width, generator=generator)
    bias = torch.randn(3, 1, width, generator=generator)
    weight = torch.randint(0, 5, (3, 20, 1), generator=generator).float()
    weight[1] = 0
    weight[1, 0] = 1
    weight[2] = 0
    grad = torch.randn(3, 20, width, generator=generator)
    for training in (True, False):
        results = []
        for fused, dtype in ((True, torch.float32), (False, torch.float64)):
            norm = BatchNorm(width, 3).to(dtype).train(training)
            with torch.no_grad():
                norm.weight += 0.3
                norm.bias -= 0.2
                norm.running_mean += 0.5
            inputs = [t.detach().to(dtype).requires_grad_() for t in (x, matrix, bias)]
            if fused:
                out = normed_linear(*inputs, weight, norm, training, act)
            else:
                out = norm(torch.baddbmm(inputs[2], inputs[0], inputs[1]), weight.to(dtype))
                out = out if act is None else activation(act, out)
            grads = torch.autograd.grad(out, [*inputs, norm.weight, norm.bias], grad.to(dtype))
            results.append((out, *grads, norm.running_mean, norm.running_var))
        for ours, theirs in zip(*results, strict=True):
            close(ours, theirs)
