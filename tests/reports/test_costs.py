"""Quality against cost, and the epochs that early stopping saved."""

import csv
import io
from pathlib import Path

from pdf_search.records import EpochReport, Phase, ReplicateEpoch, State
from pdf_search.results import Store
from reports import load_sweep, show_sweep, write_report
from reports.pages.pareto_figure import pareto_figure
from reports.tables.epochs_spent import epochs_spent
from reports.tables.pareto import pareto_grid, pareto_line, tradeoffs
from tests.reports import samples

# number, validation RMSE, parameters, seconds an epoch, state
TRIALS = (
    (0, 2.0, 1000, 5.0, State.COMPLETE),
    (1, 1.5, 3000, 1.0, State.COMPLETE),
    (2, 1.5, 4000, 1.0, State.COMPLETE),  # as good as trial 1 with more parameters
    (3, 1.2, 9000, 4.0, State.COMPLETE),
    (4, 1.9, 2000, 9.0, State.COMPLETE),
    (5, 1.0, 500, 0.5, State.PRUNED),  # better, but not trained to its end
)


def curve(value: float, seconds: float, epochs: int) -> list[EpochReport]:
    return [
        EpochReport(e, 1e-3, (ReplicateEpoch(1.0, value),), 60.0 if e == 1 else seconds, 1.0)
        for e in range(1, epochs + 1)
    ]


def saved(store: Store) -> None:
    record = samples.sweep(epochs=4, trials=6)
    store.create_sweep(record)
    for number, value, parameters, seconds, state in TRIALS:
        epochs = curve(value, seconds, 4 if state is State.COMPLETE else 1)
        if number == 5:
            epochs = [*epochs, *curve(value, seconds, 2)[1:]]
        samples.save(store, record, number, epochs=epochs, state=state, parameters=parameters)
    test = EpochReport(1, 1e-3, (ReplicateEpoch(1.0, 1.3, 1.4),), 1.0, 1.0)
    samples.save(store, record, 0, Phase.CONFIRM, [test], origin="confirm of 3")


def on_line(store: Store, cost: str) -> list[tuple[int, float]]:
    points = pareto_line(tradeoffs(load_sweep(store, "night"), cost))
    return [(point.entry.trial.number, point.cost) for point in points]


def test_a_trial_is_on_the_line_if_no_complete_one_beats_it_at_no_higher_cost(store: Store) -> None:
    saved(store)
    assert on_line(store, "parameters") == [(0, 1000), (4, 2000), (1, 3000), (3, 9000)]
    # Of equal value and time both are kept. The first epoch, of 60 seconds, does not count.
    assert on_line(store, "epoch time") == [(1, 1.0), (2, 1.0), (3, 4.0)]


def test_the_table_lists_the_trials_on_a_line(store: Store, tmp_path: Path) -> None:
    saved(store)
    grid = pareto_grid(load_sweep(store, "night"))
    assert grid is not None
    assert [(line.name, *line.cells[-2:]) for line in grid.lines] == [
        ("3", "parameters and epoch time", "yes"),
        ("1", "parameters and epoch time", "no"),
        ("2", "epoch time", "no"),
        ("4", "parameters", "no"),
        ("0", "parameters", "no"),
    ]
    write_report(store, "night", tmp_path)
    assert "| 3     | 1.200" in (tmp_path / "findings.md").read_text(encoding="utf-8")
    records = list(csv.DictReader(io.StringIO((tmp_path / "findings.csv").read_text())))
    values = {(r["line"], r["quantity"]): r["value"] for r in records}
    assert values["3", "epoch time (s)"] == "4.0"
    assert values["4", "parameters"] == "2000"


def test_the_figure_has_every_trial_the_lines_and_the_confirmed(store: Store) -> None:
    saved(store)
    figure = pareto_figure(load_sweep(store, "night"), "RMSE")
    assert figure is not None
    traces = {(trace.xaxis, trace.name): trace for trace in figure.data}
    assert list(traces["x", "Pareto line"].x) == [1000, 2000, 3000, 9000]
    assert list(traces["x2", "PRUNED"].x) == [0.5]
    assert list(traces["x", "confirmed"].y) == [1.2]
    assert len(traces["x", "COMPLETE"].x) == 5


def test_epochs_by_state_and_the_share_saved(store: Store) -> None:
    samples.search(store, samples.sweep())
    data = load_sweep(store, "night")
    found = {row.name: (row.trials, row.trained, row.full) for row in epochs_spent(data)}
    pruned = sum(4 + number % 5 for number in (2, 5, 8, 11, 14))
    assert found == {
        "COMPLETE": (9, 180, 180),
        "PRUNED": (5, pruned, 100),
        "DIVERGED": (1, 3, 20),
        "FAILED": (1, 0, 20),
        "all": (16, 183 + pruned, 320),
    }
    share = (100 - pruned) / 320
    assert f"early stopping saved {100 - pruned} ({share:.0%})" in show_sweep(data)


def test_a_trial_that_runs_is_left_out(store: Store, tmp_path: Path) -> None:
    record = samples.sweep(trials=2)
    store.create_sweep(record)
    samples.save(store, record, 0, epochs=samples.training(record, 1.0))
    samples.save(
        store, record, 1, epochs=samples.training(record, 1.0, epochs=3), state=State.RUNNING
    )
    assert [row.trained for row in epochs_spent(load_sweep(store, "night"))] == [20, 20]
    write_report(store, "night", tmp_path)
    assert "1 trial not ended yet" in (tmp_path / "findings.md").read_text(encoding="utf-8")
