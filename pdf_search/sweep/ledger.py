"""What happened to each trial, written down as it happens. Knows no Ray: numbers in, rows out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

from pdf_search.config import InputShape
from pdf_search.parameters import parameter_count
from pdf_search.records import EpochReport, Phase, State, TrialRecord
from pdf_search.results import BestEpochs, Store
from pdf_search.sweep.folder import SweepFolder
from pdf_search.sweep.jobs import Job
from pdf_search.sweep.optuna_log import StudyLog


class View(Protocol):
    """Who is told of the same events, to show them."""

    def seen(self, trial: TrialRecord, best: Callable[[], BestEpochs]) -> None: ...

    def started(self, trial: TrialRecord) -> None: ...

    def epoch(self, trial: TrialRecord, best: BestEpochs) -> None: ...

    def ended(self, trial: TrialRecord, best: BestEpochs) -> None: ...


class Book(Protocol):
    """What a runner writes its trials down in, by their numbers."""

    phase: Phase

    def planned(self, job: Job) -> None: ...

    def started(self, number: int) -> None: ...

    def epoch(self, number: int, report: EpochReport, device: str) -> None: ...

    def checkpoint(self, number: int, path: str) -> None: ...

    def ended(self, number: int, state: State, message: str = "") -> None: ...

    def interrupted(self) -> None: ...


class Ledger:
    """The only writer of a phase's trials. An epoch costs the same however many came before it.

    ``study`` is told how trials end (search only). ``discard`` removes a checkpoint that nothing
    will read again. ``folder``: of the sweep; places of checkpoints are recorded relative to it.
    """

    def __init__(
        self,
        store: Store,
        sweep: str,
        phase: Phase,
        shape: InputShape,
        view: View,
        discard: Callable[[str], None],
        study: StudyLog | None = None,
        folder: SweepFolder | None = None,
    ) -> None:
        self.folder = folder
        self.resume = folder.called if folder is not None else sweep
        self.store = store
        self.sweep = sweep
        self.phase = phase
        self.shape = shape
        self.view = view
        self.discard = discard
        self.study = study
        self.records = {t.number: self._placed(t) for t in store.trials(sweep, phase)}
        self._record = store.sweep(sweep)
        self._best: dict[int, BestEpochs] = {}  # of trials that run

    def show(self) -> None:
        """Tell the view of what is recorded already."""
        for number, record in self.records.items():
            self.view.seen(record, partial(self.best, number))

    def planned(self, job: Job) -> None:
        """A trial that has a configuration and waits for its turn; a resumed one is known."""
        if job.number in self.records:
            return
        record = TrialRecord(
            sweep=self.sweep,
            phase=self.phase,
            number=job.number,
            config=job.config.model_dump(mode="json"),
            config_hash=job.config.content_hash(),
            origin=job.origin,
            params=job.params or {},
            replicates=job.config.replicates,
            parameters=parameter_count(job.config.model, job.config.basis.size, self.shape),
        )
        self.save(record)

    def started(self, number: int) -> None:
        record = self.records[number]
        started = record.started or now()
        self.save(replace(record, state=State.RUNNING, started=started, ended="", message=""))
        self.view.started(self.records[number])

    def epoch(self, number: int, report: EpochReport, device: str) -> None:
        """One epoch. Epochs that a continued trial trains again replace the earlier ones."""
        if report.epoch <= self.records[number].epochs_done:
            self.rewind(number, report.epoch - 1)
        best = self._best[number] = self.best(number)
        best.add(report)
        self.store.add_epoch(self.sweep, self.phase, number, report)
        self.save(replace(_measured(self.records[number], [report]), device=device))
        self.view.epoch(self.records[number], best)

    def checkpoint(self, number: int, path: str) -> None:
        """A complete checkpoint of the latest epoch; an earlier attempt's folder is removed."""
        old = self.records[number].checkpoint
        self.save(replace(self.records[number], checkpoint=path))
        if old and _folder(old) != _folder(path):
            self.discard(_folder(old))

    def ended(self, number: int, state: State, message: str = "") -> None:
        record = replace(self.records[number], state=state, ended=now(), message=message)
        useless = record.checkpoint and state in (State.PRUNED, State.DIVERGED)
        if useless:
            self.discard(_folder(record.checkpoint))
            record = replace(record, checkpoint="")
        self.save(record)
        if self.study is not None:
            self.study.tell(number, state, self.curve(number))
        self.view.ended(record, self.best(number))
        self._best.pop(number, None)

    def rewind(self, number: int, epoch: int) -> None:
        """Forget the epochs after ``epoch``, from where a trial is trained again."""
        self.store.drop_epochs_after(self.sweep, self.phase, number, epoch)
        self._best.pop(number, None)
        anew = replace(self.records[number], epochs_done=0, seconds=None, peak_mb=None)
        self.save(_measured(anew, self.curve(number)))

    def curve(self, number: int) -> list[EpochReport]:
        """The epochs of a trial, from the database."""
        return self.store.epochs(self.sweep, self.phase, number)

    def best(self, number: int) -> BestEpochs:
        """What the epochs of a trial amount to so far."""
        known = self._best.get(number)
        return known or BestEpochs.of(self._record, self.phase, self.curve(number))

    def restart(self, number: int) -> None:
        """Forget a checkpoint that is gone; the trial starts from nothing."""
        self.save(replace(self.records[number], checkpoint=""))

    def interrupted(self) -> None:
        """What ran is INTERRUPTED at its checkpoint; without one it is NOT STARTED again."""
        for number in [record.number for record in self._in(State.RUNNING)]:
            if not self.records[number].checkpoint:
                self.rewind(number, 0)
                message = f"interrupted; `pdf-search resume {self.resume}` starts it"
                state = State.NOT_STARTED
            else:
                at = self.records[number].epochs_done
                message = f"interrupted at epoch {at}; `pdf-search resume {self.resume}` continues"
                state = State.INTERRUPTED
            self.save(replace(self.records[number], state=state, message=message))

    def _in(self, *states: State) -> Iterable[TrialRecord]:
        return [record for record in self.records.values() if record.state in states]

    def save(self, record: TrialRecord) -> None:
        stored = self.folder.stored(record.checkpoint) if self.folder else record.checkpoint
        self.store.save_trial(replace(record, checkpoint=stored))
        self.records[record.number] = record

    def _placed(self, record: TrialRecord) -> TrialRecord:
        if self.folder is None:
            return record
        return replace(record, checkpoint=self.folder.checkpoint(record.checkpoint))


def _measured(record: TrialRecord, epochs: Iterable[EpochReport]) -> TrialRecord:
    """The record after further epochs: how many, how long, how much memory."""
    for report in epochs:
        record = replace(
            record,
            epochs_done=report.epoch,
            seconds=(record.seconds or 0.0) + report.seconds,
            peak_mb=max(record.peak_mb or 0.0, report.peak_mb),
        )
    return record


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _folder(checkpoint: str) -> str:
    """The folder of the attempt that wrote a checkpoint."""
    return checkpoint.rstrip("/").rpartition("/")[0]
