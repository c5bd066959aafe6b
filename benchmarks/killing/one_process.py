"""Runs a sweep in one process: Tune and its workers are simulated, all else is real.

Searcher, scheduler, recorder, the worker's reporter, checkpoints, database and Optuna study are the
product's. Trials train in turns, an epoch each, so what happens is a function of the plan.
"""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import isnan, nan
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pandas as pd
from ray import tune
from ray.tune.schedulers import TrialScheduler
from rich.console import Console

from pdf_search.config import TrialConfig, parse_trial
from pdf_search.full_disk import full_words, is_full
from pdf_search.records import (
    PREDICTIONS,
    EpochReport,
    Phase,
    ReplicateEpoch,
    State,
    TrialOutcome,
)
from pdf_search.stop_condition import StopCondition
from pdf_search.sweep import Functions, Plan
from pdf_search.sweep.api import new_sweep_record
from pdf_search.sweep.driver import Driver
from pdf_search.sweep.samplers.jobs import Source
from pdf_search.sweep.trial_log.trial_log import TrialLog
from pdf_search.sweep.tune.callbacks import Recorder
from pdf_search.sweep.tune.checkpoints import SavedIn
from pdf_search.sweep.tune.payload import EPOCH, NUMBER, RESUME, TRIAL, VALID, pack_end
from pdf_search.sweep.tune.reporter import Reporter
from pdf_search.sweep.tune.rules.retries import RetryingSource
from pdf_search.sweep.tune.runner import KEPT, FolderName
from pdf_search.sweep.tune.scheduler import WaitingScheduler
from pdf_search.sweep.tune.searcher import JobSearcher
from pdf_search.training.artifacts.checkpoint import identity, load_checkpoint, save_checkpoint

Point = Callable[[str], None]  # told where the driver is, by name
Tell = Callable[..., None]  # told what has happened for good
DIVERGES, AT = 0.009, 5  # a learning rate above which trials diverge, and in which epoch


def epoch_report(config: TrialConfig, epoch: int) -> EpochReport:
    """An epoch of a simulated trial: learning rate, width and dropout decide its error."""
    now = config.at(epoch)
    rate = now.training.learning_rate
    value = 1.0 + 100 * abs(rate - 3e-3) + 16 / now.model.hidden + now.model.dropout + 2 / epoch
    if rate > DIVERGES and epoch >= AT:
        value = nan
    test = value + 0.1 if config.phase is Phase.CONFIRM else None
    rows = (ReplicateEpoch(value, value + r / 1e3, test) for r in range(len(config.replicates)))
    return EpochReport(epoch, rate, tuple(rows), 0.01, 1.0)


class Worker:
    """A trial in training; ``every`` are the seconds between its checkpoints."""

    def __init__(
        self, job: dict[str, Any], folder: Path, rungs: tuple[int, ...], every: float
    ) -> None:
        self.config = parse_trial(json.loads(job[TRIAL]))
        self.folder = folder
        self.known = identity(self.config, None)
        resume = job[RESUME]
        self.epoch = int(load_checkpoint(Path(resume), self.known)["epoch"]) if resume else 0
        epochs = (*rungs, self.config.epochs)
        self.reporter = Reporter(self.config, epochs, every, "cpu", keep=lambda _: None)
        self.diverged = False
        self.saved: list[Path] = []

    def step(self) -> tuple[dict[str, Any], Path | None]:
        """What a call of Tune gives: a result, and the checkpoint that came with it."""
        if self.diverged or self.epoch == self.config.epochs:
            state = State.DIVERGED if self.diverged else State.COMPLETE
            return pack_end(TrialOutcome(state, self.epoch)), None
        self.epoch += 1
        report = epoch_report(self.config, self.epoch)
        self.diverged = isnan(report.replicates[0].train_loss)
        told: list[tuple[dict[str, Any], Path | None]] = []

        def tell(result: dict[str, Any], checkpoint: Any = None) -> None:
            told.append((result, self._kept(checkpoint)))

        with patch.object(tune, "report", tell):
            self.reporter(report, self._save)
        return told[0]

    def forget_old(self) -> None:
        """Remove all checkpoints but the last, as Tune does."""
        for old in self.saved[:-KEPT]:
            shutil.rmtree(old, ignore_errors=True)

    def _save(self, folder: Path) -> None:
        if self.config.phase is Phase.CONFIRM:
            rows = {"split": ["test"], "index": [0], "task": [0], "replicate": [0]}
            value = epoch_report(self.config, self.epoch).replicates[0].valid
            table = pd.DataFrame(rows).assign(target=1.0, prediction=value)
            table.to_parquet(folder / PREDICTIONS)
        save_checkpoint(folder, {**self.known, "epoch": self.epoch})

    def _kept(self, checkpoint: Any) -> Path | None:
        """The folder in the storage, to which Tune copies a checkpoint file by file."""
        if checkpoint is None:
            return None
        target = self.folder / f"checkpoint_{len(self.saved):06d}"
        target.mkdir(parents=True)
        for file in sorted(Path(checkpoint.path).iterdir()):
            shutil.copyfile(file, target / file.name)
        self.saved.append(target)
        return target


