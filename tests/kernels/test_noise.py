"""Dropout: every kernel set gives the plain version's numbers, bit for bit, and its gradient.

``interpreted`` runs the same tests on the Triton kernel.
"""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdf_search.kernels import Draws, cpu, dropout, reference
from pdf_search.kernels.dispatch import Backend
from pdf_search.kernels.noise import mix_bits, mixed_value

CASES = ["one index", "two indices", "of all replicates", "flat", "nothing"]


def case(name: str, width: int) -> tuple[Tensor, Draws]:
    generator = torch.Generator().manual_seed(width)

    def numbers(*shape: int) -> Tensor:
        return torch.randint(2**32, shape, generator=generator)

    keys, length = numbers(3), 0 if name == "nothing" else 41
    if name == "flat":
        owner = torch.arange(length) % 3
        draws = Draws(keys, 7, (numbers(length) % 99, numbers(length) % 99), owner)
        return torch.randn(length, width, generator=generator), draws
    x = torch.randn(3, length, width, generator=generator)
    if name == "of all replicates":
        return x, Draws(keys, 0, (torch.arange(length).expand(3, -1),))
    if name == "two indices":
        return x, Draws(keys, 4, (numbers(3, length) % 99, numbers(3, length) % 99))
    return x, Draws(keys, 1, (numbers(3, length) % 99,))


@pytest.mark.parametrize("kernels", [cpu], ids=["cpu"])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("rate", "width"), [(0.1, 1), (0.5, 37), (0.9, 64), (0.0, 5)])
def test_compiled_equals_plain(kernels: Backend, name: str, rate: float, width: int) -> None:
    x, draws = case(name, width)
    assert torch.equal(kernels.dropped(x, draws, rate), reference.dropped(x, draws, rate))


def fold_in(key: int, value: int) -> int:
    return mix_bits(mix_bits(key ^ 0x9E3779B9) ^ mixed_value(value))


def test_the_plain_version_by_hand() -> None:
    """With Python's integers: recorded trials rely on these numbers."""
    x, draws = case("two indices", 5)
    out = reference.dropped(x, draws, 0.3)
    for r, i, d in ((0, 0, 0), (1, 7, 4), (2, 40, 1)):
        key = fold_in(int(draws.keys[r]), draws.place)
        for index in draws.indices:
            key = fold_in(key, int(index[r, i]))
        kept = (mix_bits(fold_in(key, d)) >> 8) * 2.0**-24 >= 0.3
        assert out[r, i, d].item() == pytest.approx(x[r, i, d].item() / 0.7 if kept else 0.0)


@pytest.mark.parametrize(("dtype", "again"), [(torch.float32, False), (torch.float64, False)])
def test_the_gradient(dtype: torch.dtype, again: bool) -> None:
    """Where it draws ``again``, on a GPU, nothing is kept for it."""
    x, draws = case("one index", 16)
    x = x.to(dtype).requires_grad_()
    kept: list[Tensor] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t):
        out = dropout(x, draws, 0.4)
    assert bool(kept) is not again
    grad = torch.randn(x.shape, dtype=dtype)
    (ours,) = torch.autograd.grad(out, x, grad)
    assert ours.dtype == dtype
    assert torch.equal(ours, grad * reference.dropped(torch.ones_like(x), draws, 0.4))


def test_the_share_that_is_kept() -> None:
    draws = Draws(torch.tensor([5]), 3, (torch.arange(2000)[None],))
    factors = dropout(torch.ones(1, 2000, 50), draws, 0.3)
    assert set(factors.unique().tolist()) == {0.0, factors.max().item()}
    assert float((factors > 0).float().mean()) == pytest.approx(0.7, abs=0.01)
    assert float(factors.mean()) == pytest.approx(1.0, abs=0.01)
