"""Why trials failed stands where one looks: leaderboard, show, notices, the table."""

from __future__ import annotations

from pdf_search.records import Phase, State
from pdf_search.results import Store
from reports import leaderboard_grid, leaderboard_rows, load_sweep, result_grid, show_sweep
from reports.grid.grid_texts import grid_csv, grid_markdown
from tests.reports import samples

LONG = "TrialError: the matrix is " + "very " * 60 + "large"


def failing(store: Store, *ends: tuple[State, str]) -> None:
    record = samples.sweep(trials=len(ends))
    store.create_sweep(record)
    for number, (state, message) in enumerate(ends):
        samples.save(store, record, number, state=state, message=message)


def test_the_first_line_of_each_reason(store: Store) -> None:
    failing(
        store,
        (State.FAILED, "OSError: no library\nTraceback: ..."),
        (State.DIVERGED, "train_loss of replicate 0 is nan in epoch 3"),
        (State.FAILED, LONG),
        (State.PRUNED, "not a reason"),
    )
    data = load_sweep(store, "night")
    rows = {row.number: row.reason for row in leaderboard_rows(data, Phase.SEARCH)}
    assert rows[0] == "OSError: no library"
    assert rows[1] == "train_loss of replicate 0 is nan in epoch 3"
    assert rows[2].startswith("TrialError: the matrix is very")
    assert len(rows[2]) < 130
    assert rows[3] == ""
    for text in (show_sweep(data), grid_markdown(leaderboard_grid(data))):
        assert "OSError: no library" in text
        assert "Traceback" not in text
        assert "loss of replicate 0 is nan in epoch 3" in text
    assert "Traceback: ..." in grid_csv([leaderboard_grid(data)])  # whole, for programs


def test_notices_count_the_reasons(store: Store) -> None:
    ends = [(State.FAILED, "a\nmore")] * 3 + [(State.DIVERGED, "b"), (State.FAILED, "")]
    ends += [(State.FAILED, "c"), (State.FAILED, "d")]
    failing(store, *ends)
    data = load_sweep(store, "night")
    assert data.failures() == [
        "3 trials FAILED: a",
        "1 trial DIVERGED: b",
        "1 trial FAILED: no reason recorded",
        "2 more reasons",
    ]
    assert "why: 3 trials FAILED: a" in show_sweep(data)
    assert "Why: 3 trials FAILED: a." in grid_markdown(leaderboard_grid(data))


def test_a_sweep_without_failures_has_no_column_for_them(store: Store) -> None:
    failing(store, (State.COMPLETE, ""), (State.PRUNED, ""))
    assert "reason" not in show_sweep(load_sweep(store, "night"))


def test_where_all_diverged_the_table_says_what_to_change_and_not_to_confirm(store: Store) -> None:
    failing(store, (State.DIVERGED, "loss is nan"), (State.DIVERGED, "loss is nan"))
    notes = result_grid(load_sweep(store, "night")).notes
    assert any("lower training.learning_rate" in note for note in notes)
    assert not any("pdf-search confirm" in note for note in notes)


def test_an_undefined_value_is_called_so(store: Store) -> None:
    record = samples.sweep()
    store.create_sweep(record)
    undefined = samples.EpochReport(20, 1e-3, (samples.ReplicateEpoch(1.0, None),), 1.0, 1.0)
    samples.save(store, record, 0, epochs=[undefined], epochs_done=20)
    data = load_sweep(store, "night")
    (row,) = leaderboard_rows(data, Phase.SEARCH)
    assert (row.mean, row.partial) == (None, "the metric is undefined")
    assert "undefined" in show_sweep(data)
    assert not result_grid(data).lines  # it is no result
