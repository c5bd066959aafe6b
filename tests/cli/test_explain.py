"""explain: on runs of train and on trials of a sweep, by name or folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from typer.testing import Result

from pdf_search.records import Phase, Protocol, State, SweepRecord, TrialRecord
from pdf_search.results import Store
from tests.cli.conftest import Run

LAP = "basis={pairs: [[-0.5, 1], [-0.5, 2], [-0.5, 3], [-0.5, 4], [-0.5, 5]]}"
PLAIN = ("model.filter=lin", "model.softmax=false", "model.filter_norm=false")


def sets(*values: str) -> list[str]:
    return [word for value in values for word in ("--set", value)]


@pytest.fixture
def mutag(run: Run, excerpts: Path) -> Callable[..., Result]:
    """A run of one epoch on MUTAG."""

    def train(name: str, *words: str) -> Result:
        small = sets("model.hidden=16", "model.layers=2")
        return run(
            *("train", "mutag", "--data-root", excerpts, "--epochs", 1, "--name", name),
            *small,
            *words,
        )

    return train


def test_lap_lin_commutes_and_the_published_filter_does_not(
    run: Run, home: Path, mutag: Callable[..., Result], excerpts: Path
) -> None:
    mutag("lap", *sets(LAP, *PLAIN))
    mutag("published")
    place = ["--data-root", excerpts, "--channels", "3"]  # one is drawn, all are measured
    found = {
        name: json.loads(run("explain", name, *place, "--json").stdout)
        for name in ("lap", "published")
    }
    assert found["lap"]["over_channels"]["commutator"]["max"] < 1e-6
    assert found["published"]["over_channels"]["commutator"]["median"] > 1e-3
    folder = home / "runs" / "lap" / "explain"
    assert found["lap"]["folder"] == str(folder)
    assert sorted(file.name for file in folder.iterdir()) == found["lap"]["files"]


def test_what_is_printed_and_what_is_refused(
    run: Run, home: Path, mutag: Callable[..., Result], excerpts: Path
) -> None:
    mutag("one")
    place = ["--data-root", excerpts]
    words = ["explain", home / "runs" / "one", *place, "--graph", 7, "--channels", "3,1"]
    result = run(*words, "--replicate", 2, "--to", home / "here")
    assert "Graph 7" in result.stdout
    assert "fold 2" in result.stdout
    assert "channel 3 " in result.stdout
    assert "median of 16 channels" in result.stdout
    assert "(eps, k) that the network needs" in result.stdout
    assert (home / "here" / "explain.html").is_file()
    refused = {
        ("one", "--graph", 64): "graphs 0..63",
        ("one", "--channels", "3,x"): "write numbers with commas",
        ("one", "--channels", "99"): "channels 0..15",
        ("one", "--replicate", 10): "replicates 0..9",
        ("nowhere",): "no sweep and no trained model in",
    }
    for more, reason in refused.items():
        assert reason in run("explain", *more, *place, code=2).stderr


def test_trials_of_a_sweep(
    run: Run, home: Path, mutag: Callable[..., Result], excerpts: Path
) -> None:
    mutag("one")
    _sweep(home)
    place = ["--data-root", excerpts, "--phase", "confirm", "--channels", "3"]
    result = json.loads(run("explain", "s", "--trial", 0, *place, "--json").stdout)
    assert result["folder"] == str(home / "runs" / "s" / "explain" / "confirm-0")
    assert result["weights_of"] == "last epoch"
    assert "name one of its trials with --trial" in run("explain", "s", *place, code=2).stderr
    gone = run("explain", "s", "--trial", 1, *place, code=2)
    assert "is PRUNED and has no checkpoint" in gone.stderr
    assert "has no trial 5" in run("explain", "s", "--trial", 5, *place, code=1).stderr


def _sweep(home: Path) -> None:
    """A sweep's database, with a trial that the run ``one`` trained, and one that was stopped."""
    folder = home / "runs" / "s"
    folder.mkdir()
    config = yaml.safe_load((home / "runs" / "one" / "config.yaml").read_text())
    sweep = SweepRecord(
        name="s",
        space="mutag",
        space_definition={},
        dataset="mutag",
        fingerprint="",
        split_hash="",
        metric="accuracy",
        protocol=Protocol.GIN_CURVE,
        method="random",
        seed=0,
        trials=2,
        epochs=1,
    )
    with Store(f"sqlite:///{folder / 'results.db'}") as store:
        store.create_sweep(sweep)
        kept = str(home / "runs" / "one")
        for number, (state, checkpoint) in enumerate([(State.COMPLETE, kept), (State.PRUNED, "")]):
            trial = TrialRecord("s", Phase.CONFIRM, number, config, "hash", state)
            store.save_trial(replace(trial, checkpoint=checkpoint))
