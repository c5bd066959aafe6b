"""A sweep whose driver is real and whose trials are simulated here, without Ray."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from pdf_search.records import State
from pdf_search.results import Store
from pdf_search.stop_condition import StopCondition
from pdf_search.sweep import Plan
from pdf_search.sweep.driver import Driver, Functions
from pdf_search.sweep.samplers.jobs import Job, Source
from pdf_search.sweep.trial_log.trial_log import TrialLog
from tests.sweep.simulated import epoch_report, saver, simulated_baseline


class ByHand:
    """Trains every trial to its end, as ``simulated`` has it.

    ``given`` are the numbers that each run was given, and whether a rule could stop them.
    """

    def __init__(self) -> None:
        self.given: list[tuple[list[int], bool]] = []

    def run(self, source: Source, trial_log: TrialLog, scheduler: object = None) -> None:
        numbers = []
        for job in iter(source.next, None):
            trial_log.planned(job)
            self.train(job, trial_log)
            numbers.append(job.number)
        self.given.append((numbers, scheduler is not None))

    def train(self, job: Job, trial_log: TrialLog) -> None:
        trial_log.started(job.number)
        for epoch in range(1, job.config.epochs + 1):
            trial_log.epoch(job.number, epoch_report(job.config, epoch), "cpu")
        trial_log.checkpoint(job.number, saved(trial_log, job))
        trial_log.ended(job.number, State.COMPLETE)


def saved(trial_log: TrialLog, job: Job) -> str:
    """The folder of a checkpoint of its last epoch."""
    assert trial_log.folder is not None
    folder = trial_log.folder.path / f"{job.phase}-{job.number}"
    folder.mkdir()
    saver(job.config, job.config.epochs)(folder)
    return str(folder)


def driver(plan: Plan, store: Store) -> Driver:
    functions = Functions(baseline=simulated_baseline)
    return Driver(plan, store, StopCondition(), Console(file=StringIO()), functions)
