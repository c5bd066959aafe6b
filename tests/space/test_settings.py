"""What ``--set``, a file that extends a space and a row of a study do to what is below them."""

from __future__ import annotations

from typing import Any

import pytest

from pdf_search.config import BasisConfig
from pdf_search.errors import SpaceError
from pdf_search.space import load_space, load_study
from pdf_search.space.settings.merge import lay_over, nested, overlay, tree_differences

from .conftest import Write

BELOW = (
    "{eps: {low: -0.4, high: -0.2, step: 0.2}, k: {low: 2, high: 3}, "
    "support: {hops: 2}, standardise: true, diagonals: [-0.5]}"
)
KEPT: dict[str, Any] = {"support": {"hops": 2}, "standardise": True, "diagonals": [-0.5]}
SETS = [
    (["basis={pairs: [[-0.1, 4]]}"], {"pairs": [[-0.1, 4]], **KEPT}),
    (["basis={eps: [-0.1], k: 1}"], {"eps": [-0.1], "k": 1, **KEPT}),
    (["basis={powers: {-0.1: 4}}"], {"powers": {-0.1: 4}, **KEPT}),
    (["basis.pairs=[[-0.1, 4]]"], {"pairs": [[-0.1, 4]], **KEPT}),
    (["basis.eps=[-0.1]"], {"eps": [-0.1], "k": {"low": 2, "high": 3}, **KEPT}),
    (["basis={k: {high: 5}}"], {"eps": [-0.4, -0.2], "k": {"low": 1, "high": 5}, **KEPT}),
    (["basis.k.high=5"], {"eps": [-0.4, -0.2], "k": {"low": 2, "high": 5}, **KEPT}),
    (
        ["basis.eps.step=0.1"],
        {"eps": [-0.4, -0.3, -0.2], "k": {"low": 2, "high": 3}, **KEPT},
    ),
    (
        ["basis={support: dense, diagonals: []}"],
        {"eps": [-0.4, -0.2], "k": {"low": 2, "high": 3}, "standardise": True},
    ),
    (
        ["basis.support.hops=4", "basis.standardise=false"],
        {
            "eps": [-0.4, -0.2],
            "k": {"low": 2, "high": 3},
            "support": {"hops": 4},
            "diagonals": [-0.5],
        },
    ),
    (
        ["basis={powers: {-0.1: 4, -0.2: 3}}", "basis.powers.-0.2=2"],
        {"powers": {-0.1: 4, -0.2: 2}, **KEPT},
    ),
]


def meaning(basis: BasisConfig) -> tuple[Any, ...]:
    return basis.grid, basis.diagonals, basis.hops, basis.standardise


@pytest.mark.parametrize(("sets", "expected"), SETS)
def test_set_of_a_basis_is_the_same_in_a_space_and_a_study(
    write: Write, sets: list[str], expected: dict[str, Any]
) -> None:
    space = load_space(write(f"data: {{name: zinc}}\nbasis: {BELOW}\n"), sets)
    row = f"{{name: a, data: {{name: zinc}}, basis: {BELOW}}}"
    study = load_study(write(f"title: t\ntable: results\nrows:\n  - {row}\n"), sets)
    wanted = meaning(BasisConfig.model_validate(expected))
    assert meaning(space.config({}).basis) == wanted
    assert meaning(study.rows[0].config.basis) == wanted


def test_a_row_is_laid_over_as_set_is(write: Write) -> None:
    rows = (
        "  - name: a\n    candidates:\n"
        "      - {name: x, paper: zinc, basis: {pairs: [[-0.1, 4]]}}\n"
        "      - {name: y, paper: zinc, basis: {support: dense}}\n"
    )
    head = "title: t\ntable: results\nprotocols: [nested]\nrows:\n"
    below = load_study(write(f"{head}{rows}")).rows
    paper = load_study("paper/zinc").rows[0].config.basis
    assert meaning(below[0].config.basis) == (((-0.1, 4),), *meaning(paper)[1:])
    assert meaning(below[1].config.basis) == (
        paper.grid,
        paper.diagonals,
        None,
        paper.standardise,
    )


def test_a_basis_that_is_a_choice_is_replaced_as_a_whole(small: str) -> None:
    space = load_space(small, ["basis={pairs: [[-0.1, 4]]}"])
    assert not [p for p in space.parameters() if p.path.startswith("basis")]
    inside = load_space(small, ["basis.window={pairs: [[-0.1, 4]]}"])
    assert "basis.window.support" in {p.path for p in inside.parameters()}
    assert "basis.window.k.high" not in {p.path for p in inside.parameters()}


