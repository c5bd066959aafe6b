from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdf_search.config import (
    BasisConfig,
    CategoricalInput,
    DataConfig,
    InputShape,
    LinearInput,
    ModelConfig,
    NoInput,
)
from pdf_search.data import lookup
from pdf_search.model.network import PDFNetwork
from pdf_search.parameters import parameter_count
from pdf_search.records import Replicate, Task
from tests.graphs.makers import quick

ZINC = ModelConfig(hidden=160, layers=6)
ZINC_BASIS = BasisConfig(eps=(-0.1, -0.2, -0.3, -0.4, -0.5), k=4)
PCBA = ModelConfig(
    hidden=384,
    layers=8,
    filter_norm=True,
    softmax=True,
    ffn_activation="relu",
    readout="max",
)


def counted(model: PDFNetwork) -> int:
    return sum(p.numel() for p in model.parameters())


def shape(name: str) -> InputShape:
    found = lookup(DataConfig(name=name)).shape
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("changes", "count"),
    [
        ({}, 499_681),
        ({"channels": "shd"}, 474_082),
        ({"hidden": 161}, 505_863),
        ({"filter": "lin"}, 473_921),
        ({"filter": "1l"}, 473_921),
        ({"channels": "shd", "filter": "lin"}, 472_808),
        ({"channels": "shd", "filter": "1l"}, 472_808),
    ],
)
def test_published_counts_on_zinc(changes: dict[str, object], count: int) -> None:
    model = ModelConfig.model_validate({**ZINC.model_dump(), **changes})
    assert counted(PDFNetwork(model, shape("zinc"), ZINC_BASIS.size)) == count
    assert parameter_count(model, ZINC_BASIS.size, shape("zinc")) == count


@pytest.mark.parametrize(
    ("eps", "count"),
    [((-0.2, -0.25, -0.3, -0.35), 3_840_512), ((-0.15, -0.2, -0.25, -0.3, -0.35), 3_842_432)],
)
def test_published_counts_on_molpcba(eps: tuple[float, ...], count: int) -> None:
    basis = BasisConfig.model_validate({"eps": eps, "k": {"low": 1, "high": 5}})
    assert counted(PDFNetwork(PCBA, shape("ogbg-molpcba"), basis.size)) == count
    assert parameter_count(PCBA, basis.size, shape("ogbg-molpcba")) == count


models = st.builds(
    ModelConfig,
    hidden=st.integers(1, 12),
    layers=st.integers(1, 3),
    filter=st.sampled_from(["lin", "1l", "2l"]),
    channels=st.sampled_from(["idp", "shd"]),
    filter_norm=st.booleans(),
    softmax=st.booleans(),
    ffn_norm=st.booleans(),
    readout=st.sampled_from(["mean", "max", "sum"]),
    head=st.sampled_from(["linear", "mlp"]),
)
sizes = st.lists(st.integers(1, 6), min_size=1, max_size=3).map(tuple)
categorical = st.builds(CategoricalInput, sizes=sizes, frozen_zero=st.booleans())
linear = st.builds(LinearInput, features=st.integers(1, 5))
shapes = st.builds(
    InputShape,
    nodes=st.one_of(categorical, linear),
    edges=st.one_of(categorical, linear, st.just(NoInput())),
    outputs=st.integers(1, 4),
    task=st.just(Task.MULTILABEL),
)


@quick
@given(models, shapes, st.integers(2, 9), st.integers(1, 3))
def test_closed_form_equals_the_model(
    model: ModelConfig, shape: InputShape, bases: int, replicates: int
) -> None:
    network = PDFNetwork(model, shape, bases, [Replicate(seed) for seed in range(replicates)])
    assert counted(network) == replicates * parameter_count(model, bases, shape)
    assert all(len(p) == replicates for p in network.parameters())
    assert all(len(b) == replicates for b in network.buffers())


def test_the_largest_model_that_a_configuration_allows_fits_an_integer_of_the_database() -> None:
    largest = {"hidden": 65_536, "layers": 1_000, "head": "mlp", "filter_norm": True}
    most_bases = BasisConfig.model_validate(
        {"eps": {"low": -0.5, "high": 0, "step": 1e-4}, "k": 16}
    )
    wide = InputShape(
        nodes=CategoricalInput(sizes=(10**9,)),
        edges=LinearInput(features=10**9),
        outputs=10**9,
        task=Task.REGRESSION,
    )
    model = ModelConfig.model_validate(largest)
    assert parameter_count(model, most_bases.size, wide) < 2**63