@dataclass
class OneProcess:
    """Runs phases as the driver's ``Runner`` does. ``at`` and ``tell`` see every step."""

    plan: Plan
    stop_condition: StopCondition
    concurrent: int
    every: float
    at: Point
    tell: Tell
    workers: dict[int, Worker] = field(default_factory=dict)

    def run(
        self, source: Source, trial_log: TrialLog, scheduler: WaitingScheduler | None = None
    ) -> None:
        """Train the jobs of the source until there are none left."""
        storage = self.plan.folder.storage(None)
        waiting = scheduler.waiting if scheduler is not None else set()
        source = RetryingSource(source, trial_log, partial(SavedIn, storage, trial_log.phase))
        recorder = Recorder(trial_log, self.stop_condition, waiting, storage, source.lost)
        searcher = JobSearcher(source, trial_log, self.stop_condition)
        names, phase = FolderName(), trial_log.phase
        trials: list[Any] = []
        while True:
            while len(trials) < self.concurrent:
                job = searcher.suggest("")
                if not isinstance(job, dict):
                    break
                trial: Any = SimpleNamespace(trial_id=object(), config=job)
                trial.storage = SimpleNamespace(storage_fs_path=storage)
                folder = Path(storage, phase.value, names(trial))
                trial.worker = Worker(job, folder, self.plan.rungs, self.every)
                self.tell("started", phase, job[NUMBER])
                recorder.on_trial_start(0, [], trial)
                trials.append(trial)
            if not trials:
                break
            for trial in list(trials):
                if self._stepped(trial, recorder, scheduler, phase):
                    trials.remove(trial)
            if self.stop_condition.error is not None:
                break
        if self.stop_condition.error is not None:
            raise self.stop_condition.error

    def _stepped(
        self, trial: Any, recorder: Recorder, scheduler: WaitingScheduler | None, phase: Phase
    ) -> bool:
        """An epoch of a trial, in the order of Tune's controller; whether the trial has ended."""
        number = trial.config[NUMBER]
        try:
            result, checkpoint = trial.worker.step()
        except OSError as error:  # as in ``train``
            if not is_full(error):
                raise
            message = full_words(trial.worker.folder)
            result, checkpoint = pack_end(TrialOutcome(State.INTERRUPTED, 0, message)), None
        self.at("between checkpoint and record")
        decision = scheduler.on_trial_result(None, trial, result) if scheduler else ""
        recorder.on_trial_result(0, [], trial, result)
        if EPOCH in result and self.stop_condition.error is None:
            self.tell("epoch", phase, number, result[EPOCH], result[VALID])
        self.at("between record and checkpoint")
        if checkpoint is not None:
            recorder.on_checkpoint(0, [], trial, SimpleNamespace(path=str(checkpoint)))  # type: ignore[arg-type]
            trial.worker.forget_old()
        if EPOCH in result and decision != TrialScheduler.STOP:
            return False
        recorder.on_trial_complete(0, [], trial)
        state = recorder.trial_log.records[number].state
        if state is not State.RUNNING:  # as after a full disk, until the run ends
            self.tell("ended", phase, number, state.value)
        return True


def run(plan: Plan, concurrent: int, every: float, at: Point, tell: Tell) -> None:
    """Run a sweep to its end, a new one or one that is recorded."""
    with plan.folder.locked(), plan.folder.open_store(create=True) as store:
        stop_condition = StopCondition()
        quiet = Console(file=io.StringIO())
        driver = Driver(plan, store, stop_condition, quiet, Functions(baseline=_baseline))
        if not store.sweeps(plan.name):
            store.create_sweep(new_sweep_record(plan, "simulated"))
        runner: Any = OneProcess(plan, stop_condition, concurrent, every, at, tell)
        driver.search(runner)
        driver.confirm(runner, plan.top_k)


def _baseline(config: TrialConfig, _data: object) -> EpochReport:
    rows = tuple(ReplicateEpoch(nan, 9.0, 9.5) for _ in config.replicates)
    return EpochReport(0, 0.0, rows, 0.0, 0.0)
