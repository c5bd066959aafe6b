"""Ratios of what was measured in turns, against values by hand."""

from __future__ import annotations

import pytest
import torch
from common import print_rows
from cpu_step import medians
from engine import row
from engine_cells import Cell, Round, matrix_milliseconds, timed
from kills_with_ray import WAYS, summary
from real_runs.timed import Cost
from scale import Clock
from search_speed import as_drawn, points, ratios, row_of

from pdf_search.kernels.cpu.products import product


def test_an_engines_speedup_is_the_median_of_the_rounds_own() -> None:
    fast = [Round(ms, ms / 4, ms / 2, 100) for ms in (1.0, 2.0, 10.0)]
    reference = [Round(ms, 0.0, 0.0, 100) for ms in (8.0, 4.0, 30.0)]
    cell = Cell("mutag", "fast", 1, "published", None, "cpu", 1)
    found = row(cell, {"fast": fast, "reference": reference}, {"fast": 50.0, "reference": 80.0})
    assert found["speedup"] == 3.0  # of 8, 2 and 3, and not 8 ms over 2 ms
    assert (found["reference_ms"], found["fast_ms"], found["pyg_ms"]) == (8.0, 2.0, None)
    assert (found["collate_ms"], found["matrix_ms"], found["over_matrix"]) == (0.5, 1.0, 2.0)
    assert found["epoch_s"] == 0.2
    assert (found["peak_mb"], found["reference_peak_mb"]) == (50.0, 80.0)


def test_the_first_of_repeated_calls_is_left_out() -> None:
    called: list[int] = []
    assert len(timed(called.append, 0.0, "cpu")) == 1
    assert called == [0, 1]


@pytest.mark.parametrize("width", [8, 256])
def test_matrix_products_are_seen_whoever_computes_them(width: int) -> None:
    a = torch.ones(2, width, width)
    assert matrix_milliseconds(lambda _: product(a, a)) > 0


def test_a_steps_ratios_are_medians_of_the_rounds() -> None:
    rounds = [
        {"before": 8.0, "now": 1.0, "pyg": 10.0},
        {"before": 4.0, "now": 2.0, "pyg": 10.0},
        {"before": 30.0, "now": 10.0, "pyg": 10.0},
    ]
    assert medians(rounds) == {
        "before_ms": 8.0,
        "now_ms": 2.0,
        "pyg_ms": 10.0,
        "before / now": 3.0,
        "pyg / before": 1.25,
        "pyg / now": 5.0,
    }
    two = medians([{"before": 8.0, "now": 1.0}])
    assert (two["pyg_ms"], two["pyg / now"], two["before / now"]) == (None, None, 8.0)


def cost(search: float, wall: float, workers: float, driver: float) -> Cost:
    return Cost(wall, search, 1.0, {"workers": workers, "driver": driver})


def test_a_searchs_ratios_are_medians_of_the_rounds() -> None:
    rounds = [
        {"plain": cost(30, 40, 8, 2), "ours": cost(10, 20, 2, 3)},
        {"plain": cost(20, 40, 8, 2), "ours": cost(10, 40, 4, 1)},
        {"plain": cost(90, 99, 8, 2), "ours": cost(15, 33, 1, 9)},
    ]
    found = ratios(rounds)
    assert {line["plain / ours"]: line["median"] for line in found} == {
        "search": 3.0,
        "whole command": 2.0,
        "CPU time, whole command": 2.0,
        "CPU time, workers": 4.0,
    }
    assert [found[0][f"round {i}"] for i in (1, 2, 3)] == [3.0, 2.0, 6.0]
    print_rows(found)
    side = row_of("ours", rounds[0]["ours"], epochs=60)
    assert (side["epochs_per_s"], side["cpu_s"], side["workers_cpu_s"]) == (6.0, 5.0, 2.0)


def test_both_sides_train_the_same_points() -> None:
    found = points(20)
    drawn = [as_drawn(point) for point in found]
    windows = [d for d in drawn if d["basis"] == "window"]
    assert windows
    assert all(d["eps_low"] <= d["eps_high"] and d["k_high"] >= 2 for d in windows)
    for point, plain in zip(found, drawn, strict=True):
        assert plain["learning_rate"] == point["training.learning_rate"]
        assert plain["hidden"] == point["model.hidden"]


def test_the_drivers_time_of_a_trial_is_that_of_its_tenth() -> None:
    clock = Clock(trials=20)
    clock.starts = [(0.01 * n + (0.1 if n == 20 else 0.0), 100.0 + n) for n in range(21)]
    rows = clock.rows()
    assert [line["trials"] for line in rows][::9] == ["1 to 2", "19 to 20"]
    assert rows[0]["ms_a_trial"] == pytest.approx(10.0)
    assert rows[-1]["ms_a_trial"] == pytest.approx(60.0)
    assert rows[-1]["grown_mb"] == 20.0


def test_ends_are_counted_by_how_they_came() -> None:
    rows = [
        {"way": "SIGKILL", "ended_s": 1.0, "wrong": []},
        {"way": "SIGKILL", "ended_s": 3.0, "wrong": ["a lock is left", "and more"]},
        {"way": "to its end", "ended_s": 9.0, "wrong": []},
    ]
    found = {line["way"]: line for line in summary(rows)}
    assert found["SIGKILL"] == {"way": "SIGKILL", "times": 2, "longest_s": 3.0, "wrong": 1}
    assert found["to its end"]["longest_s"] == 9.0
    assert list(found) == [*WAYS, "to its end"]
    assert found["SIGHUP"]["times"] == 0
