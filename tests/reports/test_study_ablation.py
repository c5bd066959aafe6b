"""The ablation table of a study: values, differences, marks, partial states."""

from statistics import fmean, pstdev

import pytest

from pdf_search.records import Phase, State
from pdf_search.results import Store
from reports.grid.cell import Cell
from reports.grid.grid_texts import grid_markdown
from tests.reports import samples
from tests.reports import study_samples as studies
from tests.reports.study_samples import cell, grids, line

FRACTION = {
    "data": {"name": "zinc", "train_fraction": 0.02},
    "training": {"epochs": 351},
    "stop_epoch": 2,
}


def test_the_ablation_has_our_values_beside_the_published_ones(store: Store) -> None:
    studies.ablation(store)
    (grid,) = grids(store, "paper/ablation")
    assert len(grid.lines) == 10
    found = line(grid, "idp ((eps, k), 2L)")
    values = [value for value in store_tests(store, "paper/ablation", 9) if value is not None]
    mean, spread = pytest.approx(fmean(values)), pytest.approx(pstdev(values))
    test, valid = found["test MAE"], found["valid MAE"]
    assert isinstance(test, Cell)
    assert isinstance(valid, Cell)
    assert (test.value, test.spread) == (mean, spread)
    assert (test.n, test.protocol, test.state, test.parameters) == (4, "split", "complete", 49_000)
    assert found["n"] == "4 (seeds 0-3)"
    assert found["parameters"] == "49,000"
    assert cell(grid, "idp ((eps, k), 2L)", "paper: test MAE").printed == "0.066 ± 0.0020"
    assert cell(grid, "idp ((eps, k), 2L)", "paper: valid MAE").printed == "0.085 ± 0.0038"
    assert test.difference == pytest.approx(fmean(values) - 0.066)
    assert valid.difference == pytest.approx((valid.value or 0) - 0.085)
    assert found["state"] == "complete"


def store_tests(store: Store, part: str, number: int) -> list[float | None]:
    """Test values at each replicate's best validation epoch."""
    epochs = store.epochs(part, Phase.CONFIRM, number)
    best = [
        min((epoch.replicates[i] for epoch in epochs), key=lambda r: r.valid or 99.0)
        for i in range(len(epochs[0].replicates))
    ]
    return [replicate.test for replicate in best]


def test_a_whole_study_says_nothing_of_partial(store: Store) -> None:
    studies.ablation(store)
    (grid,) = grids(store, "paper/ablation")
    assert grid.heading == "Study paper/ablation"
    assert grid.notices == ()
    assert "artial" not in grid_markdown(grid)


def test_best_and_second_are_marked_among_ours(store: Store) -> None:
    studies.ablation(store)
    (grid,) = grids(store, "paper/ablation")
    for column in ("valid MAE", "test MAE"):
        marks = {c.mark: c.value for _, name, c in grid.numbers() if name == column}
        values = sorted(c.value or 9 for _, name, c in grid.numbers() if name == column)
        assert (marks["best"], marks["second"]) == (values[0], values[1])
    assert not any(c.mark for _, name, c in grid.numbers() if name.startswith("paper"))


def test_runs_cut_short_are_partial_in_title_and_row_and_nothing_is_marked(store: Store) -> None:
    studies.ablation(store, 10, epochs=2, config=FRACTION)
    (grid,) = grids(store, "paper/ablation")
    assert grid.heading == "Study paper/ablation (partial: cut to 2 epochs)"
    assert grid.notices == (
        "0 of 10 rows are complete",
        "cut after 2 of 351 epochs (10 rows)",
        "trained on 0.02 of the training part (10 rows)",
    )
    assert {line(grid, "shd (Lap, Lin)")["state"]} == {"partial"}
    assert {c.state for _, name, c in grid.numbers() if name == "test MAE"} == {"partial"}
    assert not any(c.mark for *_, c in grid.numbers())
    difference = line(grid, "shd (Lap, Lin)")["difference"]
    assert isinstance(difference, str)
    assert difference.endswith(", outside")
    text = grid_markdown(grid)
    assert "[a] partial: cut after 2 of 351 epochs, trained on 0.02 of the training part" in text


def test_rows_that_have_not_run_are_there_without_numbers(store: Store) -> None:
    studies.ablation(store, 3)
    (grid,) = grids(store, "paper/ablation")
    assert grid.notices == ("3 of 10 rows are complete", "not started (7 rows)")
    waiting = line(grid, "idp ((eps, k), 2L)")
    assert waiting["state"] == "not started"
    assert isinstance(waiting["test MAE"], Cell)
    assert waiting["test MAE"].value is None
    assert waiting["difference"] == "–"
    marks = sorted(c.mark for _, name, c in grid.numbers() if name == "test MAE" and c.mark)
    assert marks == ["best", "second"]  # among the three that are whole


def test_a_running_row_is_partial_and_not_marked(store: Store) -> None:
    record = studies.ablation(store, 3)
    studies.train(store, record, 3, 0.001, 4, 5, state=State.RUNNING)
    (grid,) = grids(store, "paper/ablation")
    running = cell(grid, "shd ((eps, k), 1L)", "test MAE")
    assert running.why == "running, 5 of 8 epochs"
    assert running.mark == ""
    assert running.epochs == "5 of 8"


def test_published_rows_that_a_study_leaves_out_are_shown_as_such(store: Store) -> None:
    rows = [studies.row("idp-((eps, k), 2L)", "zinc", "ablation")]
    (record,) = studies.begin(store, "small", "ablation", rows)
    studies.train(store, record, 0, 0.07)
    (grid,) = grids(store, "small")
    assert len(grid.lines) == 10
    assert line(grid, "shd (Lap, Lin)")["state"] == "not in this study"
    assert line(grid, "shd (Lap, Lin)")["test MAE"] == "–"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.068, "+0.0020, within"),  # exactly one spread away
        (0.0681, "+0.0021, outside"),
        (0.066, "+0.0000, within"),
        (0.05, "-0.0160, outside"),
    ],
)
def test_the_difference_tells_whether_our_mean_is_within_the_published_spread(
    store: Store, value: float, text: str
) -> None:
    rows = [studies.row("idp-((eps, k), 2L)", "zinc", "ablation")]
    (record,) = studies.begin(store, "small", "ablation", rows)
    reports = [samples.EpochReport(8, 0.1, (samples.ReplicateEpoch(0.1, value, value),), 1.0, 1.0)]
    members = (samples.Replicate(0),)
    studies.run(store, record, 0, rows[0]["name"], reports, replicates=members)
    (grid,) = grids(store, "small")
    assert line(grid, "idp ((eps, k), 2L)")["difference"] == text
