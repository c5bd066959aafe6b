"""The tables of ``planted.py``, against values by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from planted import GRIDS, count_rows, error_rows, is_near, jobs, map_rows
from planting.tasks import FULL, PLANTED, PlantedTask, standardised


def found(task: str, seed: int, grid: str, error: float = 1.0, bases: int = 5) -> dict[str, Any]:
    return {
        "task": task, "seed": seed, "grid": grid, "bases": bases, "valid": 1.0, "test": error
    }  # fmt: skip


def test_errors_are_geometric_means_of_ratios_to_the_planted_bases() -> None:
    results = [found(t, 0, grid, bases=b) for t, b in (("A", 2), ("D", 3)) for grid in GRIDS]
    for one in results:
        one["test"] = {"planted": {"A": 1.0, "D": 10.0}, "full": {"A": 2.0, "D": 80.0}}.get(
            one["grid"], {"A": 1.0, "D": 10.0}
        )[one["task"]]
    rows = {row["grid"]: row for row in error_rows(results)}
    assert rows["full"]["test"] == pytest.approx(4.0)  # of 2 and 8
    assert rows["full"]["test se"] == pytest.approx(2 * np.log(4))
    assert rows["planted"]["test"] == 1.0
    assert (rows["full"]["bases"], rows["full"]["task-seeds"]) == ("2/3", 2)


def picked(task: str, seed: int, pick: tuple[float, int]) -> dict[str, Any]:
    return found(task, seed, "full") | {"picks": {"map": [list(pick)]}}  # as JSON gives them


def test_first_picks_are_counted_beside_chance() -> None:
    drawn = [picked("R", seed, PlantedTask("R", seed).planted[0]) for seed in range(2)]
    results = [
        picked("A", 0, (-0.5, 1)),
        picked("B", 0, (-0.1, 3)),
        picked("D", 0, (-0.4, 2)),  # A's basis and B's are planted
        *drawn,
        found("A", 0, "planted"),
    ]
    row, other = count_rows(results)
    assert (row["task-seeds"], row["near"], row["exact"]) == (3, 3, 1)
    assert row["other task-seeds"] == pytest.approx(1.5)
    assert row["random cell"] == pytest.approx(26 / 36)  # 4 are near A's basis, 9 near B's
    assert row["best fixed cell"] == 2
    assert (other["task-seeds"], other["near"], other["exact"]) == (2, 2, 2)
    lines = map_rows(results)
    assert [line["map near"] for line in lines] == [1] * 5
    assert (lines[1]["task"], lines[1]["map"]) == ("B0", "(-0.1, 3)")


def test_near_is_one_step_of_the_grid() -> None:
    planted = ((-0.3, 3),)
    near = [point for point in FULL if is_near(point, planted)]
    assert near == [(e, k) for e in (-0.2, -0.3, -0.4) for k in (2, 3, 4)]


def test_every_task_is_trained_on_every_grid() -> None:
    made = jobs()
    assert len(made) == len(set(made))
    assert {(task, grid) for task, _, grid in made if task != "R"} == {
        (task, grid) for task in PLANTED for grid in GRIDS
    }


def test_standardised_values_have_mean_0_and_deviation_1() -> None:
    assert standardised(np.array([1.0, 3.0])) == pytest.approx([-1.0, 1.0])
