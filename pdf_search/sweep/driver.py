"""A sweep from its plan and its database: search, then confirm, in one Ray session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial

from rich.console import Console

from pdf_search.records import Phase, TrialRecord
from pdf_search.results.store import Store
from pdf_search.sweep import checkpoints
from pdf_search.sweep.banks import shared_bases
from pdf_search.sweep.confirming import (
    Baseline,
    add_baseline,
    best_trials,
    confirm_jobs,
    confirmed_already,
    rerun_job,
    shortfall,
)
from pdf_search.sweep.continuing import (
    rebuild_rungs,
    retry,
    retry_later,
    settle_study,
    unfinished_jobs,
)
from pdf_search.sweep.halt import Halt, Reason
from pdf_search.sweep.jobs import Job, ListSource
from pdf_search.sweep.ledger import Ledger
from pdf_search.sweep.live_line import print_line
from pdf_search.sweep.methods import REDUCTION
from pdf_search.sweep.optuna_log import StudyLog, open_study
from pdf_search.sweep.plan import Plan
from pdf_search.sweep.predictions import gather_predictions
from pdf_search.sweep.rungs import Rungs
from pdf_search.sweep.runner import Runner
from pdf_search.sweep.scheduler import EqualEpochScheduler
from pdf_search.sweep.session import session
from pdf_search.sweep.study_plan import StudyPlan
from pdf_search.sweep.suggestions import Suggestions
from pdf_search.sweep.targets import record_targets
from pdf_search.sweep.trainable import TrialFunction
from pdf_search.sweep.view import ProgressView


@dataclass(frozen=True)
class Functions:
    """What trains a trial and what predicts the baseline; None for those of ``training``.

    ``on_finished``: of a study; called when its rows are written down and after each has ended.
    """

    trial: TrialFunction | None = None
    baseline: Baseline | None = None
    on_finished: Callable[[Store], None] | None = None


class Driver:
    """The one process that writes a sweep's results. The caller holds the sweep's lock."""

    def __init__(
        self, plan: Plan, store: Store, halt: Halt, console: Console, functions: Functions
    ) -> None:
        self.plan = plan
        self.store = store
        self.halt = halt
        self.console = console
        self.functions = functions
        self.messages: list[str] = []
        self.view: ProgressView

    def session(self) -> AbstractContextManager[Runner]:
        """Ray, and a runner in it. Raises ResourceError: a cluster not fit for the sweep."""
        plan, data, function = self.plan, {"": self.plan.data}, self.functions.trial
        bases = shared_bases(plan.space)
        say = partial(print_line, self.console)
        options, size = plan.options, plan.resources
        return session(plan.folder, options, size, data, self.halt, function, bases, say)

    def search(self, runner: Runner) -> None:
        """Run the trials that are not finished and those that are still to be drawn."""
        plan = self.plan
        study = StudyLog(
            open_study(plan.folder.database, plan.name, plan.metric),
            plan.space,
            plan.metric,
            plan.options.seed,
            plan.trials,
        )
        with self._ledger(Phase.SEARCH, study) as ledger:
            settle_study(study, ledger)
            retry(ledger)
            unfinished = self._unfinished(ledger)
            source = self._suggestions(study, ledger, unfinished)
            self.view.expect(source.remaining())
            runner.run(source, ledger, self._scheduler(ledger))
            if self.halt.alike:
                retry_later(ledger)
        self._tell(source.message)

    def confirm(self, runner: Runner, top_k: int) -> None:
        """Train the winners again; rows that an earlier run left unfinished are finished first."""
        plan = self.plan
        chosen = best_trials(self.store, plan.name, top_k)
        self._tell(shortfall(len(chosen), top_k))
        with self._ledger(Phase.CONFIRM) as ledger:
            jobs = self._unfinished(ledger)
            for line in confirmed_already(chosen, ledger, plan.builder.confirm):
                self._tell(line)
            new = confirm_jobs(chosen, ledger, plan.builder.confirm)
            for job in new:
                ledger.planned(job)
            if chosen:
                first = plan.builder.confirm(chosen[0].config)
                add_baseline(ledger, first, plan.data, self.functions.baseline)
            self.train(runner, ledger, jobs + new)

    def rerun(self, runner: Runner, number: int, phase: Phase) -> None:
        """Train a recorded configuration once more, to its end, as a row of its own.

        Raises:
            ConfigError: no such trial, or one without a configuration of its own.
        """
        with self._ledger(phase) as ledger:
            job = rerun_job(ledger, number, self.plan.builder.device)
            ledger.planned(job)
            if phase is Phase.SEARCH:
                self.store.update_sweep(self.plan.name, trials=self.plan.trials + 1)
            self.train(runner, ledger, [job])

    def train(self, runner: Runner, ledger: Ledger, jobs: list[Job]) -> None:
        """Jobs that are known beforehand; predictions of confirmed ones are gathered after."""
        self.view.expect(len(jobs))
        runner.run(ListSource(jobs), ledger)
        if ledger.phase is Phase.CONFIRM:
            gather_predictions(ledger.records.values(), self.plan.folder.predictions)
            record_targets(ledger)

    def _tell(self, message: str) -> None:
        if message:
            self.messages.append(message)

    @contextmanager
    def _ledger(self, phase: Phase, study: StudyLog | None = None) -> Iterator[Ledger]:
        plan = self.plan
        assert plan.data.info.shape is not None
        self.view = ProgressView(
            self.console, phase, self.store.sweep(plan.name), plan.resources.concurrent
        )
        ledger = Ledger(
            self.store,
            plan.name,
            phase,
            plan.data.info.shape,
            self.view,
            checkpoints.remove,
            study,
            plan.folder,
        )
        ledger.show()
        with self.view:
            yield ledger

    def _unfinished(self, ledger: Ledger) -> list[Job]:
        return unfinished_jobs(ledger, self.plan.builder.device, checkpoints.epoch_of)

    def _suggestions(self, study: StudyLog, ledger: Ledger, unfinished: list[Job]) -> Suggestions:
        plan, shape = self.plan, self.plan.data.info.shape
        assert shape is not None
        return Suggestions(
            study,
            plan.method,
            shape,
            plan.builder.search,
            total=plan.trials,
            start=max(ledger.records, default=-1) + 1,
            known={record.config_hash: number for number, record in ledger.records.items()},
            unfinished=unfinished,
            repeat=plan.options.repeat,
        )

    def _scheduler(self, ledger: Ledger) -> EqualEpochScheduler | None:
        plan = self.plan
        if not plan.rungs:
            return None
        rungs = Rungs(plan.metric.mode, plan.grace, plan.epochs, REDUCTION, max(1, plan.top_k))
        rebuild_rungs(rungs, ledger)
        return EqualEpochScheduler(rungs, plan.metric.mode, plan.epochs)


@dataclass(frozen=True)
class SweepResult:
    """How a run of the driver ended. ``ended``: "" for finished, else why it must be resumed.

    ``search``: none in a study, whose trials are all in ``confirm``.
    """

    plan: Plan | StudyPlan
    ended: Reason
    search: list[TrialRecord]
    confirm: list[TrialRecord]
    messages: tuple[str, ...]
    reason: str = ""  # of the first trials, where they failed alike

    @property
    def how_to_resume(self) -> str:
        """The command that continues the sweep, a password masked; "" if it is finished."""
        return self.plan.folder.how_to_resume if self.ended else ""
