"""Plain dataclasses and enums shared by training, sweep, results and reports.

They import neither torch nor ray nor pydantic.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from math import isfinite
from statistics import fmean
from typing import Any

# Name of the file beside a confirmed trial's checkpoint, and of the file with all of them in one.
PREDICTIONS = "predictions.parquet"

# Origins of recorded runs; the number of the trial that they repeat follows.
CONFIRM_OF = "confirm of "
RERUN_OF = "rerun of "
BASELINE = "baseline"  # the mean or majority-class predictor, beside the confirmed trials

MOST_COUNT = 1_000_000  # of trials, epochs or seeds: who asks for more has made a slip


class Task(StrEnum):
    """What kind of target a data set has; decides the loss and the metrics that fit."""

    REGRESSION = "regression"
    MULTICLASS = "multiclass"
    MULTILABEL = "multilabel"


class Phase(StrEnum):
    """The two phases of a sweep.

    ``search``: trials are compared by the validation metric; the test split is never loaded.
    ``confirm``: the best trials are trained again on fresh seeds and evaluated on the test split.
    """

    SEARCH = "search"
    CONFIRM = "confirm"


class Protocol(StrEnum):
    """The evaluation protocol: how the numbers of a table are measured.

    ``split``: a fixed split. Each replicate is tested at its best validation epoch.
    ``gin-curve``: cross-validation. Each replicate trains on all folds but one; the reported epoch
    is the best on the mean curve of the held-out folds (Xu et al. 2019; the PDF paper's TU table).
    ``inner``: cross-validation. A tenth of each training part is held out to choose the epoch.
    ``nested``: for each held-out fold, the best of several settings by their ``inner`` runs. It
    trains nothing itself, so no trial is configured with it.
    """

    SPLIT = "split"
    GIN_CURVE = "gin-curve"
    INNER = "inner"
    NESTED = "nested"


class State(StrEnum):
    """The state of a trial in our records.

    A PAUSED trial waits at a rung of early stopping. It goes on from its checkpoint if it belongs
    to the best there. A resume continues an INTERRUPTED trial from its checkpoint.
    """

    NOT_STARTED = "NOT STARTED"
    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    INTERRUPTED = "INTERRUPTED"
    COMPLETE = "COMPLETE"
    PRUNED = "PRUNED"
    DIVERGED = "DIVERGED"
    FAILED = "FAILED"

    @property
    def finished(self) -> bool:
        """Whether the trial has ended and will not be trained further."""
        return self not in (State.NOT_STARTED, State.RUNNING, State.PAUSED, State.INTERRUPTED)


@dataclass(frozen=True)
class Metric:
    """A metric: its name, whether lower or higher is better, and how it is printed.

    ``percent``: values between 0 and 1 are shown times 100.
    """

    name: str
    mode: str  # "min" or "max"
    label: str
    percent: bool = False

    def better(self, a: float, b: float | None) -> bool:
        """Whether ``a`` is better than ``b``.

        A finite value is better than None and than a non-finite one; a non-finite value is never
        better.
        """
        if not isfinite(a):
            return False
        if b is None or not isfinite(b):
            return True
        return a < b if self.mode == "min" else a > b

    def best(self, values: Iterable[float]) -> float | None:
        """The best of finite values; None if there is none."""
        return (min if self.mode == "min" else max)(values, default=None)


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("mae", "min", "MAE"),
        Metric("rmse", "min", "RMSE"),
        Metric("accuracy", "max", "accuracy (%)", percent=True),
        Metric("rocauc", "max", "ROC-AUC (%)", percent=True),
        Metric("ap", "max", "AP (%)", percent=True),
    )
}


@dataclass(frozen=True)
class Replicate:
    """One training run of a trial: a seed, or one fold of a seed.

    Its numbers do not depend on the replicates that are trained beside it.
    """

    seed: int
    fold: int | None = None


@dataclass(frozen=True)
class ReplicateEpoch:
    """The values of one replicate after one epoch.

    ``valid`` and ``test`` are None if that split was not evaluated or the metric is undefined.
    """

    train_loss: float
    valid: float | None = None
    test: float | None = None


@dataclass(frozen=True)
class EpochReport:
    """What a trial reports after each epoch. Epochs count from 1.

    ``seconds``: wall time of the epoch. ``part_seconds``: of these, the seconds of training
    (``train``) and of each evaluation (``valid``, ``test``); empty in records that lack them.
    """

    epoch: int
    learning_rate: float
    replicates: tuple[ReplicateEpoch, ...]
    seconds: float
    peak_mb: float
    part_seconds: dict[str, float] = field(default_factory=dict)

    @property
    def valid(self) -> float | None:
        """The mean validation metric over the replicates, which a search optimises.

        None if no replicate has a value.
        """
        values = [r.valid for r in self.replicates if r.valid is not None]
        return fmean(values) if values else None


@dataclass(frozen=True)
class TrialOutcome:
    """How the training of a trial ended: COMPLETE, or DIVERGED with the reason in ``message``.

    FAILED and INTERRUPTED are told by a worker, whose trial raised an exception; ``traceback`` is
    Python's text of it, for the log.
    """

    state: State
    epochs: int
    message: str = ""
    traceback: str = ""


@dataclass(frozen=True)
class SweepRecord:
    """A sweep as recorded: its search space, data, protocol, budget and software versions."""

    name: str
    space: str  # name of the space
    space_definition: dict[str, Any]  # the space as plain data, after --set
    dataset: str
    fingerprint: str  # of the prepared data
    split_hash: str
    metric: str
    protocol: Protocol
    method: str
    seed: int
    trials: int
    epochs: int
    options: dict[str, Any] = field(default_factory=dict)  # resources, concurrency, confirm size
    versions: dict[str, str] = field(default_factory=dict)
    commit: str = ""
    command: str = ""
    created: str = ""  # ISO 8601, UTC


@dataclass(frozen=True)
class TrialRecord:
    """A trial of a sweep as recorded. ``number`` counts from 0 within its phase."""

    sweep: str
    phase: Phase
    number: int
    config: dict[str, Any]
    config_hash: str
    state: State = State.NOT_STARTED
    # "published" (exactly), "published, changed", "listed", "portfolio", "sampled", "grid",
    # "rerun of N", "confirm of N", "baseline"
    origin: str = "sampled"
    params: dict[str, Any] = field(default_factory=dict)  # the sampled values, flat
    replicates: tuple[Replicate, ...] = ()
    parameters: int | None = None  # learnable parameters of one replicate
    device: str = ""
    started: str = ""
    ended: str = ""
    seconds: float | None = None
    peak_mb: float | None = None
    epochs_done: int = 0
    checkpoint: str = ""
    message: str = ""
    # For a confirmed trial with several targets: {"test": {"values": [R][T], "n": [R][T]}, ...}.
    # R replicates, T targets; "values" holds the metric at the selected epochs (None: undefined),
    # "n" the number of graphs that have the target.
    by_target: dict[str, dict[str, list[list[Any]]]] | None = None
    # For a confirmed trial with several bases: what ``training`` measured of each (eps, k), read by
    # ``results.ImportanceMap``.
    importance: dict[str, Any] | None = None
    # Of population based training, in order: {"epoch": after which, "from": number of the trial
    # whose checkpoint it went on from, "values": {path: value that it went on with}}.
    perturbations: list[dict[str, Any]] | None = None
    retries: int = 0  # how often it was tried again because its worker was lost

    @property
    def is_baseline(self) -> bool:
        """Whether it is the mean or majority-class predictor, which trains nothing."""
        return self.origin == BASELINE

    @property
    def is_rerun(self) -> bool:
        """Whether it repeats a recorded run, to check its numbers.

        It is no configuration of its own: no count, rank or mean of the sweep has it.
        """
        return self.origin.startswith(RERUN_OF)

    @property
    def searched_as(self) -> int | None:
        """Number of the search trial that this one confirms; None if it confirms none."""
        number = self.origin.removeprefix(CONFIRM_OF)
        return int(number) if number != self.origin and number.isdecimal() else None

    @property
    def called(self) -> str:
        """Its name in tables and sentences: that of its search trial, else ``run`` and its number.

        A configuration has one name, also when it was confirmed in several runs.
        """
        number = self.number if self.phase is Phase.SEARCH else self.searched_as
        return f"run {self.number}" if number is None else f"trial {number}"

    @property
    def run_called(self) -> str:
        """The name of this very run in sentences, where the search trial has one too."""
        return self.called if self.searched_as is None else f"the confirmation of {self.called}"

    @property
    def reason(self) -> str:
        """The first line of the message."""
        return first_line(self.message)


def first_line(message: str) -> str:
    """Return the first line of a message that is not blank, without outer spaces; "" for none."""
    lines = (line.strip() for line in message.splitlines())
    return next((line for line in lines if line), "")
