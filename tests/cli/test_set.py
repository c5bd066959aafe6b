"""``--set`` means the same in every verb that takes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from pdf_search.config import BasisConfig
from pdf_search.errors import ConfigError
from tests.cli.conftest import Run

BASIS = "{eps: [-0.4], k: {low: 1, high: 2}, support: {hops: 2}, standardise: true, diagonals: [1]}"
SET = ["--set", "basis={pairs: [[-0.1, 2]]}"]
WANTED = BasisConfig.model_validate(
    {"pairs": [[-0.1, 2]], "support": {"hops": 2}, "standardise": True, "diagonals": [1]}
)
OWN = f"""
data: {{name: freesolv}}
basis: {BASIS}
model: {{hidden: 4, layers: 1}}
training: {{epochs: 1, batch_size: 32}}
"""
ROWS = f"""
title: One
table: results
seeds: 1
rows: [{{name: a, data: {{name: freesolv}}, basis: {BASIS}}}]
"""


@pytest.fixture(autouse=True)
def _files(home: Path) -> None:
    (home / "own.yaml").write_text(OWN)
    (home / "rows.yaml").write_text(ROWS)
    (home / "own.csv").write_text("S,y\nCCO,0.5\nCCC,1.5\nCCN,2.5\n")


def seen_by(monkeypatch: pytest.MonkeyPatch, name: str) -> list[Any]:
    """What the verb gives to the function that would run it."""
    seen: list[Any] = []

    def stop(plan: Any, **_: Any) -> None:
        seen.append(plan)
        raise ConfigError("seen")

    monkeypatch.setattr(f"pdf_search.cli.execution.{name}", stop)
    return seen


def test_plan(run: Run) -> None:
    first = json.loads(run("plan", "./own.yaml", *SET, "--json").stdout)["first"]
    assert BasisConfig.model_validate(first["basis"]) == WANTED


def test_sweep(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = seen_by(monkeypatch, "run_sweep")
    run("sweep", "./own.yaml", *SET, code=2)
    assert seen[0].first.basis == WANTED


def test_study(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = seen_by(monkeypatch, "run_sweep")
    run("study", "./rows.yaml", *SET, code=2)
    assert seen[0].study.rows[0].config.basis == WANTED


def test_train(run: Run, home: Path) -> None:
    run("train", "./own.yaml", *SET)
    config = yaml.safe_load((home / "runs" / "train-own" / "config.yaml").read_text())
    assert BasisConfig.model_validate(config["basis"]) == WANTED


def test_spaces(run: Run) -> None:
    words = ["spaces", "./own.yaml", "--set", "basis={pairs: {choice: [[[-0.1, 2]], [[0, 1]]]}}"]
    (parameter,) = json.loads(run(*words, "--json").stdout)["parameters"]
    assert parameter["path"] == "basis.pairs"


def test_data(run: Run) -> None:
    apart = ["--set", "data.smiles=S", "--set", "data.targets=[y]"]
    together = ["--set", "data={smiles: S, targets: [y]}"]
    found = [run("data", "own.csv", *words, "--json").stdout for words in (apart, together)]
    assert json.loads(found[0]) == json.loads(found[1])
    assert json.loads(found[0])["graphs"] == 3


def test_data_has_no_basis(run: Run) -> None:
    words = [*SET, "--set", "data.smile=S", "--set", "data.split_seed=x"]
    said = run("data", "own.csv", *words, code=2).stderr
    assert "--set basis={pairs: [[-0.1, 2]]}: basis: unknown path; known: data\n" in said
    assert "--set data.smile=S: data.smile: unknown path; did you mean smiles?" in said
    assert "--set data.split_seed=x: data.split_seed: 'x' does not fit: give a whole" in said
