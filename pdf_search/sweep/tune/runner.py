"""Runs phases on Ray Tune, in one session: trains the jobs of a source into a trial log."""

from __future__ import annotations

import secrets
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from ray import tune
from ray.exceptions import RayError

from pdf_search.data import Prepared, Progress, silent
from pdf_search.errors import ResourceError
from pdf_search.graphs import GraphSet
from pdf_search.stop_condition import PATIENCE, StopCondition
from pdf_search.sweep.folder import SweepFolder
from pdf_search.sweep.options import SweepOptions
from pdf_search.sweep.resources import Resources
from pdf_search.sweep.samplers.jobs import Source
from pdf_search.sweep.trial_log.recovery import enter_saved, retry_later
from pdf_search.sweep.trial_log.trial_log import TrialLog
from pdf_search.sweep.tune import checkpoints
from pdf_search.sweep.tune.callbacks import Recorder, RunStopper, all_losses_told
from pdf_search.sweep.tune.cluster.nodes import check_nodes, nodes_differ
from pdf_search.sweep.tune.payload import NUMBER
from pdf_search.sweep.tune.ray_session import ray_session
from pdf_search.sweep.tune.rules.retries import RetryingSource
from pdf_search.sweep.tune.searcher import JobSearcher
from pdf_search.sweep.tune.trainable import Shared, train

if TYPE_CHECKING:
    from pathlib import Path

    from ray.tune import Callback
    from ray.tune.experiment import Trial

    from pdf_search.sweep.tune.scheduler import WaitingScheduler

KEPT = 2  # checkpoints of a trial: its last, and the one before in case that is damaged


class Runner:
    """Runs phases in the open Ray session.

    ``shared`` is what all trials have in common. ``storage`` is the absolute folder or the URI for
    checkpoints, ``tensorboard`` the folder of curves for TensorBoard, None for none.
    """

    def __init__(
        self,
        shared: Shared,
        resources: Resources,
        storage: str,
        stop_condition: StopCondition,
        tensorboard: Path | None = None,
        say: Progress = silent,
    ) -> None:
        self.say = say
        self.resources = resources
        self.tensorboard = tensorboard
        self.storage = storage
        self.stop_condition = stop_condition
        data = {name: _sent(item) for name, item in shared.data.items()}
        self.shared = replace(shared, data=data)

    def run(
        self,
        source: Source,
        trial_log: TrialLog,
        scheduler: WaitingScheduler | None = None,
    ) -> None:
        """Train the jobs of the source until there are none left, or there is a reason to stop.

        A trial that fails is recorded and raises nothing. One whose worker is lost is tried again.

        Raises:
            Exception: whatever went wrong in the driver itself.
        """
        if not source.remaining() or self.stop_condition.due():
            return
        waiting = scheduler.waiting if scheduler is not None else set()
        saved = partial(checkpoints.SavedIn, self.storage, trial_log.phase)
        source = RetryingSource(source, trial_log, saved)
        recorder = Recorder(
            trial_log,
            self.stop_condition,
            waiting,
            self.storage,
            source.lost,
            self.shared.timeout,
        )
        tuner = self._tuner(source, trial_log, recorder, scheduler)
        ending = self.stop_condition  # it keeps the first error, which no later one hides
        try:
            with ending.guarded(), all_losses_told(self.say):
                _fit(tuner)
        except KeyboardInterrupt:  # a second signal: running trials are given up as they are
            ending.interrupt()
            ending.due()
        finally:
            ending.in_order()
            if ending.ended or ending.error or sys.exc_info()[0] is not None:
                with ending.guarded():
                    enter_saved(trial_log, saved())
                with ending.guarded():
                    trial_log.interrupted()
        if ending.alike:
            with ending.guarded():
                retry_later(trial_log, recorder.untrained)
        if ending.error is not None:
            raise ending.error

    def _tuner(
        self,
        source: Source,
        trial_log: TrialLog,
        recorder: Recorder,
        scheduler: WaitingScheduler | None,
    ) -> tune.Tuner:
        trainable = tune.with_resources(
            tune.with_parameters(train, shared=self.shared),
            {"cpu": self.resources.cpus, "gpu": self.resources.gpus},
        )
        return tune.Tuner(
            trainable,
            tune_config=tune.TuneConfig(
                search_alg=JobSearcher(source, trial_log, self.stop_condition),
                scheduler=scheduler,
                num_samples=-1,  # until the source has no more
                max_concurrent_trials=self.resources.concurrent,
                reuse_actors=True,
                trial_dirname_creator=FolderName(),
            ),
            run_config=tune.RunConfig(
                name=trial_log.phase.value,
                storage_path=self.storage,
                callbacks=[recorder, *self._tensorboard(trial_log)],
                stop=RunStopper(self.stop_condition, trial_log),
                checkpoint_config=tune.CheckpointConfig(num_to_keep=KEPT),
                failure_config=tune.FailureConfig(max_failures=0),
                verbose=0,
            ),
        )

    def _tensorboard(self, trial_log: TrialLog) -> list[Callback]:
        if self.tensorboard is None:
            return []
        from pdf_search.sweep.tune.tensorboard import TensorBoard  # noqa: PLC0415

        return [TensorBoard(self.tensorboard, trial_log)]


