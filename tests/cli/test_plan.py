"""plan: what a sweep would do, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pdf_search.space import paper_trial
from tests.cli.conftest import Run
from tests.cli.test_data import MOLECULES


def test_plan(run: Run, home: Path) -> None:
    options = ["--trials", 5, "--epochs", 30, "--top-k", 2, "--seeds", 3, "--name", "mine"]
    plan = json.loads(run("plan", "freesolv", *options, "--json").stdout)
    assert (plan["trials"], plan["epochs"], plan["name"]) == (5, 30, "mine")
    assert plan["confirm"] == {"top_k": 2, "seeds": 3, "epochs": 30}
    assert plan["first"]["phase"] == "search"
    assert plan["folder"] == str(home / "runs" / "mine")
    assert "5 trials" in run("plan", "freesolv", *options).stdout
    assert not (home / "runs").exists()


def test_nothing_is_confirmed_on_request(run: Run) -> None:
    plan = json.loads(run("plan", "freesolv", "--top-k", 0, "--json").stdout)
    assert plan["confirm"]["top_k"] == 0


def test_the_portfolio_can_be_left_out(run: Run) -> None:
    with_it = json.loads(run("plan", "freesolv", "--json").stdout)
    without = json.loads(run("plan", "freesolv", "--no-portfolio", "--json").stdout)
    assert set(with_it["portfolio"][0]) >= {"basis", "model.hidden", "training.learning_rate"}
    assert without["portfolio"] == []


def test_plan_begins_with_the_published_setting(run: Run, excerpts: Path) -> None:
    words = ["--data-root", excerpts, "--set", "data.train_fraction=0.05", "--json"]
    plan = json.loads(run("plan", "mutag", *words).stdout)
    assert plan["first_is_published"]
    published = paper_trial("mutag")
    for part in ("model", "training"):
        for key, value in published[part].items():
            if not isinstance(value, dict):
                assert plan["first"][part][key] == value
    assert plan["first"]["data"]["train_fraction"] == 0.05


EXAMPLE = Path(__file__).parents[2] / "examples" / "hydration.yaml"
README_WORDS = [
    "freesolv",
    *("--set", "data.name=csv", "--set", "data.path=own.csv"),
    *("--set", "data.smiles=SMILES", "--set", "data.targets=[logS]", "--metric", "rmse"),
]


@pytest.mark.parametrize(("words", "graphs"), [(README_WORDS, 30), ([EXAMPLE], 120)])
def test_plan_for_own_molecules(run: Run, home: Path, words: list[object], graphs: int) -> None:
    (home / "own.csv").write_text(MOLECULES)
    plan = json.loads(run("plan", *words, "--json").stdout)
    assert (plan["data"], plan["graphs"], plan["metric"]) == ("csv", graphs, "rmse")
    assert plan["protocol"] == "split"


def test_an_earlier_sweep_that_is_not_there_is_named(run: Run) -> None:
    result = run("plan", "freesolv", "--from", "nosuch", "--from", "other", code=1)
    assert "no sweep in" in result.stderr
    assert "nosuch" in result.stderr
