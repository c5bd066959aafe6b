"""Writes what happens to each trial into the results database, as it happens. It knows no Ray."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from pdf_search.config import InputShape, TrialConfig
from pdf_search.parameters import parameter_count
from pdf_search.records import EpochReport, Phase, State, SweepRecord, TrialRecord
from pdf_search.results import BestEpochs, Store
from pdf_search.sweep.folder import SweepFolder
from pdf_search.sweep.samplers.jobs import Job
from pdf_search.sweep.samplers.optuna_study import OptunaStudy
from pdf_search.sweep.trial_log.measured import measured, unfinished
from pdf_search.sweep.trial_log.saved import Needed, SavedTrial, folder_of
from pdf_search.sweep.trial_log.view import View


class TrialLog:
    """The only writer of a phase's trials.

    The time for an epoch does not depend on how many came before it. ``study`` is the Optuna study
    that is told how trials end (search only). ``discard`` removes a checkpoint that is not needed
    any more. ``folder`` is the sweep's; paths of checkpoints are recorded relative to it. A log may
    write several sweeps, one numbered after the other. ``going``: given out, not paused or ended.
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
        self._reached: dict[int, int] = {}  # their last epoch since they were started
        self._needed = Needed()
        self._before: dict[int, str] = {}  # the checkpoint before a trial's last one
        self.add(sweep, shape)

    def add(self, sweep: str, shape: InputShape, first: int = 0) -> None:
        """Add a recorded sweep to write, whose trials have the numbers from ``first`` on."""
        self.sweeps[sweep] = self.store.sweep(sweep)
        self._shapes[sweep], self._first[sweep] = shape, first
        for trial in self.store.trials(sweep, self.phase):
            self.records[first + trial.number] = placed = self._placed(trial)
            self._needed.change("", placed.checkpoint)

    @property
    def own(self) -> dict[int, TrialRecord]:
        """The trials of the sweep itself by number: all records but the reruns."""
        return {number: r for number, r in self.records.items() if not r.is_rerun}

    def show(self) -> None:
        """Tell the view of the trials that are recorded already."""
        for number, record in self.records.items():
            self.view.seen(record, partial(self.best, number))

    def planned(self, job: Job) -> None:
        """Record a trial that waits for its turn; a trial that is resumed is recorded already."""
        if job.number not in self.records:
            self.save(self._first_record(job))
        if not self.records[job.number].state.finished:
            self.going.add(job.number)  # once it is recorded, which may fail

    def _first_record(self, job: Job) -> TrialRecord:
        sweep, phase, number = self._key(job.number)
        model, bases = job.config.model, job.config.basis.size
        return TrialRecord(
            sweep=sweep,
            phase=phase,
            number=number,
            config=job.config.model_dump(mode="json"),
            config_hash=job.config.content_hash(),
            origin=job.origin,
            params=job.params or {},
            replicates=job.config.replicates,
            parameters=parameter_count(model, bases, self._shapes[sweep]),
        )

    def started(self, number: int) -> None:
        """Record that a trial runs; one that is resumed keeps the time of its first start."""
        record = self.records[number]
        started = record.started or now()
        self._reached.pop(number, None)
        self.save(replace(record, state=State.RUNNING, started=started, ended="", message=""))
        self.view.started(self.records[number])

    def epoch(self, number: int, report: EpochReport, device: str) -> None:
        """Record an epoch; one that a resumed trial trains again replaces the earlier report.

        Reports of later epochs stay until they are replaced too, or the trial ends before them.
        """
        self._reached[number] = report.epoch
        if report.epoch <= self.records[number].epochs_done:
            self.store.add_epoch(*self._key(number), report)
            self.save(replace(self._read_again(number), device=device))
        else:
            best = self._best[number] = self.best(number)
            best.add(report)
            record = replace(measured(self.records[number], [report]), device=device)
            self.store.add_epoch(*self._key(number), report, **self._changes(number, record))
            self.records[number] = record
        self.view.epoch(self.records[number], self.best(number))

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
        self._discard(folder_of(old))

    def checkpoint(self, number: int, path: str) -> None:
        """Record a whole checkpoint of the latest epoch.

        The one before it stays, in case this one turns out damaged. The folder of the attempt that
        wrote the one before that is removed, if neither of them is in it.
        """
        record = self.records[number]
        if path != record.checkpoint:
            oldest, self._before[number] = self._before.get(number, ""), record.checkpoint
            self._needed.change(oldest, record.checkpoint)
            self.save(replace(record, checkpoint=path))
            if folder_of(oldest) != folder_of(path):
                self._discard(folder_of(oldest))

    def enter(self, number: int, saved: SavedTrial) -> None:
        """Record a checkpoint that lies on disk, with the epochs that the record lacks.

        Where epochs after it are recorded, those up to it may be of another attempt, and are
        replaced.
        """
        known = self.records[number].epochs_done
        for report in saved.results:
            if report.epoch > known or saved.epoch < known:
                self.epoch(number, report, saved.device)
        self.checkpoint(number, saved.path)

    def paused(self, number: int) -> None:
        """Record that a trial waits at a rung, and tell the Optuna study how far it came."""
        self.going.discard(number)
        self._cut(number)
        message = f"waits after epoch {self.records[number].epochs_done} to be among the best there"
        self.save(replace(self.records[number], state=State.PAUSED, message=message))
        if self.study is not None:
            self.study.report(number, self.curve(number))
        self.view.paused(self.records[number], self.best(number))

    def lost(self, number: int, reason: str) -> None:
        """Record that a trial's worker is gone, for a ``reason``, and that it is tried again."""
        self.going.discard(number)
        record = self.records[number]
        retries = record.retries + 1
        record = replace(record, state=unfinished(record), message=reason, retries=retries)
        self.save(record)
        self.view.lost(record)

    def ended(self, number: int, state: State, message: str = "") -> None:
        """Record how a trial ended, and tell the Optuna study and the view.

        The checkpoint of a PRUNED or DIVERGED trial is removed. Of a COMPLETE one the last stays.
        """
        self.going.discard(number)
        if state is not State.FAILED:
            self._cut(number)
        record = replace(self.records[number], state=state, ended=now(), message=message)
        useless = record.checkpoint and state in (State.PRUNED, State.DIVERGED)
        old = record.checkpoint
        record = replace(record, checkpoint="" if useless else old)
        if state is State.COMPLETE:
            self.keep_only_last(number, ())  # before the record, for no resume comes back to it
        self.save(record)
        if useless:
            self.keep_only_last(number, [folder_of(old)])
        if self.study is not None:
            self.study.tell(number, state, self.curve(number))
        self.view.ended(record, self.best(number))
        self._best.pop(number, None)

    def _cut(self, number: int) -> None:
        """Delete the epochs that an earlier attempt trained after the last one of this attempt."""
        reached = self._reached.pop(number, None)
        if reached is not None and reached < self.records[number].epochs_done:
            self.store.drop_epochs_after(*self._key(number), reached)
            self.save(self._read_again(number))

    def _read_again(self, number: int) -> TrialRecord:
        """The trial's record, with what follows from its epochs as they are in the database."""
        self._best.pop(number, None)
        anew = replace(self.records[number], epochs_done=0, seconds=None, peak_mb=None)
        return measured(anew, self.curve(number))

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
        """Record those that were given out as INTERRUPTED, or as NOT STARTED without an epoch."""
        running = {n for n, r in self.records.items() if r.state is State.RUNNING}
        for number in sorted(self.going | running):
            record = self.records[number]
            message = self._how_it_goes_on(record)
            self.save(replace(record, state=unfinished(record), message=message))

    def _how_it_goes_on(self, record: TrialRecord) -> str:
        command = f"`pdf-search resume {self.resume}`"
        if not record.epochs_done:
            return f"interrupted; {command} starts it"
        at = f"interrupted at epoch {record.epochs_done}"
        if not record.checkpoint:
            return f"{at}, before its first checkpoint; {command} starts it over"
        return f"{at}; {command} continues"

    def save(self, record: TrialRecord) -> None:
        """Write a trial's record to the database, in place of the earlier one."""
        number = self._first[record.sweep] + record.number
        old = self.records.get(number)
        if old is None:
            self.store.save_trial(replace(record, checkpoint=self._stored(record.checkpoint)))
        elif changes := self._changes(number, record):
            self.store.update_trial(*self._key(number), **changes)
        self.records[number] = record
        self._needed.change(old.checkpoint if old else "", record.checkpoint)

    def _changes(self, number: int, record: TrialRecord) -> dict[str, Any]:
        """The fields in which a record differs from the one that is written, as they are stored."""
        old, new = vars(self.records[number]), vars(record)
        changes = {name: value for name, value in new.items() if value != old[name]}
        if "checkpoint" in changes:
            changes["checkpoint"] = self._stored(record.checkpoint)
        return changes

    def _stored(self, checkpoint: str) -> str:
        return self.folder.stored(checkpoint) if self.folder else checkpoint

    def keep_only_last(self, number: int, others: Iterable[str]) -> None:
        """Remove other checkpoints of a trial than its last, and folders of earlier attempts."""
        before = self._before.pop(number, "")
        self._needed.change(before, "")
        beside = folder_of(before) == folder_of(self.records[number].checkpoint)
        for path in dict.fromkeys([before if beside else folder_of(before), *others]):
            self._discard(path)

    def _discard(self, path: str) -> None:
        """Remove a checkpoint or an attempt's folder, unless it is or has what may be needed."""
        if path and path not in self._needed:
            self.discard(path)

    def _key(self, number: int) -> tuple[str, Phase, int]:
        """The sweep, phase and own number of a trial."""
        sweep = next(name for name in reversed(self._first) if self._first[name] <= number)
        return sweep, self.phase, number - self._first[sweep]

    def _placed(self, record: TrialRecord) -> TrialRecord:
        if self.folder is None:
            return record
        return replace(record, checkpoint=self.folder.checkpoint(record.checkpoint))


def now() -> str:
    """The time in UTC, in ISO 8601 to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
