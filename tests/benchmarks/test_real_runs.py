"""Searches that ran: their picks are read from the record, and what is kept is not run again."""

from __future__ import annotations

import json
import sys
from itertools import product
from math import inf
from pathlib import Path

import pandas as pd
import pytest
from killing.one_process import run
from quickstart_seeds import run as quickstart
from real_runs import timed
from real_runs.sweeps import read_picks
from real_searches import METHODS, main

from pdf_search.records import Phase, State
from pdf_search.space import load_space
from pdf_search.sweep import SweepOptions, plan_sweep

SPACE = Path(__file__).parents[2] / "benchmarks" / "killing" / "space.yaml"


def test_picks_are_the_best_trials_that_were_trained_to_the_end(tmp_path: Path) -> None:
    options = SweepOptions(name="night", out=tmp_path, cache=tmp_path / "cache", method="random")
    plan = plan_sweep(load_space(str(SPACE)), options)
    run(plan, 1, inf, lambda _: None, lambda *_: None)
    picks = read_picks("night", tmp_path, 3, seconds=5.0)
    with plan.folder.open_store() as store:
        trials = store.trials("night", Phase.SEARCH)
        curves = {t.number: store.epochs("night", Phase.SEARCH, t.number) for t in trials}
    # Errors fall towards the end, so that the last epoch is each trial's best.
    ends = sorted(curves[t.number][-1].valid or inf for t in trials if t.state is State.COMPLETE)
    assert [pick.valid for pick in picks] == ends[:3]
    assert {pick.epochs for pick in picks} == {sum(map(len, curves.values()))}
    assert picks[0].seconds == 5.0


def test_searches_that_are_kept_are_read_and_summed_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    worth = {"seconds": 1.0, "valid": 0.5, "fresh valid": 0.4, "fresh test": 0.3, "epochs": 640}
    for seed, name, method in product((0, 1), ("freesolv", "mutag"), METHODS):
        row = {"set": name, "seed": seed, "method": method, **worth}
        (tmp_path / f"{name}-{seed}-{method}.json").write_text(json.dumps(row))
    words = ["freesolv", "mutag", "--runs", str(tmp_path), "--seeds", "2"]
    monkeypatch.setattr(sys, "argv", ["real_searches.py", *words])
    main()
    printed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("│")]
    assert len(printed) == 2 * len(METHODS)
    for line in printed:
        _, _, seeds, epochs, _, valid, error, test = line.strip("│ ").split("│")
        assert list(map(float, (seeds, epochs, valid, error, test))) == [2, 640, 0.4, 0, 0.3]


def test_a_quickstart_is_told_by_its_confirmed_rows(tmp_path: Path) -> None:
    report = tmp_path / "now-3" / "report"
    report.mkdir(parents=True)
    table = {"kind": ["published", "ours", "ours"], "valid": [9.0, 1.0, 3.0], "value": [9, 2, 6]}
    pd.DataFrame(table).to_csv(report / "table.csv")
    board = {"phase": ["search", "search", "confirm"], "epochs": [10, 30, 500]}
    pd.DataFrame(board).to_csv(report / "leaderboard.csv")
    row = quickstart(tmp_path, "now", 3, tmp_path)
    assert row == {
        "code": "now",
        "seed": 3,
        "epochs of the search": 40,
        "rows": 2,
        "validation RMSE": 2.0,
        "best row": 1.0,
        "test RMSE": 4.0,
    }


def test_processes_are_told_apart_by_their_command() -> None:
    assert timed.kind_of([sys.executable, timed.__file__, "notes"]) == "driver"
    assert timed.kind_of(["ray::ImplicitFunc.train"]) == timed.kind_of(["ray::IDLE"]) == "workers"
    assert timed.kind_of(["/lib/ray/core/src/ray/raylet/raylet", "--x"]) == "ray raylet"
    assert timed.kind_of(["ray::DashboardAgent", "", ""]) == "ray DashboardAgent"
    assert timed.kind_of(["sh", "-c", "true"]) == "other"
