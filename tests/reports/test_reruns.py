"""Reruns are shown, each as what it is, and change nothing else of a report."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pdf_search.records import Phase, Replicate, State, SweepRecord
from pdf_search.results import Store
from reports import (
    find_trial,
    leaderboard_grid,
    leaderboard_rows,
    load_sweep,
    result_grid,
    search_findings,
    show_sweep,
    sweeps_grid,
)
from reports.grid.grid_texts import grid_markdown
from reports.pages.curves import learning_curves, stopping_curves
from reports.pages.importance import importance
from reports.pages.parallel import parallel
from reports.pages.searched_bases import searched_bases
from reports.sweep_data import SweepData
from reports.tables.epochs_spent import epochs_spent
from reports.tables.pareto import tradeoffs
from tests.reports import samples

RERUNS = [(Phase.SEARCH, 16, "rerun of 3"), (Phase.CONFIRM, 3, "rerun of 0")]


@pytest.fixture
def record(store: Store) -> SweepRecord:
    """A sweep of 16 trials, two of them confirmed."""
    record = samples.sweep()
    samples.search(store, record)
    samples.confirm(store, record, [15, 3], [1.2, 1.3])
    return record


def add_reruns(store: Store, record: SweepRecord) -> None:
    """One of a search trial and one of a confirmation, both better than anything else."""
    for phase, number, origin in RERUNS:
        replicates = tuple(Replicate(100 + i) for i in range(4 if phase is Phase.CONFIRM else 1))
        epochs = samples.training(record, 0.1, phase, len(replicates))
        samples.save(
            store,
            record,
            number,
            phase,
            epochs,
            origin=origin,
            params=samples.params(3),
            replicates=replicates,
            parameters=10,
        )


@pytest.mark.parametrize(
    "made",
    [
        search_findings,
        lambda data: grid_markdown(result_grid(data)),
        lambda data: grid_markdown(sweeps_grid([("a", data), ("b", data)])),
        lambda data: [(p.entry.trial.number, p.on_line) for p in tradeoffs(data, "parameters")],
        epochs_spent,
        importance,
        lambda data: parallel(data, importance(data)),
        searched_bases,
        learning_curves,
        stopping_curves,
        lambda data: [(e.trial.number, e.rank) for e in data.search],
        lambda data: [(e.called, e.summary) for e in data.confirmations],
        lambda data: data.winning_run,
        SweepData.notices,
        SweepData.failures,
    ],
)
def test_what_a_sweep_found_is_the_same_with_reruns_as_without(
    store: Store, record: SweepRecord, made: Callable[[SweepData], object]
) -> None:
    before = made(load_sweep(store, "night"))
    add_reruns(store, record)
    assert made(load_sweep(store, "night")) == before


def test_reruns_come_last_in_the_leaderboard_and_without_a_rank(
    store: Store, record: SweepRecord
) -> None:
    before = leaderboard_rows(load_sweep(store, "night"))
    add_reruns(store, record)
    data = load_sweep(store, "night")
    rows = leaderboard_rows(data)
    assert rows[:-2] == before
    assert [(r.phase, r.number, r.origin) for r in rows[-2:]] == RERUNS
    assert [r.rank for r in rows[-2:]] == [None, None]
    assert [r.number for r in leaderboard_rows(data, Phase.CONFIRM)] == [0, 1, 2, 3]
    board = leaderboard_grid(data)
    assert [line.section for line in board.lines[-3:]] == ["confirm", "rerun", "rerun"]
    assert any("A rerun checks the numbers of a recorded trial" in text for text in board.lead)


def test_show_lists_reruns_below_the_trials_and_each_by_its_number(
    store: Store, record: SweepRecord
) -> None:
    add_reruns(store, record)
    data = load_sweep(store, "night")
    own, title, again = show_sweep(data, limit=3).partition("\nreruns, ")
    assert title
    assert "rerun of" not in own
    assert "rerun of 3" in again
    assert "rerun of 0" in again
    assert "searched: Searched 16 configurations" in own
    assert find_trial(data, 16).trial.origin == "rerun of 3"
    assert find_trial(data, 3, Phase.CONFIRM).trial.origin == "rerun of 0"


def test_a_rerun_that_was_interrupted_is_said_to_wait_for_a_resume(
    store: Store, record: SweepRecord
) -> None:
    samples.save(store, record, 16, origin="rerun of 3", state=State.RUNNING)
    data = load_sweep(store, "night", resume="pdf-search resume night")
    assert data.reruns[0].trial.state is State.INTERRUPTED
    assert data.interrupted == "interrupted; go on with: pdf-search resume night"


def test_a_run_has_one_name_in_tables_and_sentences(store: Store) -> None:
    """Runs of a study confirm no trial of a search."""
    record = samples.sweep(trials=0, method="listed")
    store.create_sweep(record)
    samples.confirm(store, record, [0, 1], [1.2, 1.3], origin="study: row")
    data = load_sweep(store, "night")
    names = [line.name for line in result_grid(data).lines if line.kind == "ours"]
    assert names == ["PDF, run 0"]
    assert "Confirmed on fresh seeds, run 0, the first" in search_findings(data).found[-1]
    assert {curve.label for curve in learning_curves(data)} == {"run 0"}
