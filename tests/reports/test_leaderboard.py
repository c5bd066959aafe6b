import csv
import io
import re

import pytest

from pdf_search.records import EpochReport, Phase, ReplicateEpoch
from pdf_search.results import Store
from reports import (
    SweepData,
    leaderboard_grid,
    leaderboard_rows,
    load_sweep,
    result_grid,
    show_sweep,
)
from reports.grid.grid_texts import grid_csv, grid_markdown
from tests.reports import samples


def test_complete_trials_come_first_by_validation_then_the_others_by_state(store: Store) -> None:
    samples.search(store, samples.sweep())
    rows = leaderboard_rows(load_sweep(store, "night"), Phase.SEARCH)
    states = [row.state for row in rows]
    assert states == ["COMPLETE"] * 9 + ["PRUNED"] * 5 + ["DIVERGED", "FAILED"]
    complete = [row.smoothed for row in rows[:9]]
    assert complete == sorted(complete, key=lambda mean: mean or 0.0)
    assert [row.mean for row in rows[:9]] != sorted(row.mean or 0.0 for row in rows[:9])
    assert [row.rank for row in rows] == [*range(1, 10), *[None] * 7]
    stopped = [row.epochs for row in rows if row.state == "PRUNED"]
    assert stopped == sorted(stopped, reverse=True)
    assert {row.split for row in rows} == {"valid"}


def test_accuracy_is_in_percent_and_higher_is_better(store: Store) -> None:
    samples.search(store, samples.sweep("mutag"), folds=10)
    rows = leaderboard_rows(load_sweep(store, "night"))
    means = [row.mean for row in rows if row.state == "COMPLETE" and row.mean is not None]
    smoothed = [row.smoothed for row in rows if row.state == "COMPLETE" and row.smoothed]
    assert smoothed == sorted(smoothed, reverse=True)
    assert all(50 < mean < 100 for mean in means)
    assert {row.n for row in rows if row.mean is not None} == {10}
    assert rows[0].unit == "%"
    assert rows[0].protocol == "gin-curve"


def test_confirmation_keeps_the_order_of_the_search_whatever_its_test_values(store: Store) -> None:
    record = samples.sweep()
    samples.search(store, record)
    samples.confirm(store, record, numbers=(0, 15, 3), goals=(0.5, 1.9, 1.2))
    data = load_sweep(store, "night")
    order = [entry.trial.number for entry in data.search]
    rows = leaderboard_rows(data, Phase.CONFIRM)
    assert [row.origin for row in rows] == [
        "confirm of 15",
        "confirm of 3",
        "confirm of 0",
        "baseline",
    ]
    assert order.index(15) < order.index(3) < order.index(0)
    tests = [row.mean for row in rows[:3]]
    assert tests != sorted(tests, key=lambda mean: mean or 0.0)
    assert all(row.split == "test" and row.rank is None for row in rows)


def test_csv_reads_back_to_the_same_numbers(store: Store) -> None:
    record = samples.sweep()
    samples.search(store, record)
    samples.confirm(store, record, (15,), (1.1,))
    data = load_sweep(store, "night")
    rows = leaderboard_rows(data)
    read = list(csv.DictReader(io.StringIO(grid_csv([leaderboard_grid(data)]))))
    assert len(read) == len(rows)
    for line, row in zip(read, rows, strict=True):
        assert line["state"] == row.state
        assert line["protocol"] == row.protocol
        assert (float(line["mean"]) if line["mean"] else None) == row.mean
        assert (float(line["spread"]) if line["spread"] else None) == row.spread
        assert line["model.hidden"] == str(row.params.get("model.hidden", ""))
    assert read[0]["basis.eps"] == "[-0.1, -0.2]"


def test_markdown_shows_what_varies_and_lists_what_does_not(store: Store) -> None:
    samples.search(store, samples.sweep())
    text = grid_markdown(leaderboard_grid(load_sweep(store, "night")))
    header = next(line for line in text.splitlines() if line.startswith("| rank"))
    assert "RMSE (kcal/mol)" in header
    assert "hidden" in header
    assert "eps" not in header
    assert "The same in all trials: basis.eps = \\[-0.1, -0.2]" in text
    assert "Partial: confirm: not run yet" in text


def curves(store: Store, *values: tuple[float, ...]) -> SweepData:
    """A sweep of trials with these validation values after each epoch."""
    record = samples.sweep(trials=len(values), epochs=len(values[0]))
    store.create_sweep(record)
    for number, curve in enumerate(values):
        epochs = [
            EpochReport(i, 0.1, (ReplicateEpoch(1.0, value),), 1.0, 1.0)
            for i, value in enumerate(curve, start=1)
        ]
        samples.save(store, record, number, epochs=epochs)
    return load_sweep(store, "night")


def test_what_ranks_is_said_where_the_values_shown_have_another_order(store: Store) -> None:
    data = curves(store, (3.0, 1.0), (1.8, 1.6))
    assert [(row.number, row.mean) for row in leaderboard_rows(data)] == [(1, 1.6), (0, 1.0)]
    lead = " ".join(leaderboard_grid(data).lead)
    assert "ranked by the column smoothed, the best mean of up to two consecutive epochs" in lead
    assert "The column RMSE (kcal/mol) is of the best epoch, which is partly luck" in lead
    assert (
        "\nranked by smoothed, the best mean of up to two consecutive epochs; RMSE (kcal/mol) is "
        "of the best epoch\n"
    ) in show_sweep(data)
    assert (
        "Rows are ranked by the best mean of up to two consecutive epochs; the values are of the "
        "best epoch."
    ) in result_grid(data).notes


def test_where_the_values_shown_are_in_order_nothing_is_said_of_it(store: Store) -> None:
    data = curves(store, (1.8,), (1.6,))
    lead = " ".join(leaderboard_grid(data).lead)
    assert "ranked by the column smoothed, the value of the only epoch; trials" in lead
    assert "The column RMSE" not in lead
    assert "ranked by smoothed" not in show_sweep(data)
    assert not any("Rows are ranked by" in note for note in result_grid(data).notes)


def test_a_partial_sweep_is_shown_as_partial(store: Store) -> None:
    samples.search(store, samples.sweep(trials=40))
    data = load_sweep(store, "night")
    assert data.notices()[0] == "search: 16 of 40 trials finished"
    row = next(row for row in leaderboard_rows(data) if row.state == "PRUNED")
    assert row.partial == f"pruned, {row.epochs} of 20 epochs"


def test_a_sweep_without_trials(store: Store) -> None:
    store.create_sweep(samples.sweep())
    data = load_sweep(store, "night")
    assert leaderboard_rows(data) == []
    assert grid_csv([leaderboard_grid(data)]).startswith("rank,phase,number,state,")
    assert "0 of 16 trials" in grid_markdown(leaderboard_grid(data))


@pytest.mark.parametrize("text", ["a|b", "*x*", "_x_", "<b>", "[x](y)"])
def test_markdown_is_escaped(store: Store, text: str) -> None:
    record = samples.sweep()
    store.create_sweep(record)
    for number in range(2):
        epochs = samples.training(record, 1.0)
        samples.save(store, record, number, epochs=epochs, params={"x": f"{text}{number}"})
    lines = grid_markdown(leaderboard_grid(load_sweep(store, "night"))).splitlines()
    cells = "".join(line for line in lines if line.startswith("|"))
    assert "\\" in cells
    assert not re.search(r"(?<!\\)" + re.escape(text), cells)
