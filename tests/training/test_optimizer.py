from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from pdf_search.training.optimizer import AdamW

SHAPES = ((1, 3, 4), (1, 1, 4), (1, 2, 1))


def parameters(replicates: int = 1) -> list[nn.Parameter]:
    generator = torch.Generator().manual_seed(1)
    return [nn.Parameter(torch.randn(replicates, *s[1:], generator=generator)) for s in SHAPES]


def gradients(step: int, like: list[nn.Parameter]) -> list[Tensor]:
    generator = torch.Generator().manual_seed(step)
    return [torch.randn(p.shape, generator=generator) * 10.0 ** (step % 5 - 2) for p in like]


def test_twenty_steps_equal_torch() -> None:
    ours, theirs = parameters(), parameters()
    mine, reference = AdamW(ours, 0.05), torch.optim.AdamW(theirs, lr=1e-3, weight_decay=0.05)
    for step in range(20):
        rate = 1e-3 * (1 + step % 3)
        for group in reference.param_groups:
            group["lr"] = rate
        for p, q, grad in zip(ours, theirs, gradients(step, ours), strict=True):
            p.grad, q.grad = grad.clone(), grad.clone()
        mine.step(rate, torch.tensor([True]))
        reference.step()
        assert all(p.grad is None for p in ours)
        for p, q in zip(ours, theirs, strict=True):
            torch.testing.assert_close(p, q, rtol=2e-6, atol=2e-7)


def test_an_idle_replicate_is_left_alone_and_counts_its_own_steps() -> None:
    both, alone = parameters(2), parameters(2)
    optimizer, reference = AdamW(both, 0.1), AdamW(alone, 0.1)
    on, off = torch.tensor([True, True]), torch.tensor([True, False])
    for step, active in enumerate([on, off, off, on]):
        before = [p[1].detach().clone() for p in both]
        for p, grad in zip(both, gradients(step, both), strict=True):
            p.grad = grad
        optimizer.step(1e-2, active)
        if not active[1]:
            for p, old in zip(both, before, strict=True):
                torch.testing.assert_close(p[1].detach(), old, rtol=0, atol=0)
            continue
        for p, grad in zip(alone, gradients(step, alone), strict=True):
            p.grad = grad
        reference.step(1e-2, on)
    assert optimizer.steps.flatten().tolist() == [4, 2]
    for p, q in zip(both, alone, strict=True):  # replicate 1 saw the same two steps in both
        torch.testing.assert_close(p[1], q[1], rtol=0, atol=0)
        assert not torch.equal(p[0], q[0])


def test_an_idle_replicates_broken_gradient_does_no_harm() -> None:
    both = parameters(2)
    optimizer = AdamW(both, 0.0)
    before = [p[1].detach().clone() for p in both]
    for p in both:
        p.grad = torch.ones_like(p)
        p.grad[1] = torch.nan
    optimizer.step(1e-2, torch.tensor([True, False]))
    for p, old in zip(both, before, strict=True):
        torch.testing.assert_close(p[1].detach(), old, rtol=0, atol=0)
        assert torch.isfinite(p).all()


def test_the_state_goes_on_where_it_was() -> None:
    ours = parameters(2)
    optimizer = AdamW(ours, 0.1)
    copy = [nn.Parameter(p.detach().clone()) for p in ours]
    for step in range(3):
        for p, grad in zip(ours, gradients(step, ours), strict=True):
            p.grad = grad
        optimizer.step(1e-2, torch.tensor([True, True]))
    again = AdamW(copy, 0.1)
    with torch.no_grad():
        for p, q in zip(copy, ours, strict=True):
            p.copy_(q)
    again.load_state_dict({k: v.clone() for k, v in optimizer.state_dict().items()})
    for group, one in ((ours, optimizer), (copy, again)):
        for p, grad in zip(group, gradients(9, group), strict=True):
            p.grad = grad
        one.step(1e-2, torch.tensor([True, True]))
    for p, q in zip(ours, copy, strict=True):
        torch.testing.assert_close(p, q, rtol=0, atol=0)


def test_a_parameter_without_a_gradient_still_decays() -> None:
    """As OGB's frozen table rows do in the authors' code."""
    used, unused = parameters()[:2]
    before = unused.detach().clone()
    optimizer = AdamW([used, unused], 0.5)
    used.grad = torch.ones_like(used)
    optimizer.step(0.1, torch.tensor([True]))
    torch.testing.assert_close(unused.detach(), before * (1 - 0.1 * 0.5))


@pytest.mark.parametrize("replicates", [1, 3])
def test_each_parameter_of_each_replicate_begins_at_a_read_of_a_gpu(replicates: int) -> None:
    ours = parameters(replicates)
    before = [p.detach().clone() for p in ours]
    optimizer = AdamW(ours, 0.1)
    for p, old in zip(ours, before, strict=True):
        assert torch.equal(p.detach(), old)
        starts = [p[r].data_ptr() - optimizer.values.data_ptr() for r in range(replicates)]
        assert [start % 128 for start in starts] == [0] * replicates
        assert p[0].is_contiguous()


def test_what_lies_between_parameters_stays_zero() -> None:
    ours = parameters(2)
    optimizer = AdamW(ours, 0.1)
    for step in range(3):
        for p, grad in zip(ours, gradients(step, ours), strict=True):
            p.grad = grad
        optimizer.step(1e-2, torch.tensor([True, step > 0]))
    for flat, per_parameter in (
        (optimizer.values, torch.cat([p.detach().flatten(1) for p in ours], 1)),
        (optimizer.mean, optimizer.state_dict()["mean"]),
        (optimizer.square, optimizer.state_dict()["square"]),
    ):
        assert flat.shape[1] > per_parameter.shape[1]
        assert (flat != 0).sum() == (per_parameter != 0).sum() == per_parameter.numel()


def test_a_state_saved_without_gaps_is_loaded() -> None:
    """As every version saved it, the parameters of a replicate one after the other."""
    ours = parameters(2)
    optimizer = AdamW(ours, 0.1)
    whole = torch.arange(2.0 * 18).view(2, 18)
    steps = torch.tensor([[3.0], [4.0]])
    optimizer.load_state_dict({"steps": steps, "mean": whole, "square": 2 * whole})
    assert torch.equal(optimizer.steps, steps)
    for flat, saved in ((optimizer.mean, whole), (optimizer.square, 2 * whole)):
        start = 0
        for p in ours:
            own = flat.as_strided(p.shape, p.stride(), p.storage_offset())
            size = p[0].numel()
            assert torch.equal(own.flatten(1), saved[:, start : start + size])
            start += size
    again = optimizer.state_dict()
    assert torch.equal(again["mean"], whole)
    assert torch.equal(again["square"], 2 * whole)
