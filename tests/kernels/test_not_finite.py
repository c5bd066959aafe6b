"""Kernels carry inf and nan through, as torch does: a diverging trial is seen by its loss."""

from __future__ import annotations

import pytest
import torch

from pdf_search.model.layers import BatchNorm


@pytest.mark.parametrize("bad", [float("inf"), float("-inf"), float("nan"), 3e38])
@pytest.mark.parametrize("act", [None, "gelu", "relu"])
def test_batch_norm_of_a_value_that_is_not_finite(bad: float, act: str | None) -> None:
    norm = BatchNorm(5, 1)
    x = torch.randn(1, 40, 5)
    x[0, 3, 2] = bad
    x.requires_grad_()
    out = norm.fused(x, torch.zeros(1, 1, 5), torch.ones(1, 40, 1), act)
    out.sum().backward()
    assert not torch.isfinite(out[..., 2]).all() or bad == 3e38
    assert torch.isfinite(out[..., [0, 1, 3, 4]]).all()
