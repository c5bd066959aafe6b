"""Which sampled parameters went with a better validation value, beyond chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from pdf_search.records import Metric
from pdf_search.wording import counted
from reports.findings.wording import MOST_NAMED, Statement, listed, number
from reports.grid.numbers import format_parameter
from reports.pages.importance import LEFT_OUT, ImportanceReport, Scored, comparable
from reports.sweep_data import SweepData

CHANCE = 0.05  # largest Holm-adjusted p value of a parameter that is named
SHOWN_VALUES = 4  # a parameter with more values is shown by halves, or by its best and worst


@dataclass(frozen=True)
class Group:
    """Trials that share a value, or a range of values, and their median validation value."""

    name: str
    median: float
    n: int


def holm(chances: Sequence[float]) -> list[float]:
    """Holm's adjusted p values, in the order given: each test pays for all that are made."""
    order = sorted(range(len(chances)), key=lambda i: chances[i])
    adjusted, highest = [0.0] * len(chances), 0.0
    for place, index in enumerate(order):
        highest = max(highest, min(1.0, (len(chances) - place) * chances[index]))
        adjusted[index] = highest
    return adjusted


def groups_of(metric: Metric, path: str, scored: Sequence[Scored]) -> list[Group]:
    """Trials by their value of a parameter, the best median first.

    Numbers of many values are cut at their median. Of many other values, the best and the worst
    are kept.
    """
    active = [(e.trial.params[path], value) for e, value in scored if path in e.trial.params]
    found: dict[str, list[float]] = {}
    names = _names([value for value, _ in active])
    for name, (_, value) in zip(names, active, strict=True):
        found.setdefault(name, []).append(value)
    groups = [Group(name, median(values), len(values)) for name, values in found.items()]
    groups.sort(key=lambda group: group.median, reverse=metric.mode == "max")
    return groups if len(groups) <= SHOWN_VALUES else [groups[0], groups[-1]]


def _names(values: Sequence[Any]) -> list[str]:
    names = [format_parameter(value) for value in values]
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)
    if not numbers or len(set(names)) <= SHOWN_VALUES:
        return names
    middle = median(values)
    text = format_parameter(middle)
    return [f"up to {text}" if value <= middle else f"above {text}" for value in values]


def parameter_statement(data: SweepData, report: ImportanceReport) -> Statement:
    """State which parameters went with better values, and which show no measurable difference."""
    if not any(entry.trial.params for entry in data.search):
        return Statement()
    if not report.rows:
        left_out = report.basis.startswith(LEFT_OUT)
        why = report.basis.removeprefix(LEFT_OUT) if left_out else "no sampled value varies"
        return Statement(unknown=f"What the parameters do: {why}.")
    scored, basis = comparable(data)
    adjusted = holm([row.chance for row in report.rows])
    clear = [(row.path, p) for row, p in zip(report.rows, adjusted, strict=True) if p < CHANCE]
    others = [row.path for row, p in zip(report.rows, adjusted, strict=True) if p >= CHANCE]
    tested = counted(len(report.rows), "parameter")
    found = f"Of {tested}, none went measurably with the {basis}."
    if clear:
        texts = [_effect(data, path, p, scored) for path, p in clear[:MOST_NAMED]]
        found = f"Of {tested}, {len(clear)} went with the {basis}: {'; '.join(texts)}."
    unknown = f"No measurable difference between the values of {listed(others)}." if others else ""
    return Statement(found, unknown)


def _effect(data: SweepData, path: str, chance: float, scored: Sequence[Scored]) -> str:
    groups = groups_of(data.metric, path, scored)
    medians = ", ".join(
        f"{number(data, group.median)} with {group.name} (n {group.n})" for group in groups
    )
    return f"{path} (medians {medians}; adjusted p {chance:.2g})"
