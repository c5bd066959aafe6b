"""Passes Ray Tune's callbacks on to the trial log. They run in the driver, the only writer."""

# ruff: noqa: ARG002  (the signatures are Ray's)
from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ray.cloudpickle
from ray.exceptions import RayActorError, RayError, RayTaskError
from ray.tune import Callback, Stopper

from pdf_search.data import Progress
from pdf_search.errors import FullDiskError
from pdf_search.full_disk import full_words, is_full
from pdf_search.paths import below
from pdf_search.records import State, TrialOutcome
from pdf_search.stop_condition import StopCondition
from pdf_search.sweep.trial_log.failures import (
    FirstFailures,
    died,
    hung,
    is_lost_node,
)
from pdf_search.sweep.trial_log.trial_log import TrialLog
from pdf_search.sweep.tune.payload import DEVICE, NUMBER, unpack_end, unpack_epoch
from pdf_search.sweep.tune.ray_internals import replaced

if TYPE_CHECKING:
    from ray.tune import Checkpoint
    from ray.tune.experiment import Trial

MOST_OF_IT = 0.9  # of the timeout: the driver hears of an epoch later than its worker
LONGEST = 2000  # characters of an error message that are kept
logger = logging.getLogger(__name__)


class Recorder(Callback):
    """Records what Ray reports of trials.

    ``waiting`` are the numbers of the trials that wait at a rung; the scheduler adds to it.
    ``storage`` is the folder or URI under which Ray keeps checkpoints. ``lost`` is told of a trial
    whose worker is gone, and why; it gives whether the trial is tried again. ``untrained`` are the
    trials that failed before they trained an epoch in this run. ``timeout``: seconds without an
    epoch after which a worker ends. An exception in a callback ends the run through the stop
    condition.
    """

    def __init__(
        self,
        trial_log: TrialLog,
        stop_condition: StopCondition,
        waiting: set[int],
        storage: str,
        lost: Callable[[int, str], bool] = lambda *_: False,
        timeout: float = inf,
    ) -> None:
        self.trial_log = trial_log
        self.stop_condition = stop_condition
        self.waiting = waiting
        self.storage = storage
        self.lost = lost
        self.timeout = timeout
        self.heard: dict[int, float] = {}  # when a trial started or reported last
        self.ends: dict[int, TrialOutcome] = {}
        self.trained: set[int] = set()
        self.untrained: list[int] = []
        self.failures = FirstFailures()

    def on_trial_start(self, iteration: int, trials: list[Trial], trial: Trial, **_: Any) -> None:
        """Record that a trial runs."""
        with self.stop_condition.guarded():
            self.heard[trial.config[NUMBER]] = time.monotonic()
            self.trial_log.started(trial.config[NUMBER])

    def on_trial_result(
        self,
        iteration: int,
        trials: list[Trial],
        trial: Trial,
        result: dict[str, Any],
        **_: Any,
    ) -> None:
        """Record an epoch, or keep the outcome that a worker reports last."""
        with self.stop_condition.guarded():
            number = trial.config[NUMBER]
            self.heard[number] = time.monotonic()
            report = unpack_epoch(result)
            if report is not None:
                self.trained.add(number)
                self.trial_log.epoch(number, report, result[DEVICE])
            outcome = unpack_end(result)
            if outcome is not None:
                self.ends[number] = outcome
                if outcome.traceback:
                    logger.error("trial %d: %s", number, outcome.traceback)

    def on_checkpoint(
        self,
        iteration: int,
        trials: list[Trial],
        trial: Trial,
        checkpoint: Checkpoint,
        **_: Any,
    ) -> None:
        """Record where a checkpoint lies, with the storage as the user gave it."""
        with self.stop_condition.guarded():
            assert trial.storage is not None
            inside = Path(checkpoint.path).relative_to(trial.storage.storage_fs_path)
            path = below(self.storage, inside.as_posix())
            self.trial_log.checkpoint(trial.config[NUMBER], path)

    def on_trial_complete(
        self, iteration: int, trials: list[Trial], trial: Trial, **_: Any
    ) -> None:
        """Record the end of a trial: its outcome, or PAUSED if the scheduler stopped it."""
        with self.stop_condition.guarded():
            number = trial.config[NUMBER]
            if not self._came_to_an_end(number):
                self._ended(number, State.FAILED, "the worker ended without an outcome")

    def on_trial_error(self, iteration: int, trials: list[Trial], trial: Trial, **_: Any) -> None:
        """Record a trial whose worker is gone, to be tried again, or as FAILED if it raised."""
        with self.stop_condition.guarded():
            number, error = trial.config[NUMBER], _error(trial)
            if isinstance(error, RayTaskError):
                logger.error("trial %d: %s", number, error.traceback_str)
            if self._came_to_an_end(number):
                return
            if is_full(error):
                self.stop_condition.fail(FullDiskError(full_words(self.storage)))
                return
            text = error_text(error)
            if isinstance(error, RayActorError) and self._hung(number):
                text = hung(self.timeout, text)
            if is_loss(error) and self.lost(number, text):
                if not is_lost_node(text):
                    self._count(number, State.FAILED, text)
            else:
                self._ended(number, State.FAILED, text)

    def _hung(self, number: int) -> bool:
        """Whether nothing was heard of a trial that began for about as long as its worker waits."""
        now = time.monotonic()
        return now - self.heard.get(number, now) > MOST_OF_IT * self.timeout

    def _came_to_an_end(self, number: int) -> bool:
        """Record the outcome that the worker reported, or that the trial waits, if it did.

        A trial that a full disk interrupted goes on at a resume; the run ends.
        """
        outcome = self.ends.get(number)
        if outcome is not None and outcome.state is State.INTERRUPTED:
            self.stop_condition.fail(FullDiskError(outcome.message))
        elif outcome is not None:
            self._ended(number, outcome.state, outcome.message)
        elif number in self.waiting:
            self.waiting.discard(number)
            self.trial_log.paused(number)
        else:
            return False
        return True

    def _ended(self, number: int, state: State, message: str = "") -> None:
        self.trial_log.ended(number, state, message)
        if state is State.FAILED and number not in self.trained:
            self.untrained.append(number)
        self._count(number, state, message)

    def _count(self, number: int, state: State, message: str) -> None:
        reason = self.failures.ended(number, state, message, bool(self.trained))
        self.stop_condition.alike = self.stop_condition.alike or reason

    def __getstate__(self) -> dict[str, Any]:
        return {}


