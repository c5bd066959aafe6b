"""Runs the phases of a sweep, search and confirm, in one Ray session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from signal import SIGINT

from rich.console import Console

from pdf_search.records import Phase, TrialRecord
from pdf_search.results import Patience, Store
from pdf_search.stop_condition import Reason, StopCondition
from pdf_search.sweep.confirm_phase import (
    Baseline,
    add_baseline,
    best_trials,
    changed_on_the_way,
    confirm_jobs,
    confirmed_already,
    rerun_job,
    shortfall,
)
from pdf_search.sweep.confirmed_predictions import gather_predictions, record_measured
from pdf_search.sweep.plan import Plan
from pdf_search.sweep.reruns import rerun_verdict
from pdf_search.sweep.samplers.explore import explored_parameters
from pdf_search.sweep.samplers.jobs import Job, ListSource
from pdf_search.sweep.samplers.methods import REDUCTION
from pdf_search.sweep.samplers.optuna_storage import told_as_store_errors
from pdf_search.sweep.samplers.optuna_study import OptunaStudy
from pdf_search.sweep.samplers.suggestions import Suggestions
from pdf_search.sweep.shared_bases import shared_bases
from pdf_search.sweep.study_plan import StudyPlan
from pdf_search.sweep.trial_log.live_view import print_line
from pdf_search.sweep.trial_log.progress import ProgressView
from pdf_search.sweep.trial_log.recovery import (
    enter_saved,
    job_from,
    remove_leftovers,
    retry,
    settle_study,
    unfinished_jobs,
)
from pdf_search.sweep.trial_log.trial_log import TrialLog
from pdf_search.sweep.tune import checkpoints
from pdf_search.sweep.tune.rules.brackets import Brackets, brackets_reached
from pdf_search.sweep.tune.rules.population import Population
from pdf_search.sweep.tune.rules.promotion import PromotingSource, rebuild
from pdf_search.sweep.tune.runner import Runner, open_runner
from pdf_search.sweep.tune.scheduler import WaitingScheduler
from pdf_search.sweep.tune.storage import check_room
from pdf_search.sweep.tune.trainable import Shared, TrialFunction
from pdf_search.training import checkpoint_bytes


@dataclass(frozen=True)
class Functions:
    """The functions that train a trial and predict the baseline; None for those of ``training``.

    ``on_finished`` is for a study. It is called when the runs are recorded, and after each has
    ended.
    """

    trial: TrialFunction | None = None
    baseline: Baseline | None = None
    on_finished: Callable[[Store], None] | None = None


class Driver:
    """The one process that writes a sweep's results. The caller holds the sweep's lock."""

    def __init__(
        self,
        plan: Plan,
        store: Store,
        stop_condition: StopCondition,
        console: Console,
        functions: Functions,
    ) -> None:
        self.plan = plan
        self.store = store
        self.say = partial(print_line, console)
        store.patience = Patience(self.say)
        self.stop_condition = stop_condition
        self.console = console
        self.functions = functions
        self.messages: list[str] = []
        self.view: ProgressView

    def session(self) -> AbstractContextManager[Runner]:
        """Open a Ray session and give a runner in it.

        Raises:
            ResourceError: the cluster cannot run the sweep, or the disk has no room for it.
        """
        plan, options, size = self.plan, self.plan.options, self.plan.resources
        shared = Shared(
            data={"": plan.data},
            cpus=size.cpus,
            gpus=size.gpus,
            checkpoint_seconds=options.checkpoint_seconds,
            function=self.functions.trial,
            rungs=plan.rungs,
            bases=shared_bases(plan.space),
            timeout=options.epoch_timeout,
        )
        where, one = plan.folder.storage(options.storage), checkpoint_bytes(plan.first, plan.data)
        check_room(where, one, size.concurrent, plan.trials + plan.top_k, self.say)
        return open_runner(plan.folder, options, size, shared, self.stop_condition, self.say)

    def search(self, runner: Runner) -> None:
        """Run the trials of the search that are unfinished, and those still to be drawn."""
        plan = self.plan
        study = OptunaStudy(
            plan.folder.database,
            plan.name,
            plan.space,
            plan.metric,
            plan.options.seed,
            plan.trials,
            self.store.wait,
        )
        with closing(study), self._trial_log(Phase.SEARCH, study) as trial_log:
            enter_saved(trial_log, self._saved(Phase.SEARCH))
            settle_study(study, trial_log)
            retry(trial_log)
            study.learn(self.plan.earlier.trials)
            self._end_reruns(runner, trial_log)
            message = self._search(runner, study, trial_log)
        self._tell(message)

    def _end_reruns(self, runner: Runner, trial_log: TrialLog) -> None:
        """Train the unfinished reruns to their end, outside of the rule of the search."""
        again = [n for n, r in trial_log.records.items() if r.is_rerun and not r.state.finished]
        if again:
            device, saved = self.plan.builder.device, self._saved(trial_log.phase)
            jobs = [job_from(trial_log, number, device, saved) for number in again]
            self.train(runner, trial_log, jobs)

    def _search(self, runner: Runner, study: OptunaStudy, trial_log: TrialLog) -> str:
        """Run the search under its rule; returns why it ended early, "" if it did not."""
        if self.plan.method.stopping == "pbt":
            population = self._population(study, trial_log)
            self.view.expect(population.remaining())
            runner.run(population, trial_log, WaitingScheduler(population.goes_on))
            return population.new.message
        brackets = self._brackets(trial_log)
        new = self._suggestions(study, trial_log, self._unfinished(trial_log))
        source = self._promoting(new, brackets, trial_log)
        self.view.expect(source.remaining())
        runner.run(source, trial_log, WaitingScheduler(brackets.goes_on))
        if not self.stop_condition.ended:
            source.finish()
        return new.message

    def confirm(self, runner: Runner, top_k: int) -> None:
        """Train the ``top_k`` best trials on fresh seeds, after rows left unfinished earlier.

        The baseline predictor gets a row too.
        """
        plan = self.plan
        chosen = best_trials(self.store, plan.name, top_k)
        self._tell(shortfall(len(chosen), top_k))
        with self._trial_log(Phase.CONFIRM) as trial_log:
            retry(trial_log)
            jobs = self._unfinished(trial_log)
            for line in confirmed_already(chosen, trial_log, plan.builder.confirm):
                self._tell(line)
            new = confirm_jobs(chosen, trial_log, plan.builder.confirm)
            for job in new:
                trial_log.planned(job)
                self._tell(changed_on_the_way(job))
            if chosen:
                first = plan.builder.confirm(chosen[0].config)
                add_baseline(trial_log, first, plan.data, self.functions.baseline)
            self.train(runner, trial_log, jobs + new)

    def rerun(self, runner: Runner, number: int, phase: Phase) -> None:
        """Train a recorded configuration once more, to its end, as a rerun beside it.

        Raises:
            ConfigError: there is no such trial, or it is the baseline.
        """
        with self._trial_log(phase) as trial_log:
            job = rerun_job(trial_log, number, self.plan.builder.device)
            trial_log.planned(job)
            called = trial_log.records[number].run_called
            again = trial_log.records[job.number].called
            self._tell(
                f"{again} of phase {phase.value} is a rerun of {called}: "
                f"`pdf-search show {self.plan.folder.called}` lists both"
            )
            self.train(runner, trial_log, [job])
            curves = (trial_log.curve(number), trial_log.curve(job.number))
            self._tell(rerun_verdict(called, *curves, self.plan.metric))

    def train(self, runner: Runner, trial_log: TrialLog, jobs: list[Job]) -> None:
        """Train a list of jobs. In the confirm phase, gather the predictions afterwards."""
        self.view.expect(sum(not job.is_rerun for job in jobs))
        runner.run(ListSource(jobs), trial_log)
        if trial_log.phase is Phase.CONFIRM:
            gather_predictions(trial_log.own.values(), self.plan.folder.predictions)
            record_measured(trial_log)

    def _tell(self, message: str) -> None:
        if message:
            self.messages.append(message)

    @contextmanager
    def _trial_log(self, phase: Phase, study: OptunaStudy | None = None) -> Iterator[TrialLog]:
        plan, shape = self.plan, self.plan.data.info.shape
        assert shape is not None
        self.view = ProgressView(
            self.console, phase, self.store.sweep(plan.name), plan.resources.concurrent
        )
        folder = plan.folder
        trial_log = TrialLog(
            self.store, plan.name, phase, shape, self.view, checkpoints.remove, study, folder
        )
        trial_log.show()
        with self.view, folder.resumable(), told_as_store_errors(folder.database):
            yield trial_log

    def _unfinished(self, trial_log: TrialLog) -> list[Job]:
        saved = self._saved(trial_log.phase)
        remove_leftovers(trial_log, saved)
        return unfinished_jobs(trial_log, self.plan.builder.device, saved)

    def _saved(self, phase: Phase) -> checkpoints.SavedIn:
        plan = self.plan
        return checkpoints.SavedIn(plan.folder.storage(plan.options.storage), phase)

    def _suggestions(
        self, study: OptunaStudy, trial_log: TrialLog, unfinished: list[Job]
    ) -> Suggestions:
        plan, shape, own = self.plan, self.plan.data.info.shape, trial_log.own
        assert shape is not None
        return Suggestions(
            study,
            plan.method,
            shape,
            plan.builder.search,
            total=plan.trials,
            start=max(trial_log.records, default=-1) + 1,
            reruns=len(trial_log.records) - len(own),
            known={record.config_hash: number for number, record in own.items()},
            unfinished=unfinished,
            portfolio=plan.portfolio,
            repeat=plan.options.repeat,
        )

    def _brackets(self, trial_log: TrialLog) -> Brackets:
        """The rungs, with what is recorded already; without rungs nothing is stopped."""
        plan, rule = self.plan, self.plan.method.stopping
        keep = max(1, plan.top_k)
        brackets = Brackets.make(rule, plan.metric.mode, plan.rungs, REDUCTION, keep)
        if rule == "hyperband":
            self._say_brackets(trial_log)
        rebuild(brackets, trial_log)
        return brackets

    def _promoting(
        self, new: Suggestions, brackets: Brackets, trial_log: TrialLog
    ) -> PromotingSource:
        device, saved = self.plan.builder.device, self._saved(trial_log.phase)
        return PromotingSource(new, brackets, trial_log, device, saved)

    def _population(self, study: OptunaStudy, trial_log: TrialLog) -> Population:
        plan, parameters = self.plan, explored_parameters(self.plan.space)
        base = plan.population_base()
        study.fixed = {path: value for path, value in base.items() if path not in parameters}
        population = Population(
            self._suggestions(study, trial_log, self._unfinished(trial_log)),
            trial_log,
            plan.rungs,
            parameters,
            seed=plan.options.seed,
            device=plan.builder.device,
            saved=self._saved(trial_log.phase),
            say=self.view.say,
        )
        if trial_log.own:
            self.view.say(population.reached())
        return population

    def _say_brackets(self, trial_log: TrialLog) -> None:
        """Say how far the brackets are, where some trials are recorded already."""
        ended = [n for n, record in trial_log.own.items() if record.state.finished]
        if trial_log.own:
            self.view.say(brackets_reached(self.plan.rungs, REDUCTION, ended, self.plan.trials))


@dataclass(frozen=True)
class SweepResult:
    """How a run of the driver ended.

    ``ended`` is "" if the sweep is finished, else why it must be resumed. ``search`` is empty for
    a study, whose trials are all in ``confirm``.
    """

    plan: Plan | StudyPlan
    ended: Reason
    search: list[TrialRecord]
    confirm: list[TrialRecord]
    messages: tuple[str, ...]
    signal: int = SIGINT  # that ended it, if one did
    reason: str = ""  # why the first trials failed, if all failed for the same reason

    @property
    def how_to_resume(self) -> str:
        """The command that continues the sweep, with the password masked; "" if it is finished."""
        return self.plan.folder.how_to_resume if self.ended else ""
