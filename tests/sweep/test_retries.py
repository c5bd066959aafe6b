"""Trials whose workers are lost: tried again from their checkpoints, beside the others."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import ray.cloudpickle
from ray.exceptions import ActorUnavailableError, RayActorError, RayTaskError

from pdf_search.errors import FullDiskError
from pdf_search.records import State, TrialOutcome
from pdf_search.stop_condition import StopCondition
from pdf_search.sweep.samplers.jobs import ListSource
from pdf_search.sweep.tune import callbacks
from pdf_search.sweep.tune.callbacks import Recorder, RunStopper
from pdf_search.sweep.tune.payload import NUMBER, RESUME, pack_end, pack_epoch
from pdf_search.sweep.tune.rules.retries import RetryingSource
from pdf_search.sweep.tune.searcher import JobSearcher
from tests.sweep.helpers import NAME, Bench, Recorded, report

KILLED = RayActorError(
    error_msg="The actor is dead because its worker process has died. Worker exit type: "
    "SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection error code 2."
)
NODE = RayActorError(error_msg="The actor is dead because its node has died. Node Id: 5a0b")
AWAY = ActorUnavailableError("rpc error", None)


class Run:
    """A run whose trials are ended by hand; checkpoints are those that were recorded."""

    def __init__(self, bench: Bench, folder: Path) -> None:
        self.bench, self.folder = bench, folder
        self.trial_log = bench.trial_log()
        self.stop_condition = StopCondition()
        saved = Recorded(lambda path: int(path.rpartition("_")[2]))
        self.source = source = RetryingSource(
            bench.suggestions(self.trial_log), self.trial_log, lambda: saved
        )
        self.searcher = JobSearcher(source, self.trial_log, self.stop_condition)
        self.recorder = Recorder(self.trial_log, self.stop_condition, set(), "/trials", source.lost)

    def start(self, begins: bool = True) -> tuple[int, str] | None:
        """The number of the next trial, and the checkpoint that it goes on from."""
        given = self.searcher.suggest("t")
        if not isinstance(given, dict):
            return None
        if not begins:
            return given[NUMBER], given[RESUME]
        self.recorder.on_trial_start(0, [], self._trial(given[NUMBER]))
        return given[NUMBER], given[RESUME]

    def epoch(self, number: int, epoch: int, checkpoint: bool = False) -> None:
        sent = pack_epoch(report(epoch, 2.0), "cpu")
        self.recorder.on_trial_result(0, [], self._trial(number), sent)
        if checkpoint:
            self.trial_log.checkpoint(number, f"/trials/a/checkpoint_{epoch}")

    def end(self, number: int) -> None:
        outcome = pack_end(TrialOutcome(State.COMPLETE, 2))
        self.recorder.on_trial_result(0, [], self._trial(number), outcome)
        self.recorder.on_trial_complete(0, [], self._trial(number))

    def fail(self, number: int, error: BaseException = KILLED) -> None:
        file = self.folder / "error.pkl"
        file.write_bytes(ray.cloudpickle.dumps(error))
        self.recorder.on_trial_error(0, [], self._trial(number, pickled_error_file=str(file)))

    def states(self) -> list[tuple[State, int]]:
        return [(trial.state, trial.retries) for trial in self.bench.store.trials(NAME)]

    def _trial(self, number: int, **more: Any) -> Any:
        return SimpleNamespace(trial_id="t", config={NUMBER: number}, **more)


@pytest.fixture
def run(bench: Bench, tmp_path: Path) -> Run:
    return Run(bench, tmp_path)


def test_one_that_hung_is_tried_again_and_said_to_have_hung(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(callbacks.time, "monotonic", lambda: clock[0])
    run.recorder.timeout = 7200.0
    run.start(), run.start()
    clock[0] = 7000.0
    run.epoch(1, 1)
    clock[0] = 7190.0
    run.fail(0)
    run.fail(1)
    reasons = [trial.reason for trial in run.bench.store.trials(NAME)]
    assert reasons[0].startswith("no epoch for 2 h 0 min (--epoch-timeout), so it hung")
    assert reasons[1].startswith("its worker died, killed or crashed")


def test_a_worker_that_is_lost_before_its_trial_begins_is_tried_again(run: Run) -> None:
    assert run.start(begins=False) == (0, "")
    run.fail(0)
    assert run.stop_condition.error is None
    assert run.start() == (0, "")
    run.end(0)
    assert run.states() == [(State.COMPLETE, 1)]


@pytest.mark.parametrize("error", [KILLED, NODE, AWAY])
def test_a_lost_trial_goes_on_from_its_checkpoint_and_its_neighbour_trains_on(
    run: Run, error: BaseException
) -> None:
    assert run.start() == (0, "")
    assert run.start() == (1, "")
    run.epoch(0, 1, checkpoint=True)
    run.epoch(1, 1)
    run.fail(0, error)
    assert run.states() == [(State.INTERRUPTED, 1), (State.RUNNING, 0)]
    assert run.start() == (0, "/trials/a/checkpoint_1")
    run.epoch(0, 2)
    run.end(0)
    assert run.states() == [(State.COMPLETE, 1), (State.RUNNING, 0)]


def test_the_last_retry_has_no_trial_beside_it_and_says_why_it_failed(run: Run) -> None:
    run.bench.trials = 2
    run = Run(run.bench, run.folder)
    run.start(), run.start()
    run.epoch(1, 1)
    run.fail(0)
    assert run.start() == (0, "")
    run.fail(0)
    assert run.start() is None  # trial 1 runs
    run.end(1)
    assert run.start() == (0, "")
    run.fail(0)
    assert run.states() == [(State.FAILED, 2), (State.COMPLETE, 0)]
    assert "its worker died, killed or crashed" in run.bench.store.trials(NAME)[0].reason
    assert run.start() is None


def test_one_that_its_population_goes_on_with_is_not_tried_again_too(run: Run) -> None:
    run.start()
    job = run.source.given[0]
    run.fail(0)
    run.start()
    run.fail(0)  # now it is to be tried when nothing else is left
    run.source.source = ListSource([job])
    assert run.start() == (0, "")
    run.epoch(0, 1)
    run.end(0)
    assert run.start() is None
    assert run.states() == [(State.COMPLETE, 2)]


def test_a_trial_that_gets_further_is_tried_again_and_again(run: Run) -> None:
    run.start()
    for epoch in range(1, 7):
        run.epoch(0, epoch, checkpoint=True)
        run.fail(0)
        assert run.start() == (0, f"/trials/a/checkpoint_{epoch}")
    assert run.states() == [(State.RUNNING, 6)]


def test_one_that_had_told_its_end_has_ended(run: Run) -> None:
    run.start()
    run.epoch(0, 1)
    outcome = pack_end(TrialOutcome(State.DIVERGED, 1, "nan"))
    run.recorder.on_trial_result(0, [], run._trial(0), outcome)
    run.fail(0)
    assert run.states() == [(State.DIVERGED, 0)]


@pytest.mark.parametrize(("error", "alike"), [(KILLED, True), (NODE, False)])
def test_three_that_are_killed_at_once_end_the_run_but_a_lost_node_does_not(
    run: Run, error: BaseException, alike: bool
) -> None:
    for number in range(3):
        assert run.start() == (number, "")
    for number in range(3):
        run.fail(number, error)
    assert bool(run.stop_condition.alike) == alike
    assert run.states() == [(State.NOT_STARTED, 1)] * 3


@pytest.mark.parametrize(
    ("message", "again"),
    [("CUDA error: unspecified launch failure", True), ("CUDA error: out of memory", False)],
)
def test_a_gpu_that_failed_is_tried_again_but_not_one_that_is_too_small(
    run: Run, message: str, again: bool
) -> None:
    run.start()
    run.fail(0, RayTaskError("train", "trace", RuntimeError(message)))
    assert run.states() == [(State.NOT_STARTED, 1) if again else (State.FAILED, 0)]


def test_a_full_disk_interrupts_the_run_and_fails_no_trial(run: Run) -> None:
    run.start(), run.start()
    run.epoch(0, 1, checkpoint=True)
    full = pack_end(TrialOutcome(State.INTERRUPTED, 1, "the disk of /runs is full (0 bytes)"))
    run.recorder.on_trial_result(0, [], run._trial(0), full)
    run.recorder.on_trial_complete(0, [], run._trial(0))
    assert isinstance(run.stop_condition.error, FullDiskError)
    assert str(run.stop_condition.error) == "the disk of /runs is full (0 bytes)"
    assert RunStopper(run.stop_condition, run.trial_log).stop_all()
    assert run.states() == [(State.INTERRUPTED, 0), (State.NOT_STARTED, 0)]


def test_nor_does_one_that_ray_notices(run: Run) -> None:
    run.start()
    run.fail(0, RayTaskError("train", "trace", OSError(28, "No space left on device")))
    assert isinstance(run.stop_condition.error, FullDiskError)
    assert "bytes are free" in str(run.stop_condition.error)
    assert run.states() == [(State.RUNNING, 0)]
