"""Trials of earlier sweeps, and the values of which an Optuna study is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pdf_search.records import EpochReport, Metric, State

MOST_VALUES = 100  # intermediate values stored for a trial; a longer curve is thinned

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


def finite_curve(epochs: Sequence[EpochReport], metric: Metric) -> Curve:
    """The epochs that have a finite validation value, and the values."""
    curve = [(e.epoch, e.valid) for e in epochs if e.valid is not None]
    return [(epoch, value) for epoch, value in curve if metric.better(value, None)]


def thinned(curve: Curve) -> Curve:
    """The values that are stored: at most about ``MOST_VALUES``, the last one among them."""
    stride = max(1, -(-len(curve) // MOST_VALUES))
    return sorted({*curve[::stride], *curve[-1:]})


def best_value(curve: Curve, metric: Metric) -> float:
    """The best value of a curve, which has at least one."""
    values = [value for _, value in curve]
    return min(values) if metric.mode == "min" else max(values)
