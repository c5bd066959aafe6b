"""``model.storage: bfloat16``: what it changes, how much, and in what it is refused."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdf_search.config import parse_trial
from pdf_search.errors import ConfigError
from tests.graphs.makers import SHAPES, basis, graph_set, shape_of
from tests.model.test_fast_engine import GRID, VARIANTS, Step
from tests.training.trials import trial


def off(ours: Tensor, theirs: Tensor) -> float:
    return float((ours - theirs).norm() / theirs.norm())


@pytest.mark.parametrize("variant", VARIANTS)
def test_outputs_and_gradients_differ_by_rounding(variant: str) -> None:
    """By less than a hundredth of their size, against the reference in float64; all are float32."""
    graphs = graph_set(SHAPES, edges=True, seed=4)
    numbers = torch.tensor([[3, 0, 4, 1, 2, 5, 7], [6, 8, 5, 2, 3, -1, -1]])
    shape, config = shape_of(graphs), VARIANTS[variant]
    stored = config.model_copy(update={"storage": "bfloat16"})
    half, full, truth = (
        Step(engine, settings, shape, graphs, basis(GRID), numbers)
        for engine, settings in (("fast", stored), ("fast", config), ("reference", config))
    )
    assert off(full.out, truth.out) < 1e-5
    for ours, theirs in ((half.out, truth.out), (half.evaluated, truth.evaluated)):
        assert ours.dtype == torch.float32
        assert 1e-5 < off(ours, theirs) < 1e-2
    size = sum(float(g.square().sum()) for g in truth.grads.values() if g is not None) ** 0.5
    for name, theirs in truth.grads.items():
        ours = half.grads[name]
        if theirs is None or ours is None:
            assert theirs is ours is None, name
            continue
        assert ours.dtype == torch.float32
        assert float((ours - theirs).norm()) < 2e-2 * float(theirs.norm()) + 1e-3 * size, name


def test_it_is_part_of_the_identity_where_it_is_used() -> None:
    assert trial().content_hash() == trial(model={"storage": "float32"}).content_hash()
    assert trial().content_hash() != trial(model={"storage": "bfloat16"}).content_hash()


@pytest.mark.parametrize("other", [{"engine": "reference"}, {"model": {"architecture": "gin"}}])
def test_it_is_refused_where_nothing_is_stored(other: dict[str, object]) -> None:
    tree = trial().model_dump(mode="json")
    parse_trial(tree | {"model": {"storage": "bfloat16"}})
    tree |= other
    tree["model"] = {"hidden": 8, **other.get("model", {}), "storage": "bfloat16"}  # type: ignore[dict-item]
    with pytest.raises(ConfigError, match="write storage: float32"):
        parse_trial(tree)
