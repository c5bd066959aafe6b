"""``filter: fixed``, ``filter_bias: false`` and diagonals in the model, on both engines."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from pydantic import ValidationError

from pdf_search.config import BasisConfig, ModelConfig, TrialConfig
from pdf_search.graphs.bank_builder import build_bank
from pdf_search.model.filters import Filter
from pdf_search.model.network import PDFNetwork
from pdf_search.parameters import parameter_count
from pdf_search.records import Replicate
from tests.graphs.makers import SHAPES, graph_set, shape_of
from tests.model.networks import Setup
from tests.model.test_fast_engine import Step, assert_same

GRID: dict[str, Any] = {"pairs": ((-0.1, 2), (-0.5, 1)), "diagonals": (0.5, -0.5)}
COEFFICIENTS = (0.25, -1.0, 1.5, 0.0, 2.0)
FIXED = ModelConfig(hidden=8, layers=2, filter="fixed", coefficients=COEFFICIENTS, channels="shd")
MODELS = {
    "fixed": FIXED,
    "fixed softmax": FIXED.model_copy(update={"softmax": True}),
    "fixed dropout": FIXED.model_copy(update={"dropout": 0.3}),
    "lin without bias": ModelConfig(hidden=8, layers=2, filter="lin", filter_bias=False),
    "2l without bias": ModelConfig(hidden=8, layers=2, filter_bias=False, channels="shd"),
}
SUPPORTS: dict[str, dict[str, Any]] = {
    "dense": {},
    "dense standardised": {"standardise": True},
    "1 hop": {"support": {"hops": 1}},
}


@pytest.mark.parametrize("support", SUPPORTS)
@pytest.mark.parametrize("edges", [True, False])
@pytest.mark.parametrize("name", MODELS)
def test_the_engines_agree(name: str, edges: bool, support: str) -> None:
    graphs = graph_set(SHAPES, edges=edges, seed=4)
    basis = BasisConfig.model_validate({**GRID, **SUPPORTS[support]})
    numbers = torch.tensor([[3, 0, 4, 1, 2, 5, 7], [6, 8, 5, 2, -1, -1, -1]])
    fast, reference = (
        Step(engine, MODELS[name], shape_of(graphs), graphs, basis, numbers)
        for engine in ("fast", "reference")
    )
    assert_same(fast, reference)


def test_fixed_is_the_weighted_sum_of_the_bases() -> None:
    bank = build_bank(graph_set(SHAPES), BasisConfig.model_validate(GRID))
    rows = torch.from_numpy(bank.rows)
    f = Filter(FIXED, 5, [torch.Generator().manual_seed(seed) for seed in range(3)])
    for fused in (False, True):
        out = f(rows, torch.ones(3, len(rows), 1), fused)
        assert out.shape == (3, len(rows), 1)
        expected = (rows.double() @ torch.tensor(COEFFICIENTS, dtype=torch.float64))[:, None]
        for replicate in out:
            torch.testing.assert_close(replicate.double(), expected, rtol=1e-5, atol=1e-5)
    assert list(f.parameters()) == []


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("replicates", [1, 3])
def test_the_closed_form_count_is_the_models(name: str, replicates: int) -> None:
    shape = shape_of(graph_set(SHAPES))
    network = PDFNetwork(MODELS[name], shape, 5, [Replicate(seed) for seed in range(replicates)])
    counted = sum(p.numel() for p in network.parameters())
    assert counted == replicates * parameter_count(MODELS[name], 5, shape)
    assert all(len(b) == replicates for b in network.buffers())


def test_counts_written_out() -> None:
    shape = shape_of(graph_set(SHAPES))
    lin = ModelConfig(hidden=8, layers=2, filter="lin", channels="shd")
    count = {
        name: parameter_count(model, 5, shape)
        for name, model in {
            "lin": lin,
            "no bias": lin.model_copy(update={"filter_bias": False}),
            "fixed": FIXED,
        }.items()
    }
    assert count["lin"] - count["no bias"] == 1
    assert count["lin"] - count["fixed"] == 6


def test_the_rest_of_the_model_starts_as_with_a_learned_filter() -> None:
    lin = ModelConfig(hidden=8, layers=2, filter="lin", channels="shd")
    graphs = graph_set(SHAPES)
    basis = BasisConfig.model_validate(GRID)
    one, other = (dict(Setup.of(m, graphs, basis).model.named_parameters()) for m in (lin, FIXED))
    assert set(one) - set(other) == {"filter.linears.0.weight", "filter.linears.0.bias"}
    for name, value in other.items():
        torch.testing.assert_close(value, one[name])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"filter": "fixed", "channels": "shd"}, "go together"),
        ({"coefficients": (1.0, 2.0)}, "go together"),
        ({"filter": "fixed", "coefficients": (1.0, 2.0)}, "channels: shd"),
        (
            {"filter": "fixed", "coefficients": (1.0,), "channels": "shd", "filter_norm": True},
            "filter_norm: false",
        ),
        ({"filter_bias": False, "filter_norm": True}, "a constant of its own"),
    ],
)
def test_what_does_not_go_together_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        ModelConfig.model_validate(changes)


def trial(model: dict[str, Any], basis: dict[str, Any]) -> TrialConfig:
    return TrialConfig.model_validate({"data": {"name": "zinc"}, "basis": basis, "model": model})


def test_coefficients_must_fit_the_basis() -> None:
    fixed = FIXED.model_dump()
    assert trial(fixed, GRID).basis.size == 5
    with pytest.raises(
        ValidationError, match=r"5 coefficients.*3 places: I, \(-0\.1, 2\), \(-0\.5, 1\)"
    ):
        trial(fixed, {"pairs": GRID["pairs"]})


def test_what_decides_the_numbers_is_in_the_hash_and_older_hashes_stay() -> None:
    plain = {"pairs": GRID["pairs"]}
    trees = [
        ({}, plain),
        ({"filter_bias": False}, plain),
        ({}, GRID),
        ({}, {**GRID, "diagonals": (0.5,)}),
        (FIXED.model_dump(), GRID),
        ({**FIXED.model_dump(), "coefficients": (1.0, 2.0, 3.0, 4.0, 5.0)}, GRID),
    ]
    hashes = [trial(model, basis).content_hash() for model, basis in trees]
    assert len(set(hashes)) == len(trees)
    assert hashes[0] == trial({"filter_bias": True}, {**plain, "diagonals": ()}).content_hash()
    assert hashes[0] == "1cfcc253a5abb6f3"  # of version 0.1's first trials
