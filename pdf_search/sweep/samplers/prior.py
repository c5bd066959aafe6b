"""Trials of earlier sweeps, and the values of which an Optuna study is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pdf_search.records import EpochReport, Metric, State
from pdf_search.results import smoothed_values

MOST_VALUES = 20  # intermediate values stored for a trial; a longer curve is thinned

Curve = list[tuple[int, float]]


@dataclass(frozen=True)
class PriorTrial:
    """A trial of an earlier sweep.

    ``source`` names it. ``values`` is its point in the space of this sweep. ``epochs`` are those
    that count, and ``state`` is how it had ended by then.
    """

    source: str
    values: Mapping[str, Any]
    state: State
    epochs: Sequence[EpochReport]


def smoothed_curve(epochs: Sequence[EpochReport]) -> Curve:
    """The epochs that have a finite validation value, and the smoothed values there."""
    means = smoothed_values(report.valid for report in epochs)
    pairs = zip(epochs, means, strict=True)
    return [(report.epoch, mean) for report, mean in pairs if mean is not None]


def thinned(curve: Curve) -> Curve:
    """The values that are stored: at most about ``MOST_VALUES``, the last one among them."""
    stride = max(1, -(-len(curve) // MOST_VALUES))
    return sorted({*curve[::stride], *curve[-1:]})


def best_value(curve: Curve, metric: Metric) -> float | None:
    """The best value of a curve; None if it is empty."""
    return metric.best(value for _, value in curve)


def last_value(told: Mapping[int, float]) -> float | None:
    """The value of the last step, which Optuna takes for that of a PRUNED trial; None for none."""
    return told[max(told)] if told else None
