"""Summarises a trial's epochs under a protocol, and ranks trials.

Works on records only: no database is read and nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
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
from pdf_search.results.smoothed import Smoother, best_smoothed
from pdf_search.wording import counted

Values = tuple[float | None, ...]
UNDEFINED = "the metric is undefined"  # why a COMPLETE trial has no value
STATE_ORDER = (
    State.COMPLETE,
    State.RUNNING,
    State.PAUSED,
    State.INTERRUPTED,
    State.PRUNED,
    State.DIVERGED,
    State.FAILED,
    State.NOT_STARTED,
)


@dataclass(frozen=True)
class Stat:
    """Statistics of finite values."""

    values: tuple[float, ...]

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Stat:
        """The statistics of those of the values that are finite."""
        return cls(tuple(v for v in values if v is not None and isfinite(v)))

    @property
    def mean(self) -> float | None:
        """The mean; None for no value."""
        return fmean(self.values) if self.values else None

    @property
    def std(self) -> float | None:
        """The population standard deviation (ddof 0); None for fewer than two values.

        It is exact, which takes many times as long as the mean.
        """
        return pstdev(self.values) if self.n > 1 else None

    @property
    def n(self) -> int:
        """The number of values."""
        return len(self.values)


NO_VALUE = Stat(())


@dataclass(frozen=True)
class TrialSummary:
    """The results of one trial. Tuples have one entry per replicate, None where it has no value.

    ``split``: the split that ``mean``, ``std`` and ``n`` are of. It is ``valid`` in phase search,
    where no test value exists, and ``test`` in phase confirm. ``best_epochs``: the epochs that
    ``valid`` and ``test`` are read at; ``last_valid`` and ``last_test`` are of the last epoch.
    ``smoothed`` is the validation value that trials of a search are ranked by: the best mean of
    up to three consecutive epochs, each the mean over replicates; None if there is none.
    ``partial``: whether training or values are missing, for the ``reasons`` given.
    """

    phase: Phase
    protocol: Protocol
    split: str
    best_epochs: tuple[int | None, ...]
    valid: Values
    test: Values
    last_valid: Values
    last_test: Values
    smoothed: float | None
    epochs: int
    epochs_planned: int
    partial: bool
    reasons: tuple[str, ...]

    @property
    def headline(self) -> Stat:
        """Mean and standard deviation of the values of ``split``."""
        return Stat.of(self.test if self.split == "test" else self.valid)

    @property
    def mean(self) -> float | None:
        """Mean of the values of ``split``; None if there is none."""
        return self.headline.mean

    @property
    def std(self) -> float | None:
        """Population standard deviation of the values of ``split``; None for fewer than two."""
        return self.headline.std

    @property
    def n(self) -> int:
        """Number of replicates with a finite value of ``split``."""
        return self.headline.n

    @property
    def best_epoch(self) -> int | None:
        """The epoch chosen for all replicates; None if their epochs differ or none was chosen."""
        chosen = set(self.best_epochs)
        return chosen.pop() if len(chosen) == 1 else None


@dataclass
class BestEpochs:
    """Chooses the epochs at which a trial's values are read; updated with each epoch.

    ``split`` and ``inner``: the best validation epoch of each replicate. ``gin-curve``: one epoch
    for all replicates, the best on the mean curve over the folds, among the epochs at which the
    most folds have a value. The curve is of the test values in phase confirm and of the validation
    values in phase search. A tie goes to the earlier epoch. A non-finite value is never best.
    ``smoothed``: the value that the search ranks by, so far; see ``TrialSummary``.
    """

    metric: Metric
    protocol: Protocol
    phase: Phase
    _own: dict[int, tuple[int, ReplicateEpoch]] = field(default_factory=dict)
    _shared: EpochReport | None = None
    _mean: Stat = NO_VALUE
    smoothed: float | None = None
    _smoother: Smoother = field(default_factory=Smoother)

    @classmethod
    def of(cls, sweep: SweepRecord, phase: Phase, epochs: Iterable[EpochReport]) -> BestEpochs:
        """Choose among the epochs of one trial, given in order."""
        best = cls(METRICS[sweep.metric], sweep.protocol, phase)
        for report in epochs:
            best.add(report)
        return best

    def add(self, report: EpochReport) -> None:
        """Take in one more epoch, which must be later than all before it."""
        smoothed = self._smoother.add(report.valid)
        if smoothed is not None and self.metric.better(smoothed, self.smoothed):
            self.smoothed = smoothed
        if self.protocol is Protocol.GIN_CURVE:
            self._add_to_mean_curve(report)
            return
        for index, item in enumerate(report.replicates):
            value, record = item.valid, self._own[index][1].valid if index in self._own else None
            if value is not None and self.metric.better(value, record):
                self._own[index] = report.epoch, item

    def _add_to_mean_curve(self, report: EpochReport) -> None:
        mean = Stat.of(_values(report.replicates, self.split))
        if mean.n < self._mean.n or mean.mean is None:
            return
        if mean.n > self._mean.n or self.metric.better(mean.mean, self._mean.mean):
            self._shared, self._mean = report, mean

    @property
    def split(self) -> str:
        """The split whose values are reported: ``test`` in phase confirm, else ``valid``."""
        return "test" if self.phase is Phase.CONFIRM else "valid"

    def at(self, index: int) -> tuple[int, ReplicateEpoch] | None:
        """Return the chosen epoch of a replicate and its values there; None if it has none."""
        if self._shared is None:
            return self._own.get(index)
        item = _at(self._shared, index)
        return None if item is None else (self._shared.epoch, item)

    def values(self, split: str) -> Values:
        """Return each replicate's value of a split at its chosen epoch, None where it has none.

        Replicates after the last one with a chosen epoch are left out.
        """
        count = len(self._shared.replicates) if self._shared else max(self._own, default=-1) + 1
        found = (self.at(index) for index in range(count))
        return _values((item and item[1] for item in found), split)


def summarise(
    sweep: SweepRecord, trial: TrialRecord, epochs: Sequence[EpochReport]
) -> TrialSummary:
    """Read a trial's values at the epochs that ``BestEpochs`` chooses, and say what is missing.

    ``epochs``: all epochs of the trial, in order.
    """
    count = max([len(trial.replicates), *(len(report.replicates) for report in epochs)])
    chooser = BestEpochs.of(sweep, trial.phase, epochs)
    chosen = [chooser.at(index) for index in range(count)]
    best = [item and item[1] for item in chosen]
    last = [_at(epochs[-1] if epochs else None, i) for i in range(count)]
    confirm = trial.phase is Phase.CONFIRM
    planned = planned_epochs(sweep, trial)
    done = epochs[-1].epoch if epochs else 0
    values = _values(best, chooser.split)
    reasons = _reasons(trial, done, planned, values)
    return TrialSummary(
        phase=trial.phase,
        protocol=sweep.protocol,
        split=chooser.split,
        best_epochs=tuple(
            item[0] if item and v is not None else None
            for item, v in zip(chosen, values, strict=True)
        ),
        valid=_values(best, "valid"),
        test=_values(best, "test") if confirm else (None,) * count,
        last_valid=_values(last, "valid"),
        last_test=_values(last, "test") if confirm else (None,) * count,
        smoothed=best_smoothed((report.valid for report in epochs), METRICS[sweep.metric]),
        epochs=done,
        epochs_planned=planned,
        partial=bool(reasons),
        reasons=reasons,
    )


def planned_epochs(sweep: SweepRecord, trial: TrialRecord) -> int:
    """Return how many epochs the trial was to train; 0 for the baseline predictor."""
    if trial.is_baseline:
        return 0
    training: dict[str, Any] = trial.config.get("training") or {}
    epochs = int(training.get("epochs") or sweep.epochs)
    return min(epochs, int(trial.config.get("stop_epoch") or epochs))


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
        reasons.append(f"{done} of {counted(planned, 'epoch')}")
    n = Stat.of(values).n
    if not n and trial.state is State.COMPLETE:
        reasons.append(UNDEFINED)
    elif n < len(values):
        reasons.append(f"{n} of {counted(len(values), 'replicate')}")
    return tuple(reasons)


def rank_trials(
    metric: Metric, trials: Iterable[tuple[TrialRecord, TrialSummary]]
) -> list[tuple[TrialRecord, TrialSummary]]:
    """Sort trials, best first: COMPLETE ones by smoothed validation value, then others by state.

    Within any other state, the trial that trained more epochs comes first, then the one with the
    better smoothed value. Ties keep the order of their numbers. Test values play no part, so
    the trials to confirm are chosen without them.
    """
    return sorted(trials, key=_rank_key(metric))


def _rank_key(metric: Metric) -> Callable[[tuple[TrialRecord, TrialSummary]], tuple[Any, ...]]:
    def key(item: tuple[TrialRecord, TrialSummary]) -> tuple[Any, ...]:
        trial, summary = item
        value = summary.smoothed
        cost = float("inf") if value is None else value if metric.mode == "min" else -value
        reached = 0 if trial.state is State.COMPLETE else -summary.epochs
        return STATE_ORDER.index(trial.state), reached, cost, trial.number

    return key