def test_options_may_have_the_names_of_settings(write: Write) -> None:
    text = "data: {name: zinc}\nbasis: {choice: {pairs: {pairs: [[0, 1]]}, eps: {eps: [0], k: 1}}}"
    space = load_space(write(text), ["basis.eps.k=3"])
    assert space.config({"basis": "eps"}).basis.grid == ((0, 3),)
    assert space.config({"basis": "pairs"}).basis.grid == ((0, 1),)


def test_a_mapping_changes_the_keys_it_names(small: str) -> None:
    space = load_space(small, ["model={hidden: 8}", "budget={epochs: 3}"])
    assert "model.filter" in {p.path for p in space.parameters()}
    assert (space.defaults.trials, space.defaults.epochs) == (5, 3)


def test_a_schedule_of_another_kind_replaces_the_one_below(write: Write) -> None:
    text = (
        "data: {name: zinc}\nbasis: {pairs: [[0, 1]]}\n"
        "training: {schedule: {kind: step, warmup: 2, step: 3, gamma: 0.5}}\n"
    )
    for sets in (["training.schedule.kind=cosine"], ["training={schedule: {kind: cosine}}"]):
        schedule = load_space(write(text), sets).config({}).training.schedule
        assert (schedule.kind, schedule.warmup) == ("cosine", 0)
    schedule = load_space(write(text), ["training.schedule.gamma=0.1"]).config({}).training.schedule
    assert (schedule.kind, schedule.warmup) == ("step", 2)


@pytest.mark.parametrize("said", [["data.name=zinc"], ["data={name: zinc}"]])
def test_another_data_set_drops_what_is_said_of_the_one_below(
    write: Write, said: list[str]
) -> None:
    data = "{name: csv, path: none.csv, targets: [y], split_seed: 3, train_fraction: 0.5}"
    basis = "basis: {pairs: [[0, 1]]}"
    space = load_space(write(f"data: {data}\n{basis}\n"), said)
    study = load_study(
        write(f"title: t\ntable: results\nrows: [{{name: a, data: {data}, {basis}}}]\n"), said
    )
    for config in (space.config({}), study.rows[0].config):
        assert (config.data.name, config.data.path, config.data.targets) == ("zinc", None, ())
        assert (config.data.split_seed, config.data.train_fraction) == (3, 0.5)


def test_the_data_set_may_be_named_after_its_file(tmp_path: Any, write: Write) -> None:
    (tmp_path / "own.csv").write_text("smiles,y\nCCO,0.5\nCCC,1.5\nCCN,2.5\n")
    sets = [f"data.path={tmp_path / 'own.csv'}", "data.targets=[y]", "data.name=csv"]
    text = "data: {name: zinc}\nbasis: {pairs: [[0, 1]]}\n"
    assert load_space(write(text), sets).config({}).data.targets == ("y",)


@pytest.mark.parametrize("load", [load_space, load_study])
def test_an_empty_mapping_is_refused(load: Any) -> None:
    name = "paper/zinc" if load is load_study else "zinc"
    with pytest.raises(SpaceError, match=r"--set model=\{\}: model: nothing is changed by \{\}"):
        load(name, ["model={}"])


def test_laying_over_leaves_both_as_they_are() -> None:
    below, above = {"model": {"hidden": 3, "x": [1]}}, {"model": {"hidden": {"choice": [1]}}}
    laid = overlay(below, above)
    assert laid == {"model": {"hidden": {"choice": [1]}, "x": [1]}}
    laid["model"]["hidden"]["choice"].append(2)
    assert (below["model"]["hidden"], above["model"]["hidden"]) == (3, {"choice": [1]})


def test_the_places_of_what_is_replaced_are_forgotten() -> None:
    marks = {("basis", "powers", "-0.1"): "a:1", ("basis", "support"): "a:2", ("model",): "a:3"}
    tree = {"basis": {"powers": {"-0.1": 2}, "support": "dense"}, "model": {}}
    lay_over(tree, nested(("basis", "pairs"), [[0, 1]]), marks, steps=1)
    assert tree == {"basis": {"pairs": [[0, 1]], "support": "dense"}, "model": {}}
    assert marks == {("basis", "support"): "a:2", ("model",): "a:3"}


def test_differences_name_the_place_and_both_values() -> None:
    mine, theirs = {"a": {"b": 1, "c": [1]}, "d": 2}, {"a": {"b": 2, "c": [1]}, "e": 3}
    found = {path: (mine, theirs) for path, mine, theirs in tree_differences(mine, theirs)}
    assert found["a.b"] == (1, 2)
    assert set(found) == {"a.b", "d", "e"}
