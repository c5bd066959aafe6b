"""Why trials fail, in a line that can be read; a run whose first trials fail alike ends."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import ray.cloudpickle
from optuna.trial import TrialState
from ray.exceptions import RayActorError

from pdf_search.records import State, TrialOutcome, TrialRecord, first_line
from pdf_search.stop_condition import StopCondition
from pdf_search.sweep.trial_log.failures import FirstFailures, died
from pdf_search.sweep.trial_log.recovery import retry, retry_later, unfinished_jobs
from pdf_search.sweep.tune.callbacks import Recorder, RunStopper
from pdf_search.sweep.tune.payload import NUMBER, pack_end, pack_epoch
from pdf_search.sweep.tune.searcher import JobSearcher
from tests.sweep.helpers import NAME, NONE, Bench, Recorded, report


class Run:
    """A run of the recorder, its trials ended by hand."""

    def __init__(self, bench: Bench, count: int = 4) -> None:
        self.trial_log = bench.trial_log()
        self.stop_condition = StopCondition()
        searcher = JobSearcher(
            bench.suggestions(self.trial_log), self.trial_log, self.stop_condition
        )
        self.recorder = Recorder(self.trial_log, self.stop_condition, set(), "/trials")
        for _ in range(count):
            number = searcher.suggest("t")[NUMBER]
            self.recorder.on_trial_start(0, [], self.trial(number))

    def trial(self, number: int, **more: Any) -> Any:
        return SimpleNamespace(trial_id="t", config={NUMBER: number}, **more)

    def end(self, number: int, message: str = "", state: State = State.FAILED) -> None:
        outcome = pack_end(TrialOutcome(state, 0, message))
        self.recorder.on_trial_result(0, [], self.trial(number), outcome)
        self.recorder.on_trial_complete(0, [], self.trial(number))

    def epoch(self, number: int) -> None:
        sent = pack_epoch(report(1, 2.0), "cpu")
        self.recorder.on_trial_result(0, [], self.trial(number), sent)


def test_three_that_fail_alike_end_the_run(bench: Bench) -> None:
    run = Run(bench)
    for number, size in enumerate((16, 32, 64)):
        assert not run.stop_condition.due()
        run.end(number, f"OSError: no library of version {size}\nits details")
    assert run.stop_condition.alike == "OSError: no library of version 16"
    assert RunStopper(run.stop_condition, run.trial_log).stop_all()
    assert run.stop_condition.ended == "alike"
    rows = bench.store.trials(NAME)
    assert [row.state for row in rows] == [State.FAILED] * 3 + [State.NOT_STARTED]
    assert rows[0].message == "OSError: no library of version 16\nits details"
    assert rows[0].reason == "OSError: no library of version 16"


@pytest.mark.parametrize(
    ("states", "messages"),
    [
        ([State.FAILED] * 3, ["a: 1", "b: 1", "a: 1"]),
        ([State.FAILED, State.COMPLETE, State.FAILED, State.FAILED], ["a"] * 4),
        ([State.FAILED, State.DIVERGED, State.FAILED, State.FAILED], ["a"] * 4),
        ([State.FAILED] * 2, ["a"] * 2),
    ],
)
def test_other_ends_do_not(bench: Bench, states: list[State], messages: list[str]) -> None:
    run = Run(bench)
    for number, (state, message) in enumerate(zip(states, messages, strict=True)):
        run.end(number, message, state)
    assert not run.stop_condition.due()


def test_nor_do_failures_after_an_epoch(bench: Bench) -> None:
    run = Run(bench)
    run.epoch(1)
    for number in range(4):
        run.end(number, "the same")
    assert not run.stop_condition.due()


def test_a_resume_tries_those_again(bench: Bench) -> None:
    run = Run(bench)
    for number in range(3):
        run.end(number, "the same")
    run.trial_log.interrupted()
    retry_later(run.trial_log, run.recorder.untrained)
    assert "a resume tries this trial again" in bench.store.trials(NAME)[0].message
    assert bench.store.trials(NAME)[0].reason == "the same"
    trial_log = bench.trial_log()
    retry(trial_log)
    jobs = unfinished_jobs(trial_log, "cpu", NONE)
    assert [job.number for job in jobs] == [0, 1, 2, 3]
    assert jobs[0].origin == "listed"
    trial_log.started(0)
    trial_log.epoch(0, report(1, 2.0), "cpu")
    trial_log.ended(0, State.COMPLETE)
    assert bench.store.trials(NAME)[0].state is State.COMPLETE
    bench.open()
    told = [trial for trial in bench.log.study.trials if trial.user_attrs.get("trial") == 0]
    assert [trial.state for trial in told] == [TrialState.FAIL, TrialState.COMPLETE]
    assert told[0].params == told[1].params


def test_also_those_that_had_a_checkpoint_and_failed_at_once(bench: Bench) -> None:
    """After a resume on a machine that lacks something; an older failure stays as it is."""
    before = Run(bench)
    for number in range(3):
        before.epoch(number)
        before.trial_log.checkpoint(number, f"/trials/search/{number:04d}-a/checkpoint_000000")
    before.end(3, "its own fault")
    before.trial_log.interrupted()
    run = Run(bench, 0)
    for job in unfinished_jobs(run.trial_log, "cpu", Recorded(lambda _: 1)):
        run.trial_log.planned(job)
        run.trial_log.started(job.number)
        run.end(job.number, "no library")
    assert run.stop_condition.alike == "no library"
    retry_later(run.trial_log, run.recorder.untrained)
    trial_log = bench.trial_log()
    retry(trial_log)
    states = [trial_log.records[number].state for number in range(4)]
    assert states == [*[State.INTERRUPTED] * 3, State.FAILED]
    jobs = unfinished_jobs(trial_log, "cpu", Recorded(lambda _: 1))
    assert [job.resume[-24:] for job in jobs] == [f"{n:04d}-a/checkpoint_000000" for n in range(3)]


def test_failures_of_a_run_that_went_on_are_not_tried_again(bench: Bench) -> None:
    run = Run(bench)
    run.end(0, "its own fault")
    trial_log = bench.trial_log()
    retry(trial_log)
    assert trial_log.records[0].state is State.FAILED


def failed_of(bench: Bench, tmp_path: Path, error: BaseException) -> TrialRecord:
    run = Run(bench, 1)
    file = tmp_path / "error.pkl"
    file.write_bytes(ray.cloudpickle.dumps(error))
    run.recorder.on_trial_error(0, [], run.trial(0, pickled_error_file=str(file)))
    (row,) = bench.store.trials(NAME)
    return row


KILLED = (
    "The actor died unexpectedly before finishing this task.\n\tclass_name: ImplicitFunc\n"
    "\tactor_id: 0123\nThe actor is dead because its worker process has died. Worker exit type: "
    "SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection error code 2. "
    "End of file. Some common causes include: (1) the process was killed by the OOM killer due to "
    "high memory usage"
)


def test_a_killed_worker_is_said_in_the_first_line(bench: Bench, tmp_path: Path) -> None:
    row = failed_of(bench, tmp_path, RayActorError(error_msg=KILLED))
    assert row.reason.startswith("its worker died, killed or crashed; if for want of memory, give")
    assert "--concurrent" in row.reason
    assert "Worker exit detail" in row.message


def test_so_is_memory_that_ray_guards(bench: Bench, tmp_path: Path) -> None:
    text = "Task was killed due to the node running low on memory.\nMemory on the node: 15.9GB"
    row = failed_of(bench, tmp_path, RayActorError(error_msg=f"OutOfMemoryError: {text}"))
    assert row.reason.startswith("out of memory: this machine's is full; give it fewer trials")
    assert "15.9GB" in row.message


def test_another_death_gives_its_own_first_line() -> None:
    text = "the driver of the job was removed\nwith more"
    assert first_line(died(text)) == "its worker died: the driver of the job was removed"


def test_first_lines() -> None:
    assert first_line("\n  \n a \nb") == "a"
    assert first_line("") == ""
    failures = FirstFailures()
    assert [failures.ended(i, State.FAILED, f"at 0x{i}f", False) for i in range(4)] == [
        "",
        "",
        "at 0x0f",
        "",
    ]
