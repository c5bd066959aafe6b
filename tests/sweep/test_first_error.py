"""The error that ended a run is the one that is raised, whatever follows from it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pdf_search.errors import ResourceError, StoreError
from pdf_search.records import State
from pdf_search.stop_condition import StopCondition
from pdf_search.sweep.samplers.jobs import ListSource
from pdf_search.sweep.trial_log.trial_log import TrialLog
from pdf_search.sweep.tune.runner import Runner
from pdf_search.sweep.tune.searcher import JobSearcher
from tests.sweep.helpers import NAME, Bench


class Stub(Runner):
    """A runner whose tuner asks for one job and then may raise, without Ray."""

    def __init__(self, folder: Path, raised: Exception | None = None) -> None:
        self.say = lambda _: None
        self.storage = str(folder)
        self.stop_condition = StopCondition()
        self.shared: Any = SimpleNamespace(timeout=1.0)
        self.raised = raised

    def _tuner(self, source: Any, trial_log: TrialLog, *_: Any) -> Any:
        searcher = JobSearcher(source, trial_log, self.stop_condition)

        def fit() -> None:
            searcher.suggest("t")
            self.stop_condition.due()
            if self.raised is not None:
                raise self.raised

        return SimpleNamespace(fit=fit)


def refuse(error: Exception) -> Any:
    def raising(*_: object, **__: object) -> None:
        raise error

    return raising


def run(bench: Bench, folder: Path, raised: Exception | None = None) -> None:
    trial_log = bench.trial_log()
    job = bench.suggestions(trial_log).next()
    assert job is not None
    Stub(folder, raised).run(ListSource([job]), trial_log)


def test_an_error_of_recording_a_trial_is_raised_and_a_resume_gets_past_it(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(bench.store, "save_trial", refuse(OverflowError("too large")))
        with pytest.raises(OverflowError, match="too large"):
            run(bench, tmp_path)
    with pytest.raises(ResourceError, match="the end"):
        run(bench, tmp_path, ResourceError("the end"))
    (row,) = bench.store.trials(NAME)
    assert row.state is State.NOT_STARTED
    assert row.message.startswith("interrupted")


@pytest.mark.parametrize("place", ["interrupted", "going"])
def test_what_fails_while_a_run_is_given_up_does_not_hide_why(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    if place == "interrupted":
        monkeypatch.setattr(TrialLog, "interrupted", refuse(KeyError(1)))
    else:
        monkeypatch.setattr(bench.store, "update_trial", refuse(StoreError("no database")))
    with pytest.raises(ResourceError, match="the end"):
        run(bench, tmp_path, ResourceError("the end"))


def test_an_error_while_a_run_is_given_up_is_raised_where_it_is_the_first(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TrialLog, "interrupted", refuse(StoreError("no database")))
    monkeypatch.setattr(StopCondition, "due", lambda self: bool(setattr(self, "ended", "time")))
    with pytest.raises(StoreError, match="no database"):
        run(bench, tmp_path)
