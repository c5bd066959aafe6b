"""What a trial's epochs amount to under a protocol. Pure: no database, no rounding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import fmean, pstdev
from typing import Any

from pdf_search.records import (
    METRICS,
    EpochReport,
    Metric,
    Phase,
    Protocol,
    ReplicateEpoch,
    State,
    SweepRecord,
    TrialRecord,
)

Values = tuple[float | None, ...]
UNDEFINED = "the metric is undefined"  # of a COMPLETE trial without a value
STATE_ORDER = (
    State.COMPLETE,
    State.RUNNING,
    State.INTERRUPTED,
    State.PRUNED,
    State.DIVERGED,
    State.FAILED,
    State.NOT_STARTED,
)


@dataclass(frozen=True)
class Stat:
    """Mean and population standard deviation (ddof 0) over ``n`` finite values.

    ``mean`` is None for no value, ``std`` for fewer than two.
    """

    mean: float | None
    std: float | None
    n: int

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Stat:
        finite = [v for v in values if v is not None and isfinite(v)]
        std = pstdev(finite) if len(finite) > 1 else None
        return cls(fmean(finite) if finite else None, std, len(finite))


@dataclass(frozen=True)
class TrialSummary:
    """A trial in one line. Tuples have one entry a replicate, None where it has no value.

    ``split`` says which numbers ``mean``, ``std`` and ``n`` are: ``valid`` in phase search, where
    no test value exists, and ``test`` in phase confirm.
    """

    phase: Phase
    protocol: Protocol
    split: str
    best_epochs: tuple[int | None, ...]
    valid: Values
    test: Values
    last_valid: Values
    last_test: Values
    epochs: int
    epochs_planned: int
    partial: bool
    reasons: tuple[str, ...]  # why partial

    @property
    def headline(self) -> Stat:
        return Stat.of(self.test if self.split == "test" else self.valid)

    @property
    def mean(self) -> float | None:
        return self.headline.mean

    @property
    def std(self) -> float | None:
        return self.headline.std

    @property
    def n(self) -> int:
        return self.headline.n

    @property
    def best_epoch(self) -> int | None:
        """The epoch, if one was chosen for all replicates."""
        chosen = set(self.best_epochs)
        return chosen.pop() if len(chosen) == 1 else None


def summarise(
    sweep: SweepRecord, trial: TrialRecord, epochs: Sequence[EpochReport]
) -> TrialSummary:
    """Choose epochs as the protocol says and read the values there.

    ``split`` and ``inner``: each replicate's best validation epoch. ``gin-curve``: the epoch that
    is best on the mean curve over the folds, of the held-out parts in phase confirm and of the
    validation parts in phase search. A tie goes to the earlier epoch; a non-finite value is worse
    than any other.
    """
    metric = METRICS[sweep.metric]
    split = "test" if trial.phase is Phase.CONFIRM else "valid"
    count = max([len(trial.replicates), *(len(report.replicates) for report in epochs)])
    if sweep.protocol is Protocol.GIN_CURVE:
        chosen = [best_on_mean_curve(metric, epochs, split)] * count
    else:
        chosen = [_best_of_replicate(metric, epochs, index) for index in range(count)]
    by_epoch = {report.epoch: report for report in epochs}
    best = [None if epoch is None else _at(by_epoch[epoch], i) for i, epoch in enumerate(chosen)]
    last = [_at(epochs[-1] if epochs else None, i) for i in range(count)]
    confirm = trial.phase is Phase.CONFIRM
    planned = planned_epochs(sweep, trial)
    done = epochs[-1].epoch if epochs else 0
    values = _values(best, split)
    reasons = _reasons(trial, done, planned, values)
    return TrialSummary(
        phase=trial.phase,
        protocol=sweep.protocol,
        split=split,
        best_epochs=tuple(
            e if v is not None else None for e, v in zip(chosen, values, strict=True)
        ),
        valid=_values(best, "valid"),
        test=_values(best, "test") if confirm else (None,) * count,
        last_valid=_values(last, "valid"),
        last_test=_values(last, "test") if confirm else (None,) * count,
        epochs=done,
        epochs_planned=planned,
        partial=bool(reasons),
        reasons=reasons,
    )


def planned_epochs(sweep: SweepRecord, trial: TrialRecord) -> int:
    """Epochs the trial was configured to train; 0 for the baseline predictor."""
    if trial.origin == "baseline":
        return 0
    training: dict[str, Any] = trial.config.get("training") or {}
    epochs = int(training.get("epochs") or sweep.epochs)
    return min(epochs, int(trial.config.get("stop_epoch") or epochs))


def best_on_mean_curve(metric: Metric, epochs: Sequence[EpochReport], split: str) -> int | None:
    """The epoch with the best mean over replicates, among those where most replicates have one."""
    curve = [(report.epoch, Stat.of(_values(report.replicates, split))) for report in epochs]
    most = max((stat.n for _, stat in curve), default=0)
    return _best(metric, [(epoch, stat.mean) for epoch, stat in curve if stat.n == most])


def _best_of_replicate(metric: Metric, epochs: Sequence[EpochReport], index: int) -> int | None:
    reports = [report for report in epochs if index < len(report.replicates)]
    return _best(metric, [(report.epoch, report.replicates[index].valid) for report in reports])


def _best(metric: Metric, curve: Sequence[tuple[int, float | None]]) -> int | None:
    chosen: int | None = None
    record: float | None = None
    for epoch, value in curve:
        if value is not None and metric.better(value, record):
            chosen, record = epoch, value
    return chosen


def _at(report: EpochReport | None, index: int) -> ReplicateEpoch | None:
    if report is None or index >= len(report.replicates):
        return None
    return report.replicates[index]


def _values(replicates: Iterable[ReplicateEpoch | None], split: str) -> Values:
    return tuple(None if item is None else getattr(item, split) for item in replicates)


def _reasons(
    trial: TrialRecord, done: int, planned: int, values: Sequence[float | None]
) -> tuple[str, ...]:
    reasons = []
    if trial.state is not State.COMPLETE:
        reasons.append(trial.state.value.lower())
    if done < planned:
        reasons.append(f"{done} of {planned} epochs")
    n = Stat.of(values).n
    if not n and trial.state is State.COMPLETE:
        reasons.append(UNDEFINED)
    elif n < len(values):
        reasons.append(f"{n} of {len(values)} replicates")
    return tuple(reasons)


def rank_trials(
    metric: Metric, trials: Iterable[tuple[TrialRecord, TrialSummary]]
) -> list[tuple[TrialRecord, TrialSummary]]:
    """Search trials, best first: COMPLETE by validation, then the others by state.

    Trials that ended early are ordered by how far they came, then by validation. Ties keep the
    order of their numbers. The order of confirmation, which no test value ever changes.
    """
    return sorted(trials, key=_rank_key(metric))


def _rank_key(metric: Metric) -> Callable[[tuple[TrialRecord, TrialSummary]], tuple[Any, ...]]:
    def key(item: tuple[TrialRecord, TrialSummary]) -> tuple[Any, ...]:
        trial, summary = item
        value = Stat.of(summary.valid).mean
        cost = float("inf") if value is None else value if metric.mode == "min" else -value
        reached = 0 if trial.state is State.COMPLETE else -summary.epochs
        return STATE_ORDER.index(trial.state), reached, cost, trial.number

    return key
