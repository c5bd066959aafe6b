"""bases: which (eps, k) a data set can tell apart, by data set, space and run."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run
from tests.cli.test_train import SMALL

SHORT = ["--eps", "0,-0.25,-0.5", "--k", "1,2,3"]


def test_what_is_printed(run: Run) -> None:
    text = run("bases", "freesolv", *SHORT).stdout
    assert "node pairs of 513 of 513 training graphs (all pairs)" in text
    assert "9 bases of (eps, k)" in text
    for title in ("Bundles of bases", "Bases that compact keeps", "Correlation along k"):
        assert title in text
    assert "eps -0.25" in text
    assert "1     (0, 1)" in text


def test_the_same_for_programs(run: Run) -> None:
    found = json.loads(run("bases", "freesolv", *SHORT, "--json").stdout)
    assert (found["data"], found["support"], found["standardise"]) == ("freesolv", "dense", False)
    assert (found["graphs"], found["training_graphs"], found["kept"]) == (513, 513, 8)
    assert len(found["grid"]) == len(found["picks"]) == len(found["left"]) == 9
    assert sum(len(bundle) for bundle in found["bundles"]) == 9
    assert found["left"] == sorted(found["left"], reverse=True)
    assert 1 <= found["effective_rank"] <= 9


def test_pairs_and_split_as_asked(run: Run) -> None:
    words = ["--hops", 2, "--standardise", "--set", "data.train_fraction=0.5", "--json"]
    found = json.loads(run("bases", "freesolv", *SHORT, *words).stdout)
    assert (found["support"], found["standardise"]) == ({"hops": 2}, True)
    assert found["training_graphs"] == 256


def test_a_run_and_its_data(run: Run, home: Path) -> None:
    half = "data.train_fraction=0.5"
    run("train", "freesolv", *SMALL, "--epochs", 1, "--name", "mine", "--set", half)
    found = json.loads(run("bases", home / "runs" / "mine", *SHORT, "--json").stdout)
    assert (found["data"], found["training_graphs"]) == ("freesolv", 256)
    refused = run("bases", "mine", "--set", half, code=2)
    assert "is a run, whose data are settled" in refused.stderr


def test_mistakes(run: Run) -> None:
    assert "--k 'one': write numbers" in run("bases", "freesolv", "--k", "one", code=2).stderr
    assert "outside [-0.5, 0]" in run("bases", "freesolv", "--eps", "0.5", code=2).stderr
    assert "nowhere" in run("bases", "nowhere", code=2).stderr
