"""The ends of scripts that train for hours, from results that are kept."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import choose_portfolio
import numpy as np
import planted
import pytest
import record_curves
import searched_vs_paper
from planting.tasks import PlantedTask
from replay.curve_file import read_curves
from replay.recipes import EPOCHS, RECIPES

Words = Any  # a call with the words after the script's name


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch) -> Words:
    return lambda *words: monkeypatch.setattr(sys, "argv", ["script.py", *map(str, words)])


def test_the_shipped_portfolio_is_what_the_curves_on_file_choose(
    tmp_path: Path, say: Words
) -> None:
    say("--out", tmp_path / "entries.yaml")
    choose_portfolio.main()
    assert (tmp_path / "entries.yaml").read_text() == choose_portfolio.ENTRIES.read_text()


def error(recipe: int, seed: int, epoch: int) -> float:
    return 10.0 + recipe + seed / 100 - epoch / 50


@pytest.mark.slow
def test_recipes_that_are_trained_become_a_file_of_curves(
    tmp_path: Path, excerpts: Path, say: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PDF_SEARCH_CACHE", str(tmp_path / "cache"))
    parts = tmp_path / "parts"
    parts.mkdir()
    every = [(n, record_curves.SEEDS) for n in range(RECIPES)]
    for recipe, seeds in [*every, *((n, record_curves.MORE_SEEDS) for n in range(12))]:
        rows = [
            {"recipe": recipe, "seed": seed, "fold": None, "epoch": epoch, "train_loss": 0.0}
            | dict.fromkeys(("valid", "valid_mean"), error(recipe, seed, epoch))
            | dict.fromkeys(("test", "test_mean"), 2 * error(recipe, seed, epoch))
            for seed in seeds
            for epoch in range(1, EPOCHS + 1)
        ]
        (parts / f"freesolv-{recipe}-{seeds[0]}.json").write_text(json.dumps(rows))
    say("freesolv", "--data-root", excerpts, "--processes", 1, "--out", tmp_path, "--parts", parts)
    record_curves.main()
    curves = read_curves("freesolv", tmp_path)
    assert curves.seeds.sum(1).tolist() == [5] * 12 + [3] * (RECIPES - 12)  # the best have more
    assert curves.valid[7, 2, 19] == pytest.approx(-error(7, 13, 20), rel=1e-6)
    assert np.allclose(curves.tested()[:12], 2 * curves.final()[:12])


def test_planted_tasks_that_are_trained_become_tables(
    tmp_path: Path,
    say: Words,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(planted, "planted_molecules", lambda _: None)  # nothing is left to train
    results = []
    for task, seed, grid in planted.jobs():
        one: dict[str, Any] = {"task": task, "seed": seed, "grid": grid, "bases": 4}
        one |= dict.fromkeys(("valid", "test"), 2.0 if grid == "full" else 1.0)
        if grid == "full":
            pick = PlantedTask(task, seed).planted[0]
            one["picks"] = {"map": [pick], "filter alone": [pick]}
        results.append(one)
    (tmp_path / "kept").write_text(json.dumps(results))
    say("--json", tmp_path / "kept", "--processes", 1)
    planted.main()
    lines = [line.strip("│ ").split("│") for line in capsys.readouterr().out.splitlines()]
    rows = {line[0].strip(): [cell.strip() for cell in line[1:]] for line in lines}
    assert rows["full"] == ["4", "10", "2", "0", "2", "0"]  # twice the planted bases' error
    assert rows["A to E"][:4] == ["filter alone", "20", "20", "20"]


def test_sets_that_were_searched_become_a_table(
    tmp_path: Path, say: Words, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, name in enumerate(("mutag", "enzymes")):
        row = {"set": name, "test: difference": 1.25 + number, "configuration": {"seeds": [1]}}
        (tmp_path / f"{name}-0.json").write_text(json.dumps([row]))
    say("mutag", "enzymes", "--runs", tmp_path)
    searched_vs_paper.main()
    printed = capsys.readouterr().out
    assert "configuration" not in printed
    assert [line for line in printed.splitlines() if "│ enzymes" in line and "2.25" in line]
