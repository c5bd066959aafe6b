from __future__ import annotations

import io
import re
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
from pdf_search.sweep.trial_log.study_progress import StudyView
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


def test_a_rerun_neither_leads_nor_counts_as_a_trial_of_the_sweep(sweep: SweepRecord) -> None:
    view = ProgressView(Console(file=io.StringIO()), Phase.SEARCH, sweep)
    again = replace(trial(2, State.COMPLETE), origin="rerun of 0")
    view.seen(trial(0, State.COMPLETE), lambda: best(2.0))
    view.seen(again, lambda: best(1.0))
    assert view.done == 1
    view.epoch(replace(again, number=3, state=State.RUNNING), best(0.5))
    assert "trial 0 leads with validation RMSE 2" in view.status()


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
    assert first.startswith("search trial 1 PRUNED at epoch 3  [2/3 done, 1 running, trial 2")
    assert "trial 2 leads with validation accuracy (%) 75.00" in first
    assert second.startswith("search trial 2 FAILED at epoch 3: boom  [3/3 done, 0 running")
    assert (
        "trial 0 leads with validation accuracy (%) 50.00" in second
    )  # as the table: a failed trial has no rank


def test_a_plain_line_is_printed_once_a_minute_while_no_trial_ends(
    sweep: SweepRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = 0.0
    monkeypatch.setattr(view_module.time, "monotonic", lambda: clock)
    text = io.StringIO()
    view = ProgressView(Console(file=text), Phase.SEARCH, sweep)
    with view:
        view.expect(3)
        view.started(trial(1, State.RUNNING))
        for _ in range(10):
            clock += 25.0
            view.epoch(trial(1, State.RUNNING), best(2.0))
            view.heard_nothing()
    line = "search 0/3, 1 running, trial 1 leads with validation RMSE 2"
    assert text.getvalue().splitlines() == [line] * 3  # after 75, 150 and 225 seconds


@pytest.mark.parametrize("terminal", [False, True])
def test_a_search_that_waits_for_a_first_trial_says_so_once_a_minute(
    sweep: SweepRecord, monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    clock = 0.0
    monkeypatch.setattr(view_module.time, "monotonic", lambda: clock)
    text = io.StringIO()
    console = Console(file=text, width=200, force_terminal=terminal)
    view = ProgressView(console, Phase.SEARCH, sweep)
    view.expect(3)
    for _ in range(5):
        clock += 25.0
        view.heard_nothing()
    said = "search 0/3, 0 running: Ray starts workers, or waits for CPUs or GPUs that others have"
    assert text.getvalue().splitlines() == [said]  # after 75 seconds
    view.started(trial(1, State.RUNNING))
    clock += 75.0
    view.heard_nothing()
    assert text.getvalue().splitlines()[1:] == ["search 0/3, 1 running"] * (not terminal)


def test_a_search_names_the_trial_that_its_ranking_names(sweep: SweepRecord) -> None:
    lucky, steady = (BestEpochs(METRICS["rmse"], Protocol.SPLIT, Phase.SEARCH) for _ in range(2))
    for epoch, values in enumerate([(2.0, 1.4), (1.0, 1.4), (2.0, 1.4)], start=1):
        lucky.add(report(epoch, values[0]))
        steady.add(report(epoch, values[1]))
    view = ProgressView(Console(file=io.StringIO()), Phase.SEARCH, sweep)
    view.epoch(trial(0, State.RUNNING), steady)
    view.epoch(trial(1, State.RUNNING), lucky)
    assert (lucky.smoothed, steady.smoothed) == (1.5, pytest.approx(1.4))
    assert "trial 0 leads with validation RMSE 1.4" in view.status()


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
    assert "trial 4 has the best validation RMSE 2.5" in first
    assert "trial 4 has the best validation RMSE 3.25" in second


def test_the_best_is_that_of_all_others_when_it_ends_badly_or_becomes_worse(
    sweep: SweepRecord,
) -> None:
    view = ProgressView(Console(file=io.StringIO()), Phase.CONFIRM, sweep)
    for number, value in ((1, 3.0), (2, 1.0), (3, 2.0)):
        view.epoch(confirming(number, f"confirm of {number}"), best(value))
    assert "trial 2 has the best validation RMSE 1" in view.status()
    view.epoch(confirming(4, "confirm of 2"), best(9.0))  # its mean is 5
    assert "trial 3 has the best validation RMSE 2" in view.status()
    view.ended(confirming(3, "confirm of 3", State.DIVERGED), best(2.0))
    assert "trial 1 has the best validation RMSE 3" in view.status()
    view.ended(confirming(4, "confirm of 2", State.FAILED), best(9.0))
    assert "trial 2 has the best validation RMSE 1" in view.status()
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


def shown(text: io.StringIO) -> list[str]:
    """What a terminal shows last, without colours and moves of the cursor."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.getvalue())
    return [line.rstrip() for line in plain.replace("\r", "\n").splitlines()]


def terminal() -> tuple[io.StringIO, Console]:
    text = io.StringIO()
    return text, Console(file=text, force_terminal=True, width=80, height=40)


def test_a_terminal_shows_the_running_trials_with_their_epochs(sweep: SweepRecord) -> None:
    text, console = terminal()
    with ProgressView(console, Phase.SEARCH, sweep) as view:
        view.expect(8)
        for number in (3, 4):
            view.started(trial(number, State.RUNNING))
        view.epoch(trial(4, State.RUNNING), best(1.25))
        view.ended(trial(3, State.PRUNED), best())
        view.live.refresh()
        lines = shown(text)
    whole = next(line for line in reversed(lines) if line.startswith("search"))
    assert whole.split()[-1] == "1/8"
    running = [line.split() for line in lines[lines.index(whole) :] if line.startswith("  trial")]
    assert [(line[:2], line[3:]) for line in running] == [
        (["trial", "4"], ["epoch", "3/12", "best", "1.25"])
    ]
    assert "1 running, trial 4 leads with validation RMSE 1.25" in lines
    assert all(len(line) <= 80 for line in lines)
    assert not any("search trial 3 PRUNED" in line for line in shown(text))


def test_many_running_trials_do_not_fill_the_terminal(sweep: SweepRecord) -> None:
    text, console = terminal()
    with ProgressView(console, Phase.SEARCH, sweep) as view:
        for number in range(30):
            view.started(trial(number, State.RUNNING))
        view.live.refresh()
        assert "  and 18 more" in shown(text)
        view.ended(trial(0, State.FAILED, "boom"), best())
        view.live.refresh()
        assert any(line.startswith("  trial 12 ") for line in shown(text))
        assert "search trial 0 FAILED at epoch 3: boom" in shown(text)


def test_a_study_shows_its_share_and_each_run(sweep: SweepRecord) -> None:
    text, console = terminal()
    run = replace(confirming(0, "study: PDF"), epochs_done=3)
    with StudyView(console) as view:
        view.part(replace(sweep, name="s"), "MUTAG")
        view.seen(replace(run, epochs_done=0), best)
        view.started(run)
        view.epoch(run, best(1.5))
        view.live.refresh()
        lines = shown(text)
    assert any(line.startswith("study") and line.endswith(" 25%") for line in lines)
    assert any(line.startswith("  MUTAG, split, PDF") and "epoch 3/12" in line for line in lines)
