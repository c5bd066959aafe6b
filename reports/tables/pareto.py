"""Quality against cost: which trials of a search no other trial beats in both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from pdf_search.records import Metric, State
from reports.entry import Entry
from reports.grid.cell import Cell
from reports.grid.grid import Grid, Line
from reports.grid.numbers import format_count, format_seconds, metric_label
from reports.grid.trial_cells import entry_cell, metric_cell
from reports.sweep_data import SweepData

PARAMETERS, EPOCH_TIME = "parameters", "epoch time"
COSTS = (PARAMETERS, EPOCH_TIME)


@dataclass(frozen=True)
class Tradeoff:
    """A trial of the search with its validation value, as recorded, and one of its costs.

    ``on_line`` says whether it is on the Pareto line: it is COMPLETE, and no other COMPLETE trial
    is at least as good at no higher cost.
    """

    entry: Entry
    value: float
    cost: float
    on_line: bool = False


def tradeoffs(data: SweepData, cost: str) -> list[Tradeoff]:
    """The trials that have a validation value and a cost, by ascending cost.

    ``cost`` is ``parameters`` (learnable parameters) or ``epoch time`` (seconds).
    """
    found = [
        (entry, entry.summary.mean, spent)
        for entry in data.search
        if entry.summary.mean is not None and (spent := cost_of(entry, cost)) is not None
    ]
    whole = [(value, spent) for entry, value, spent in found if _complete(entry)]
    points = [
        Tradeoff(e, v, c, _complete(e) and not _beaten(data.metric, (v, c), whole))
        for e, v, c in found
    ]
    return sorted(points, key=lambda point: (point.cost, point.entry.trial.number))


def cost_of(entry: Entry, cost: str) -> float | None:
    """One cost of a trial; None if it is not recorded.

    The epoch time is the median over the epochs, the first left out if there are others.
    """
    if cost == PARAMETERS:
        return entry.trial.parameters
    seconds = [report.seconds for report in entry.epochs]
    return median(seconds[1:] or seconds) if seconds else None


def pareto_line(points: Iterable[Tradeoff]) -> list[Tradeoff]:
    """The points that are on the Pareto line, by ascending cost."""
    return [point for point in points if point.on_line]


def _complete(entry: Entry) -> bool:
    return entry.trial.state is State.COMPLETE


def _beaten(
    metric: Metric, own: tuple[float, float], others: Sequence[tuple[float, float]]
) -> bool:
    value, cost = own
    return any(
        (metric.better(other, value) and spent <= cost) or (other == value and spent < cost)
        for other, spent in others
    )


def pareto_grid(data: SweepData) -> Grid | None:
    """The trials that are on a Pareto line, best first; None if no trial is COMPLETE."""
    lines: dict[int, list[str]] = {}
    for cost in COSTS:
        for point in pareto_line(tradeoffs(data, cost)):
            lines.setdefault(point.entry.trial.number, []).append(cost)
    if not lines:
        return None
    return Grid(
        key=f"{data.sweep.name}/pareto",
        title="Quality against cost: the trials on a Pareto line",
        corner="trial",
        columns=(
            f"validation {metric_label(data.sweep.metric, data.unit)}",
            "n",
            "parameters",
            "epoch time",
            "best for its",
            "confirmed",
        ),
        lines=tuple(
            _line(data, entry, lines[entry.trial.number])
            for entry in data.search
            if entry.trial.number in lines
        ),
        notes=(
            "A trial is listed if no other COMPLETE trial of the search is at least as good with "
            "no more parameters, or with no longer an epoch. Values are those of the search, in "
            "which luck counts. Epoch time is the median, the first epoch left out, beside the "
            "trials that ran at the same time.",
        ),
        notices=tuple(data.notices()),
    )


def _line(data: SweepData, entry: Entry, costs: Sequence[str]) -> Line:
    count, seconds = entry.trial.parameters, cost_of(entry, EPOCH_TIME)
    return Line(
        name=str(entry.trial.number),
        cells=(
            metric_cell(data, entry, "valid", entry.summary.valid),
            str(entry.summary.n),
            _cost_cell(data, entry, "parameters", count, format_count(count)),
            _cost_cell(data, entry, "epoch time (s)", seconds, format_seconds(seconds)),
            " and ".join(costs),
            "yes" if entry.trial.number in confirmed_numbers(data) else "no",
        ),
    )


def _cost_cell(
    data: SweepData, entry: Entry, quantity: str, value: float | None, text: str
) -> Cell:
    return entry_cell(data, entry, quantity, value=value, exact=text)


def confirmed_numbers(data: SweepData) -> set[int | None]:
    """The numbers of the search trials that have confirmed values."""
    return {entry.searched_as for entry in data.confirmed}
