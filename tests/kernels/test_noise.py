"""Dropout factors: the compiled kernel gives the plain version's numbers, bit for bit."""

from __future__ import annotations

import pytest
import torch

from pdf_search.kernels import keep_factors, reference


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("shape", [(1, 1), (300, 37), (0, 4)])
def test_compiled_equals_plain(rate: float, shape: tuple[int, int]) -> None:
    entries, width = shape
    keys = torch.randint(2**32, (entries,), generator=torch.Generator().manual_seed(entries))
    assert torch.equal(keep_factors(keys, rate, width), reference.keep_factors(keys, rate, width))


def test_the_share_that_is_kept() -> None:
    factors = keep_factors(torch.arange(2000), 0.3, 50)
    assert set(factors.unique().tolist()) == {0.0, factors.max().item()}
    assert float((factors > 0).float().mean()) == pytest.approx(0.7, abs=0.01)
    assert float(factors.mean()) == pytest.approx(1.0, abs=0.01)
