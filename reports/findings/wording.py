"""Statements, and the numbers in them as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports.grid.numbers import format_value, metric_label, scaled
from reports.sweep_data import SweepData

MOST_NAMED = 8  # trials or parameters named in a sentence


@dataclass(frozen=True)
class Statement:
    """A sentence on what was found, and one on what cannot be told; either may be empty."""

    found: str = ""
    unknown: str = ""


def listed(names: Sequence[str]) -> str:
    """Names in a row, ``a, b and c``; of many, the first ones and how many more there are."""
    shown = list(names[:MOST_NAMED])
    if more := len(names) - len(shown):
        shown.append(f"{more} more")
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def number(data: SweepData, value: float, spread: float | None = None) -> str:
    """A recorded value, spread or difference in the printed unit, rounded by ``spread``."""
    return format_value(scaled(value, data.metric), scaled(spread, data.metric))


def size(data: SweepData, value: float) -> str:
    """A spread, or the size of a difference, with two significant digits."""
    return number(data, value, value)


def metric_name(data: SweepData, split: str) -> str:
    """Name of the metric on a split, such as ``validation RMSE (kcal/mol)``."""
    part = {"valid": "validation", "test": "test"}[split]
    return f"{part} {metric_label(data.sweep.metric, data.unit)}"


def gain(data: SweepData, value: float) -> float:
    """A difference with its sign turned so that more than 0 is better."""
    return -value if data.metric.mode == "min" else value
