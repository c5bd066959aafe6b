from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from pdf_search.records import (
    METRICS,
    Phase,
    Protocol,
    Replicate,
    State,
    SweepRecord,
    TrialRecord,
)
from pdf_search.results import BestEpochs
from pdf_search.space import Space
from pdf_search.sweep.trial_log import progress as view_module
from pdf_search.sweep.trial_log.progress import ProgressView, duration
from tests.sweep.helpers import report, sweep_record


@pytest.fixture
def sweep(space: Space) -> SweepRecord:
    return sweep_record(space, "tpe+asha", 8)


def best(*values: float) -> BestEpochs:
    """Of a trial with one epoch, whose replicates have these values."""
    found = BestEpochs(METRICS["rmse"], Protocol.SPLIT, Phase.SEARCH)
    found.add(report(1, *values))
    return found


def trial(number: int, state: State, message: str = "") -> TrialRecord:
    return TrialRecord("s", Phase.SEARCH, number, {}, "h", state, epochs_done=3, message=message)


def confirming(number: int, origin: str, state: State = State.RUNNING) -> TrialRecord:
    seeds = (Replicate(1), Replicate(2))
    return TrialRecord(
        "s", Phase.CONFIRM, number, {}, "h", state, origin, replicates=seeds, epochs_done=2
    )


def test_one_plain_line_a_trial_where_there_is_no_terminal(sweep: SweepRecord) -> None:
    text = io.StringIO()
    view = ProgressView(Console(file=text), Phase.SEARCH, replace(sweep, metric="accuracy"))
    with view:
        view.seen(trial(0, State.COMPLETE), lambda: best(0.5))
        view.expect(2)
        for number in (1, 2):
            view.started(trial(number, State.RUNNING))
        view.epoch(trial(2, State.RUNNING), best(0.75))
        view.ended(trial(1, State.PRUNED), best())
        view.ended(trial(2, State.FAILED, "boom\ntrace"), best(0.75))
    first, second = text.getvalue().splitlines()
    assert first.startswith("search trial 1 PRUNED at epoch 3  [2/3 done, 1 running, best")
    assert "accuracy (%) 75.00 (trial 2)" in first
    assert second.startswith("search trial 2 FAILED at epoch 3: boom  [3/3 done, 0 running")
    assert "accuracy (%) 50.00 (trial 0)" in second  # as the table: a failed trial has no rank


def test_a_confirmation_has_the_number_and_the_value_of_the_table(sweep: SweepRecord) -> None:
    text = io.StringIO()
    view = ProgressView(Console(file=text), Phase.CONFIRM, sweep)
    with view:
        view.seen(confirming(0, "baseline", State.COMPLETE), lambda: best(0.1, 0.1))
        view.seen(confirming(1, "confirm of 7", State.COMPLETE), lambda: best(6.0, 6.0))
        view.expect(2)
        first_seeds = best(2.0, 3.0)
        view.epoch(confirming(2, "confirm of 4"), first_seeds)
        view.ended(confirming(2, "confirm of 4", State.COMPLETE), first_seeds)
        more = best(4.0, 4.0)  # further seeds of the same trial
        view.epoch(confirming(3, "confirm of 4"), more)
        view.ended(confirming(3, "confirm of 4", State.COMPLETE), more)
    first, second = text.getvalue().splitlines()
    assert first.startswith("confirming trial 4 COMPLETE  [2/3 done")
    assert "best validation RMSE 2.5 (trial 4)" in first
    assert "best validation RMSE 3.25 (trial 4)" in second


def test_the_best_is_that_of_all_others_when_it_ends_badly_or_becomes_worse(
    sweep: SweepRecord,
) -> None:
    view = ProgressView(Console(file=io.StringIO()), Phase.CONFIRM, sweep)
    for number, value in ((1, 3.0), (2, 1.0), (3, 2.0)):
        view.epoch(confirming(number, f"confirm of {number}"), best(value))
    assert "RMSE 1 (trial 2)" in view.status()
    view.epoch(confirming(4, "confirm of 2"), best(9.0))  # its mean is 5
    assert "RMSE 2 (trial 3)" in view.status()
    view.ended(confirming(3, "confirm of 3", State.DIVERGED), best(2.0))
    assert "RMSE 3 (trial 1)" in view.status()
    view.ended(confirming(4, "confirm of 2", State.FAILED), best(9.0))
    assert "RMSE 1 (trial 2)" in view.status()
    for number in (1, 2):
        view.ended(confirming(number, f"confirm of {number}", State.DIVERGED), best())
    assert "RMSE" not in view.status()


@pytest.mark.parametrize(("concurrent", "shown_from"), [(1, 3), (2, 4)])
def test_time_left_leaves_out_the_trials_that_compile(
    sweep: SweepRecord, monkeypatch: pytest.MonkeyPatch, concurrent: int, shown_from: int
) -> None:
    clock = 0.0
    monkeypatch.setattr(view_module.time, "monotonic", lambda: clock)
    view = ProgressView(Console(file=io.StringIO()), Phase.SEARCH, sweep, concurrent)
    view.expect(10)
    for number in range(10):
        clock += 1000.0 if number < concurrent else 2.0
        view.ended(trial(number, State.COMPLETE), best())
        left = view.seconds_left()
        if number + 1 < shown_from or number == 9:
            assert left is None
        else:
            assert left == pytest.approx(2.0 * (9 - number))


@pytest.mark.parametrize(("seconds", "text"), [(5, "5 s"), (65, "1 min 5 s"), (3700, "1 h 1 min")])
def test_durations_are_short(seconds: float, text: str) -> None:
    assert duration(seconds) == text