class RunStopper(Stopper):
    """Ends the whole run when the stop condition gives a reason.

    Running trials are recorded as interrupted first, because the end of Ray's processes may end
    this one too.
    """

    def __init__(self, stop_condition: StopCondition, trial_log: TrialLog) -> None:
        self.stop_condition = stop_condition
        self.trial_log = trial_log

    def __call__(self, trial_id: str, result: dict[str, Any]) -> bool:
        """Never stop a single trial; early stopping is the scheduler's."""
        return False

    def stop_all(self) -> bool:
        """Whether to end the run now; Ray asks between two steps."""
        if not self.stop_condition.due():
            self.trial_log.view.heard_nothing()
            return False
        self.trial_log.interrupted()
        return True

    def __getstate__(self) -> dict[str, Any]:
        return {}


def is_loss(error: BaseException | None) -> bool:
    """Whether a trial failed because its worker is gone, so that another one may train it.

    After an error of CUDA a process cannot use the GPU any more, whoever caused it.
    """
    if isinstance(error, RayTaskError):
        text = str(error.cause)
        return "CUDA error" in text and "out of memory" not in text
    return isinstance(error, RayActorError)


def all_losses_told(say: Progress) -> AbstractContextManager[None]:
    """Within the block, Tune takes a worker for lost whatever Ray says of its end.

    Else it raises what is neither of a worker's code nor an ``RayActorError``, and so ends the run:
    a worker that Ray itself ends for want of memory is an ``OutOfMemoryError``.
    """

    def make(manager: Any) -> Any:
        class Manager(manager):  # type: ignore[misc]
            def _actor_start_failed(self, tracked_actor: Any, exception: Exception) -> None:
                super()._actor_start_failed(tracked_actor, _as_loss(exception))

            def _actor_task_failed(self, tracked_actor_task: Any, exception: Exception) -> None:
                super()._actor_task_failed(tracked_actor_task, _as_loss(exception))

        return Manager

    place, name = "ray.tune.execution.tune_controller", "RayActorManager"
    without = "where memory is short, the run may end; it can be resumed"
    return replaced(place, name, make, say, without)


def _as_loss(error: Exception) -> Exception:
    known = isinstance(error, RayActorError | RayTaskError) or not isinstance(error, RayError)
    return error if known else RayActorError(error_msg=f"{type(error).__name__}: {error}")


def error_text(error: BaseException | None) -> str:
    """The message of a failed trial: its own exception, or how its worker died."""
    if error is None:
        return "the trial failed without a message; sweep.log has the details"
    if isinstance(error, RayTaskError):
        cause = error.cause
        return _short(f"{type(cause).__name__}: {cause}")
    if isinstance(error, RayActorError):
        return _short(died(_death(error)))
    return _short(f"{type(error).__name__}: {error}")


def _error(trial: Trial) -> BaseException | None:
    file = trial.pickled_error_file
    if not file or not Path(file).is_file():
        return None
    error = ray.cloudpickle.loads(Path(file).read_bytes())
    return error if isinstance(error, BaseException) else None


def _death(error: RayActorError) -> str:
    """Ray's reason for the death of a worker, without the details of the actor before it."""
    return str(error).partition("The actor is dead because ")[2] or str(error)


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."