def _fit(tuner: tune.Tuner) -> None:
    try:
        tuner.fit()
    except RayError as error:
        raise ResourceError(
            f"Ray ended in the middle of the run ({type(error).__name__}: {error})"
        ) from error


class FolderName:
    """Names the folders of trials, differently in each run: none mixes with a killed run's.

    A trial that waited and goes on has a new one, since others may go on from its checkpoint too.
    """

    def __init__(self) -> None:
        self.run = secrets.token_hex(3)
        self.names: dict[str, str] = {}  # by Ray's own name of the trial
        self.times: Counter[int] = Counter()

    def __call__(self, trial: Trial) -> str:
        """The name of a trial's folder, always the same for the same Ray trial."""
        if trial.trial_id not in self.names:
            number = trial.config[NUMBER]
            self.times[number] += 1
            again = f"-{self.times[number]}" if self.times[number] > 1 else ""
            self.names[trial.trial_id] = f"{checkpoints.attempt(number)}{self.run}{again}"
        return self.names[trial.trial_id]


def _sent(data: str | Prepared) -> str | Prepared:
    """What workers get of a data set: its folder if all run on this machine, else the data."""
    if isinstance(data, str):
        return data
    return _in_memory(data) if nodes_differ() else str(data.folder)


def _in_memory(data: Prepared) -> Prepared:
    """The data set with plain arrays, which Ray's object store shares without copies."""
    fields = vars(data.graphs)
    arrays: dict[str, Any] = {
        k: np.asarray(v) if isinstance(v, np.ndarray) else v for k, v in fields.items()
    }
    return replace(data, graphs=GraphSet(**arrays))


@contextmanager
def open_runner(
    folder: SweepFolder,
    options: SweepOptions,
    size: Resources,
    shared: Shared,
    stop_condition: StopCondition,
    say: Progress = silent,
) -> Iterator[Runner]:
    """Open a Ray session with its signal handling, and give the runner of its phases.

    ``shared`` is what all trials have in common, with the data sets as they were prepared.

    Raises:
        ResourceError: Ray cannot start, or a node of the cluster is not fit.
    """
    storage = folder.storage(options.storage)
    if "://" not in storage:
        checkpoints.make(storage)
    cpus, gpus = size.cpus * size.concurrent, size.gpus_in_use
    with (
        stop_condition.on_signals(PATIENCE),
        ray_session(cpus, gpus, size.address, folder.log, say),
    ):
        if size.address is not None or nodes_differ():
            check_nodes(storage)
        tensorboard = folder.tensorboard if options.tensorboard else None
        yield Runner(shared, size, storage, stop_condition, tensorboard, say)
