"""The shipped spaces: one a data set, loadable without torch, with the schema that editors use."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import files
from itertools import islice
from random import Random
from typing import Any

import jsonschema
import pytest

from pdf_search.data.registry import lookup
from pdf_search.errors import SpaceError
from pdf_search.space import Choice, Parameter, Space, load_space, space_names, space_schema
from pdf_search.space.files.yaml_reader import read_yaml
from pdf_search.space.schema import schema_text

PAPER = [
    "enzymes",
    "imdb-binary",
    "mutag",
    "nci1",
    "nci109",
    "ogbg-molpcba",
    "ogbg-ppa",
    "proteins",
    "ptc_mr",
    "reddit-binary",
    "zinc",
]
OTHERS = ["ogbg-molhiv", "ogbg-molesol", "ogbg-moltox21"]


def random_points(space: Space, count: int) -> list[dict[str, Any]]:
    rng = Random(0)

    def choose(parameter: Parameter) -> Any:
        domain = parameter.domain
        if domain.values is not None:
            return rng.choice(domain.values)
        assert not isinstance(domain, Choice)
        return rng.uniform(domain.low, domain.high)

    return [space.sample(choose) for _ in range(count)]


def test_every_data_set_of_the_paper_and_the_quickstart_has_a_space() -> None:
    assert space_names() == sorted([*PAPER, "freesolv"])


@pytest.mark.parametrize("name", [*PAPER, "freesolv", *OTHERS])
def test_each_space_is_for_its_data_set(name: str) -> None:
    space = load_space(name)
    assert space.name == name
    assert space.description
    points = random_points(space, 30)
    data = space.config(points[0]).data
    info = lookup(data)
    assert data.name == name
    assert space.defaults.metric == info.metric
    assert space.defaults.protocol == info.protocol
    assert (space.defaults.folds is None) == (info.protocol == "split")
    assert info.shape is not None
    broken = [space.violations(space.config(point), info.shape) for point in points]
    assert broken.count([]) >= 10, "limits refuse most of the space"


@pytest.mark.parametrize("name", PAPER)
def test_the_published_setting_is_within_the_limits(name: str) -> None:
    space = load_space(name)
    (point,) = space.points_to_evaluate
    config = space.config(point)
    shape = lookup(config.data).shape
    assert shape is not None
    assert space.violations(config, shape) == []
    assert space.notes == ()


def test_zinc_counts_its_parameters() -> None:
    space = load_space("zinc")
    config = space.config({**space.points_to_evaluate[0], "model.hidden": 176})
    shape = lookup(config.data).shape
    assert shape is not None
    (message,) = space.violations(config, shape)
    assert message.startswith("limit parameters <= 510_000: parameters = 60")


def test_other_molecule_sets_use_the_space_of_molpcba() -> None:
    hiv, pcba = load_space("ogbg-molhiv"), load_space("ogbg-molpcba")
    assert hiv.defaults.metric == "rocauc"
    assert pcba.defaults.metric == "ap"
    assert load_space("ogbg-molesol").defaults.metric == "rmse"
    assert hiv.defaults.epochs > pcba.defaults.epochs
    shared = {p.path for p in pcba.parameters()} - {p.path for p in hiv.parameters()}
    assert not shared
    (note,) = hiv.notes
    assert note.startswith("the published setting ogbg-molpcba runs with data.name = ogbg-molhiv")


@pytest.mark.parametrize("name", ["ogbg-molhive", "ogbg-molxyz"])
def test_a_set_that_ogb_does_not_have(name: str) -> None:
    with pytest.raises(SpaceError, match=f"no search space '{name}'"):
        load_space(name)


def test_names_are_forgiving() -> None:
    assert load_space("MUTAG").name == "mutag"
    assert load_space("imdb-b").name == "imdb-binary"


def test_freesolv_is_small() -> None:
    space = load_space("freesolv")
    assert space.defaults.trials == 16
    assert space.defaults.confirm_top_k == 3
    assert space.defaults.confirm_seeds == 4
    assert space.defaults.epochs <= 60
    for point in random_points(space, 50):
        config = space.config(point)
        assert config.model.hidden <= 96
        assert config.basis.size <= 26
        assert config.training.standardise_targets


def test_nothing_heavy_is_imported() -> None:
    code = (
        "import sys; from pdf_search.space import load_space; load_space('zinc');"
        "print([m for m in ('torch', 'ray', 'optuna', 'pandas', 'search_spaces') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(json.loads(done.stdout.replace("'", '"'))) <= {"search_spaces"}


def test_a_space_extends_a_shipped_one(tmp_path: Any) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("extends: mutag\nbudget: {trials: 3}\nmodel: {hidden: {choice: [16, 256]}}\n")
    space, base = load_space(str(path)), load_space("mutag")
    assert space.name == "mine"
    assert space.defaults.trials == 3
    assert space.defaults.confirm_top_k == base.defaults.confirm_top_k
    assert space.points_to_evaluate == base.points_to_evaluate
    domains = {p.path: p.domain for p in space.parameters()}
    assert domains == {p.path: p.domain for p in base.parameters()} | {
        "model.hidden": Choice((16, 256))
    }


def test_the_shipped_schema_is_current() -> None:
    shipped = files("search_spaces").joinpath("schema.json").read_text(encoding="utf-8")
    assert shipped == schema_text(space_schema()), "write it to schema.json"


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(space_schema())


@pytest.mark.parametrize("name", [*PAPER, "freesolv", "families/ogbg-mol", "paper/zinc"])
def test_shipped_files_fit_the_schema(name: str) -> None:
    text = files("search_spaces").joinpath(f"{name}.yaml").read_text(encoding="utf-8")
    validator = jsonschema.Draft202012Validator(space_schema())
    errors = [
        f"{e.json_path}: {e.message}" for e in validator.iter_errors(read_yaml(text, "f").tree)
    ]
    assert errors == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"modle": {}},
        {"model": {"hiden": 3}},
        {"model": {"hidden": "many"}},
        {"model": {"hidden": {"choise": [1]}}},
        {"model": {"hidden": {"range": [1]}}},
        {"training": {"schedule": {"kind": "step", "gama": 0.5}}},
        {"budget": {"trials": 0}},
        {"training": {"epochs": {"choice": [1, 2]}}},
    ],
)
def test_the_schema_finds_mistakes(wrong: dict[str, Any]) -> None:
    validator = jsonschema.Draft202012Validator(space_schema())
    assert list(islice(validator.iter_errors(wrong), 1))
