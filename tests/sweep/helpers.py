"""A sweep in a temporary database, driven by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from pdf_search.config import CategoricalInput, InputShape, TrialConfig
from pdf_search.records import (
    METRICS,
    EpochReport,
    Phase,
    Protocol,
    ReplicateEpoch,
    State,
    SweepRecord,
    Task,
    TrialRecord,
)
from pdf_search.results import BestEpochs, Store
from pdf_search.space import Space
from pdf_search.sweep.samplers.jobs import Job
from pdf_search.sweep.samplers.methods import find_method
from pdf_search.sweep.samplers.optuna_study import OptunaStudy
from pdf_search.sweep.samplers.suggestions import Suggestions
from pdf_search.sweep.samplers.trial_builder import TrialBuilder
from pdf_search.sweep.trial_log.saved import SavedTrial
from pdf_search.sweep.trial_log.trial_log import TrialLog

SHAPE = InputShape(
    nodes=CategoricalInput(sizes=(28,)),
    edges=CategoricalInput(sizes=(4,)),
    outputs=1,
    task=Task.REGRESSION,
)
NAME = "sweep"
PARTS = ["paper/abl/zinc/split", "paper/abl/zinc/inner"]


def report(epoch: int, *values: float | None) -> EpochReport:
    return EpochReport(epoch, 1e-3, tuple(ReplicateEpoch(1.0, v) for v in values), 0.5, 10.0)


class Recorded:
    """Of the checkpoints on disk, those that are recorded; ``epoch_of`` says what they hold."""

    def __init__(self, epoch_of: Callable[[str], int | None]) -> None:
        self.epoch_of = epoch_of

    def newest_first(self, _number: int, record: TrialRecord) -> Iterator[SavedTrial]:
        epoch = self.epoch_of(record.checkpoint) if record.checkpoint else None
        if epoch is not None:
            yield SavedTrial(record.checkpoint, epoch)

    def beside(self, _path: str) -> list[str]:
        return []

    def attempts(self, _number: int) -> list[str]:
        return []


NONE = Recorded(lambda _: None)


@dataclass
class SilentView:
    events: list[str] = field(default_factory=list)

    def started(self, trial: TrialRecord) -> None:
        self.events.append(f"started {trial.number}")

    def seen(self, trial: TrialRecord, best: Callable[[], BestEpochs]) -> None:
        self.events.append(f"seen {trial.number} {best().values('valid')}")

    def epoch(self, trial: TrialRecord, best: BestEpochs) -> None:
        self.events.append(f"epoch {trial.number} {trial.epochs_done} {best.values('valid')}")

    def paused(self, trial: TrialRecord, best: BestEpochs) -> None:  # noqa: ARG002
        self.events.append(f"paused {trial.number} {trial.epochs_done}")

    def lost(self, trial: TrialRecord) -> None:
        self.events.append(f"lost {trial.number} {trial.state}")

    def ended(self, trial: TrialRecord, best: BestEpochs) -> None:
        self.events.append(f"ended {trial.number} {trial.state} {best.values('valid')}")


class Bench:
    """A sweep's database without Ray; ``open()`` opens its study anew, as a resume does.

    ``conftest.py`` closes each at the end of its test.
    """

    opened: ClassVar[list[Bench]] = []

    def __init__(
        self, folder: Path, space: Space, method: str = "tpe+asha", trials: int = 8
    ) -> None:
        self.url = f"sqlite:///{folder / 'results.db'}"
        self.space = space
        self.method = find_method(method)
        self.trials = trials
        self.discarded: list[str] = []
        self.store = Store(self.url)
        if not any(s.name == NAME for s in self.store.sweeps()):
            self.store.create_sweep(sweep_record(space, method, trials))
        self.builder = self.builder_of(space)
        self.log = self._study()
        self.opened.append(self)

    def _study(self) -> OptunaStudy:
        return OptunaStudy(self.url, NAME, self.space, METRICS["rmse"], 0, self.trials)

    def open(self) -> None:
        self.log.close()
        self.log = self._study()

    @staticmethod
    def builder_of(space: Space) -> TrialBuilder:
        return TrialBuilder(space, 0, 12, 12, 3, "cpu")

    def trial_log(self, phase: Phase = Phase.SEARCH) -> TrialLog:
        study = self.log if phase is Phase.SEARCH else None
        return TrialLog(self.store, NAME, phase, SHAPE, SilentView(), self.discarded.append, study)

    def suggestions(self, trial_log: TrialLog, **options: object) -> Suggestions:
        own = trial_log.own
        known = {record.config_hash: n for n, record in own.items()}
        return Suggestions(
            self.log,
            self.method,
            SHAPE,
            self.builder.search,
            total=self.trials,
            start=max(trial_log.records, default=-1) + 1,
            reruns=len(trial_log.records) - len(own),
            known=known,
            **options,  # type: ignore[arg-type]
        )

    def close(self) -> None:
        self.log.close()
        self.store.close()


def sweep_record(space: Space, method: str, trials: int) -> SweepRecord:
    return SweepRecord(
        name=NAME,
        space=space.name,
        space_definition=space.as_dict(),
        dataset="freesolv",
        fingerprint="f",
        split_hash="s",
        metric="rmse",
        protocol=Protocol.SPLIT,
        method=method,
        seed=0,
        trials=trials,
        epochs=12,
    )


def finish(trial_log: TrialLog, job: Job, value: float, state: State = State.COMPLETE) -> None:
    """A whole trial: planned, started, an epoch one above the value, one at the value, ended."""
    trial_log.planned(job)
    trial_log.started(job.number)
    trial_log.epoch(job.number, report(1, value + 1), "cpu")
    trial_log.epoch(job.number, report(2, value), "cpu")
    trial_log.ended(job.number, state)


def config_of(record: TrialRecord) -> TrialConfig:
    return TrialConfig.model_validate(record.config)


def sweep_in(folder: Path, space: Space, name: str = NAME) -> None:
    folder.mkdir(parents=True)
    with Store(f"sqlite:///{folder / 'results.db'}") as store:
        store.create_sweep(replace(sweep_record(space, "tpe", 2), name=name))


def study_in(folder: Path, space: Space) -> None:
    folder.mkdir(parents=True)
    study = {"name": "paper/abl", "title": "t", "table": "ablation", "parts": PARTS}
    with Store(f"sqlite:///{folder / 'results.db'}") as store:
        for part in PARTS:
            record = replace(sweep_record(space, "study", 0), name=part)
            store.create_sweep(replace(record, options={"study": study}))
