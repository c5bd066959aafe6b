"""Taxonomy settings laid over published settings and over spaces."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdf_search.config import DataConfig, InputShape, parse_trial
from pdf_search.data import lookup
from pdf_search.errors import SpaceError
from pdf_search.space import (
    Parameter,
    Space,
    load_space,
    paper_trial,
    taxonomy_names,
    taxonomy_setting,
)

DATA_SETS = ["zinc", "mutag", "proteins", "reddit-binary", "ogbg-molpcba", "ogbg-ppa"]
SPECTRAL = ["gcn", "sgc", "gin-0", "gpr", "bernnet", "jacobiconv", "pgso"]


@pytest.mark.parametrize("name", taxonomy_names())
@pytest.mark.parametrize("data_set", DATA_SETS)
def test_over_a_published_setting(data_set: str, name: str) -> None:
    """The bases and the filter are the setting's; every other number is the data set's own."""
    setting = taxonomy_setting(name)
    published = parse_trial(paper_trial(data_set))
    laid = parse_trial(setting.over(paper_trial(data_set)))
    kept = {"model": set(setting.model), "basis": setting.basis is not None}
    for key, value in published.model.model_dump(exclude=kept["model"]).items():
        assert getattr(laid.model, key) == value, key
    if setting.basis is None:
        assert laid.basis == published.basis
    assert laid.training == published.training
    assert laid.data == published.data


@pytest.mark.parametrize("name", taxonomy_names())
@pytest.mark.parametrize("data_set", DATA_SETS)
def test_over_a_space_the_published_setting_is_still_the_first_trial(
    data_set: str, name: str
) -> None:
    space = load_space(data_set, setting=name)
    (point,) = space.points_to_evaluate
    assert space.config(point) == parse_trial(taxonomy_setting(name).over(paper_trial(data_set)))
    assert space.notes == ()


@pytest.mark.parametrize("name", SPECTRAL)
def test_nothing_but_the_bases_shapes_the_matrix(name: str) -> None:
    config = parse_trial(taxonomy_setting(f"taxonomy/{name}").over(paper_trial("mutag")))
    assert config.model.filter in ("fixed", "lin")
    assert config.model.filter == "fixed" or not config.model.filter_bias
    assert not config.model.filter_norm
    assert not config.model.softmax
    assert not config.basis.standardise
    hops = config.basis.hops
    assert hops is None or hops >= max(k for _, k in config.basis.grid)


def test_bernnet_and_gpr_are_one_setting() -> None:
    gpr, bernnet = (taxonomy_setting(f"taxonomy/{name}") for name in ("gpr", "bernnet"))
    assert gpr.tree == bernnet.tree


def test_set_changes_what_was_laid_over() -> None:
    space = load_space("zinc", ["basis.k.high=10", "model.hidden=32"], "taxonomy/gpr")
    config = space.config(space.points_to_evaluate[0])
    assert config.basis.size == 11
    assert config.model.hidden == 32
    assert config.training.epochs == 351


def test_coefficients_that_do_not_fit_a_changed_basis_are_refused() -> None:
    with pytest.raises(SpaceError, match=r"model has 2 coefficients.*3 places"):
        load_space("zinc", ["basis.pairs=[[-0.5, 1], [-0.5, 2]]"], "taxonomy/gcn")


def test_a_misspelt_name() -> None:
    with pytest.raises(SpaceError, match=r"no setting 'taxonomy/gcm'; did you mean .*taxonomy/gcn"):
        load_space("zinc", setting="taxonomy/gcm")


def test_a_space_whose_model_is_a_choice(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("extends: zinc\nmodel: {choice: {small: {hidden: 8}, large: {hidden: 64}}}\n")
    with pytest.raises(SpaceError, match="model is a choice, so GCN cannot be laid over it"):
        load_space(str(path), setting="taxonomy/gcn")


def test_diagonals_and_coefficients_can_be_searched() -> None:
    space = load_space(
        "zinc",
        [
            "basis={pairs: [[-0.5, 1]], diagonals: {choice: [[], [-0.5, 1.0]]}}",
            "limits=[basis.size <= 3]",
            "published=[]",
        ],
    )
    (parameter,) = (p for p in space.parameters() if p.path == "basis.diagonals")
    sizes = {}
    for label in parameter.domain.values or ():
        point = space.sample(lambda p, label=label: label if p is parameter else _first(p))
        config = space.config(point)
        sizes[config.basis.diagonals] = (config.basis.size, space.violations(config, shape()))
    assert sizes[()] == (2, [])
    assert sizes[1.0, -0.5][0] == 4
    assert "basis.size = 4" in sizes[1.0, -0.5][1][0]
    space = load_space(
        "zinc",
        [
            "basis={pairs: [[-0.5, 1]]}",
            "model={filter: fixed, channels: shd, filter_norm: false}",
            "model.coefficients={choice: [[0, 1], [1, -1]]}",
            "published=[]",
        ],
    )
    found = {space.config({**_point(space), "model.coefficients": c}).model.coefficients
             for c in ("[0, 1]", "[1, -1]")}  # fmt: skip
    assert found == {(0, 1), (1, -1)}


def _first(parameter: Parameter) -> object:
    domain = parameter.domain
    return domain.values[0] if domain.values else domain.low  # type: ignore[union-attr]


def _point(space: Space) -> dict[str, object]:
    return space.sample(_first)


def shape() -> InputShape:
    found = lookup(DataConfig(name="zinc")).shape
    assert found is not None
    return found
