from __future__ import annotations

import io

import pytest
from rich.console import Console

from pdf_search.records import METRICS, Phase, State, TrialRecord
from pdf_search.sweep.view import ProgressView, duration
from tests.sweep.helpers import report


def trial(number: int, state: State, message: str = "") -> TrialRecord:
    return TrialRecord("s", Phase.SEARCH, number, {}, "h", state, epochs_done=3, message=message)


def test_one_plain_line_a_trial_where_there_is_no_terminal() -> None:
    text = io.StringIO()
    view = ProgressView(Console(file=text), Phase.SEARCH, METRICS["accuracy"])
    with view:
        view.seen(trial(0, State.COMPLETE), [report(1, 0.5)])
        view.expect(2)
        for number in (1, 2):
            view.started(trial(number, State.RUNNING))
        view.epoch(trial(1, State.RUNNING), report(3, 0.75))
        view.ended(trial(1, State.PRUNED), [])
        view.ended(trial(2, State.FAILED, "boom\ntrace"), [])
    first, second = text.getvalue().splitlines()
    assert first.startswith("search trial 1 PRUNED at epoch 3  [2/3 done, 1 running, best")
    assert "accuracy (%) 75.00 (trial 1)" in first
    assert "left" in first
    assert second.startswith("search trial 2 FAILED at epoch 3: boom  [3/3 done, 0 running")


@pytest.mark.parametrize(("seconds", "text"), [(5, "5 s"), (65, "1 min 5 s"), (3700, "1 h 1 min")])
def test_durations_are_short(seconds: float, text: str) -> None:
    assert duration(seconds) == text
