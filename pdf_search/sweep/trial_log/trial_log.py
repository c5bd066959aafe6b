"""Writes what happens to each trial into the results database, as it happens. It knows no Ray."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

from pdf_search.config import InputShape, TrialConfig
from pdf_search.parameters import parameter_count
from pdf_search.records import EpochReport, Phase, State, SweepRecord, TrialRecord
from pdf_search.results import BestEpochs, Store
from pdf_search.sweep.folder import SweepFolder
from pdf_search.sweep.samplers.jobs import Job
from pdf_search.sweep.samplers.optuna_study import OptunaStudy


class View(Protocol):
    """Shows the events of a trial log; ``best`` gives the trial's best epochs so far."""

    def seen(self, trial: TrialRecord, best: Callable[[], BestEpochs]) -> None:
        """A trial that is recorded already when this run begins."""

    def started(self, trial: TrialRecord) -> None:
        """A trial that begins to train."""

    def epoch(self, trial: TrialRecord, best: BestEpochs) -> None:
        """A trial that has done an epoch."""

    def paused(self, trial: TrialRecord, best: BestEpochs) -> None:
        """A trial that waits at a rung."""

    def ended(self, trial: TrialRecord, best: BestEpochs) -> None:
        """A trial that has ended, in whatever state."""


class TrialLog:
    """The only writer of a phase's trials.

    The time for an epoch does not depend on how many came before it. ``study`` is the Optuna study
    that is told how trials end (search only). ``discard`` removes a checkpoint that is not needed
    any more. ``folder`` is the sweep's; paths of checkpoints are recorded relative to it. A log may
    write several sweeps, whose trials are then numbered one sweep after the other. ``going`` are
    the trials that were given out and have neither paused nor ended.
    """

    def __init__(
        self,
        store: Store,
        sweep: str,
        phase: Phase,
        shape: InputShape,
        view: View,
        discard: Callable[[str], None],
        study: OptunaStudy | None = None,
        folder: SweepFolder | None = None,
    ) -> None:
        self.folder = folder
        self.resume = folder.called if folder is not None else sweep
        self.store = store
        self.sweep = sweep
        self.phase = phase
        self.view = view
        self.discard = discard
        self.study = study
        self.sweeps: dict[str, SweepRecord] = {}
        self.records: dict[int, TrialRecord] = {}
        self.going: set[int] = set()
        self._shapes: dict[str, InputShape] = {}
        self._first: dict[str, int] = {}  # number of each sweep's first trial
        self._best: dict[int, BestEpochs] = {}  # of trials that run
        self.add(sweep, shape)

    def add(self, sweep: str, shape: InputShape, first: int = 0) -> None:
        """Add a recorded sweep to write, whose trials have the numbers from ``first`` on."""
        self.sweeps[sweep] = self.store.sweep(sweep)
        self._shapes[sweep], self._first[sweep] = shape, first
        trials = self.store.trials(sweep, self.phase)
        self.records |= {first + trial.number: self._placed(trial) for trial in trials}

    def show(self) -> None:
        """Tell the view of the trials that are recorded already."""
        for number, record in self.records.items():
            self.view.seen(record, partial(self.best, number))

    def planned(self, job: Job) -> None:
        """Record a trial that waits for its turn; a trial that is resumed is recorded already."""
        self.going.add(job.number)
        if job.number in self.records:
            return
        sweep, phase, number = self._key(job.number)
        record = TrialRecord(
            sweep=sweep,
            phase=phase,
            number=number,
            config=job.config.model_dump(mode="json"),
            config_hash=job.config.content_hash(),
            origin=job.origin,
            params=job.params or {},
            replicates=job.config.replicates,
            parameters=parameter_count(
                job.config.model, job.config.basis.size, self._shapes[sweep]
            ),
        )
        self.save(record)

    def started(self, number: int) -> None:
        """Record that a trial runs; one that is resumed keeps the time of its first start."""
        record = self.records[number]
        started = record.started or now()
        self.save(replace(record, state=State.RUNNING, started=started, ended="", message=""))
        self.view.started(self.records[number])

    def epoch(self, number: int, report: EpochReport, device: str) -> None:
        """Record an epoch; one that a resumed trial trains again replaces the earlier report."""
        if report.epoch <= self.records[number].epochs_done:
            self.rewind(number, report.epoch - 1)
        best = self._best[number] = self.best(number)
        best.add(report)
        self.store.add_epoch(*self._key(number), report)
        self.save(replace(_measured(self.records[number], [report]), device=device))
        self.view.epoch(self.records[number], best)

    def perturbed(
        self, number: int, source: int, epoch: int, config: TrialConfig, values: dict[str, float]
    ) -> None:
        """Record that a trial goes on from the checkpoint of trial ``source`` after an epoch.

        ``config`` is the source's with its ``changes``, and ``values`` are those it goes on with.
        """
        record, told = self.records[number], {"epoch": epoch, "from": source, "values": values}
        old = record.checkpoint
        record = replace(
            record,
            config=config.model_dump(mode="json"),
            config_hash=config.content_hash(),
            params=record.params | values,
            checkpoint=self.records[source].checkpoint,
            perturbations=[*(record.perturbations or []), told],
        )
        self.save(record)
        self._discard(old)

    def checkpoint(self, number: int, path: str) -> None:
        """Record a complete checkpoint of the latest epoch; remove an earlier attempt's folder."""
        old = self.records[number].checkpoint
        self.save(replace(self.records[number], checkpoint=path))
        self._discard(old)

    def paused(self, number: int) -> None:
        """Record that a trial waits at a rung, and tell the Optuna study how far it came."""
        self.going.discard(number)
        message = f"waits after epoch {self.records[number].epochs_done} to be among the best there"
        self.save(replace(self.records[number], state=State.PAUSED, message=message))
        if self.study is not None:
            self.study.report(number, self.curve(number))
        self.view.paused(self.records[number], self.best(number))

    def ended(self, number: int, state: State, message: str = "") -> None:
        """Record how a trial ended, and tell the Optuna study and the view.

        The checkpoint of a PRUNED or DIVERGED trial is removed.
        """
        self.going.discard(number)
        record = replace(self.records[number], state=state, ended=now(), message=message)
        useless = record.checkpoint and state in (State.PRUNED, State.DIVERGED)
        old = record.checkpoint
        record = replace(record, checkpoint="" if useless else old)
        self.save(record)
        self._discard(old)
        if self.study is not None:
            self.study.tell(number, state, self.curve(number))
        self.view.ended(record, self.best(number))
        self._best.pop(number, None)

    def rewind(self, number: int, epoch: int) -> None:
        """Delete the recorded epochs after ``epoch``, because the trial trains them again."""
        self.store.drop_epochs_after(*self._key(number), epoch)
        self._best.pop(number, None)
        anew = replace(self.records[number], epochs_done=0, seconds=None, peak_mb=None)
        self.save(_measured(anew, self.curve(number)))

    def curve(self, number: int) -> list[EpochReport]:
        """The epoch reports of a trial, read from the database."""
        return self.store.epochs(*self._key(number))

    def best(self, number: int) -> BestEpochs:
        """The best epochs of a trial so far, kept up to date while it runs."""
        sweep = self.sweeps[self._key(number)[0]]
        return self._best.get(number) or BestEpochs.of(sweep, self.phase, self.curve(number))

    def restart(self, number: int) -> None:
        """Delete the record of a checkpoint that cannot be read; the trial starts afresh."""
        self.save(replace(self.records[number], checkpoint=""))

    def interrupted(self) -> None:
        """Record running trials as INTERRUPTED, or as NOT STARTED if they have no checkpoint.

        Those that were given out and have not begun are told as NOT STARTED too.
        """
        given = {n for n in self.going if self.records[n].state is State.NOT_STARTED}
        running = {n for n, r in self.records.items() if r.state is State.RUNNING}
        for number in sorted(given | running):
            if not self.records[number].checkpoint:
                self.rewind(number, 0)
                message = f"interrupted; `pdf-search resume {self.resume}` starts it"
                state = State.NOT_STARTED
            else:
                at = self.records[number].epochs_done
                message = f"interrupted at epoch {at}; `pdf-search resume {self.resume}` continues"
                state = State.INTERRUPTED
            self.save(replace(self.records[number], state=state, message=message))

    def save(self, record: TrialRecord) -> None:
        """Write a trial's record to the database, in place of the earlier one."""
        stored = self.folder.stored(record.checkpoint) if self.folder else record.checkpoint
        self.store.save_trial(replace(record, checkpoint=stored))
        self.records[self._first[record.sweep] + record.number] = record

    def _discard(self, checkpoint: str) -> None:
        """Remove the folder of an attempt, unless the checkpoint of some trial is in it."""
        folder = _folder(checkpoint)
        if checkpoint and all(_folder(r.checkpoint) != folder for r in self.records.values()):
            self.discard(folder)

    def _key(self, number: int) -> tuple[str, Phase, int]:
        """The sweep, phase and own number of a trial."""
        sweep = next(name for name in reversed(self._first) if self._first[name] <= number)
        return sweep, self.phase, number - self._first[sweep]

    def _placed(self, record: TrialRecord) -> TrialRecord:
        if self.folder is None:
            return record
        return replace(record, checkpoint=self.folder.checkpoint(record.checkpoint))


def _measured(record: TrialRecord, epochs: Iterable[EpochReport]) -> TrialRecord:
    """The record with the number, seconds and peak memory of further epochs added."""
    for report in epochs:
        record = replace(
            record,
            epochs_done=report.epoch,
            seconds=(record.seconds or 0.0) + report.seconds,
            peak_mb=max(record.peak_mb or 0.0, report.peak_mb),
        )
    return record


def now() -> str:
    """The time in UTC, in ISO 8601 to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _folder(checkpoint: str) -> str:
    """The folder of the attempt that wrote a checkpoint."""
    return checkpoint.rstrip("/").rpartition("/")[0]
