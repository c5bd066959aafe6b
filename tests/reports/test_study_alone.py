"""Studies of data on which nothing is published: no columns and no sentences for it."""

from typing import Any

import pytest

from pdf_search.results import Store
from reports.grid.grid_texts import grid_markdown
from tests.reports import study_samples as studies
from tests.reports.study_samples import grids


def row(name: str) -> dict[str, Any]:
    return {"name": name, "paper": None, "data": {"name": "freesolv"}}


def begin(store: Store, table: str) -> None:
    (record,) = studies.begin(store, "mine", table, [row("narrow"), row("wide")])
    for number, goal in enumerate((0.9, 0.8)):
        studies.train(store, record, number, goal)


@pytest.mark.parametrize("table", ["ablation", "results", "folds", "timing"])
def test_nothing_is_said_of_published_numbers(store: Store, table: str) -> None:
    begin(store, table)
    for grid in grids(store, "mine"):
        text = grid_markdown(grid).lower()
        for word in ("publish", "paper", "printed", "difference"):
            assert word not in text


def test_the_ablation_keeps_its_own_columns_and_values(store: Store) -> None:
    begin(store, "ablation")
    (grid,) = grids(store, "mine")
    assert grid.columns == ("valid RMSE", "test RMSE", "n", "parameters", "state")
    assert [(line.name, line.cells[2], line.cells[-1]) for line in grid.lines] == [
        ("narrow", "4 (seeds 0-3)", "complete"),
        ("wide", "4 (seeds 0-3)", "complete"),
    ]
    assert [cell.mark for _, name, cell in grid.numbers() if name == "test RMSE"] == [
        "second",
        "best",
    ]


def test_the_comparison_keeps_its_own_columns(store: Store) -> None:
    begin(store, "results")
    _, grid = grids(store, "mine")
    assert grid.title == "Study mine: our runs"
    assert grid.columns[-3:] == ("runs", "epochs", "state")
    assert grid.lines[0].cells[-1] == "complete"


def test_one_published_number_is_enough(store: Store) -> None:
    quoted = studies.row("idp-((eps, k), 2L)", "zinc", "ablation")
    rows = [quoted, {"name": "mine", "paper": None, "data": {"name": "zinc"}}]
    studies.begin(store, "mixed", "ablation", rows)
    (grid,) = grids(store, "mixed")
    assert "paper: test MAE" in grid.columns
