"""Plain records shared by training, sweep, results and reports. No torch, no ray, no pydantic."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from math import isfinite
from statistics import fmean
from typing import Any

PREDICTIONS = "predictions.parquet"  # beside a confirmed trial's checkpoint, and of all in one


class Task(StrEnum):
    REGRESSION = "regression"
    MULTICLASS = "multiclass"
    MULTILABEL = "multilabel"


class Phase(StrEnum):
    """Search selects and never loads the test split; confirm trains the winners and does."""

    SEARCH = "search"
    CONFIRM = "confirm"


class Protocol(StrEnum):
    """How a number in a table is arrived at.

    ``split``: fixed split, test at the best validation epoch of each replicate.
    ``gin-curve``: folds, trained on all but the held-out one, the epoch that is best on the mean
    curve of the held-out folds (Xu et al. 2019; the PDF paper's TU table).
    ``inner``: folds, a tenth of each training part held out to choose the epoch.
    ``nested``: for each held-out fold the best of several settings by their ``inner`` runs; no run
    of its own, so no trial is configured with it.
    """

    SPLIT = "split"
    GIN_CURVE = "gin-curve"
    INNER = "inner"
    NESTED = "nested"


class State(StrEnum):
    """State of a trial in our records. INTERRUPTED: a resume continues it from its checkpoint."""

    NOT_STARTED = "NOT STARTED"
    RUNNING = "RUNNING"
    INTERRUPTED = "INTERRUPTED"
    COMPLETE = "COMPLETE"
    PRUNED = "PRUNED"
    DIVERGED = "DIVERGED"
    FAILED = "FAILED"

    @property
    def finished(self) -> bool:
        return self not in (State.NOT_STARTED, State.RUNNING, State.INTERRUPTED)


@dataclass(frozen=True)
class Metric:
    """A metric, defined once: its name, which way is better, and how it is printed."""

    name: str
    mode: str  # "min" or "max"
    label: str
    percent: bool = False

    def better(self, a: float, b: float | None) -> bool:
        """Whether ``a`` is better than ``b``; a non-finite value is worse than anything."""
        if not isfinite(a):
            return False
        if b is None or not isfinite(b):
            return True
        return a < b if self.mode == "min" else a > b


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
    """One seed, or one fold of a seed. Its numbers do not depend on its neighbours."""

    seed: int
    fold: int | None = None


@dataclass(frozen=True)
class ReplicateEpoch:
    """One replicate after one epoch. A split that was not evaluated is None."""

    train_loss: float
    valid: float | None = None
    test: float | None = None


@dataclass(frozen=True)
class EpochReport:
    """What a trial reports after each epoch (epochs count from 1).

    ``part_seconds``: of training (``train``) and of each evaluation (``valid``, ``test``), which
    are parts of ``seconds``; empty in records that did not measure them.
    """

    epoch: int
    learning_rate: float
    replicates: tuple[ReplicateEpoch, ...]
    seconds: float
    peak_mb: float
    part_seconds: dict[str, float] = field(default_factory=dict)

    @property
    def valid(self) -> float | None:
        """Mean validation metric over the replicates: what a search optimises."""
        values = [r.valid for r in self.replicates if r.valid is not None]
        return fmean(values) if values else None


@dataclass(frozen=True)
class TrialOutcome:
    """How a trial ended by itself: COMPLETE or DIVERGED (with the reason)."""

    state: State
    epochs: int
    message: str = ""


@dataclass(frozen=True)
class SweepRecord:
    """A sweep: what was asked for, on which data, with which versions."""

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
    """A trial of a sweep. ``number`` counts from 0 within its phase."""

    sweep: str
    phase: Phase
    number: int
    config: dict[str, Any]
    config_hash: str
    state: State = State.NOT_STARTED
    # "published" (exactly), "published, changed", "listed", "sampled", "grid", "rerun of N",
    # "confirm of N", "baseline"
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
    # Of a confirmed trial with several targets: {"test": {"values": [R][T], "n": [R][T]}, ...},
    # values at the selected epochs (None: undefined) and graphs that have the target.
    by_target: dict[str, dict[str, list[list[Any]]]] | None = None

    @property
    def reason(self) -> str:
        """The first line of the message."""
        return first_line(self.message)


def first_line(message: str) -> str:
    """The line of a message that is shown where there is room for one; "" for none."""
    lines = (line.strip() for line in message.splitlines())
    return next((line for line in lines if line), "")
