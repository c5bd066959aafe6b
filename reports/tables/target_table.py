"""Tables with the value of each target, for data sets whose metric is a mean over targets."""

from __future__ import annotations

from collections.abc import Sequence

from reports.entry import Entry
from reports.grid.cell import Cell
from reports.grid.grid import ABSENT, Grid, Line
from reports.grid.numbers import metric_label
from reports.grid.trial_cells import metric_cell
from reports.sweep_data import SweepData
from reports.tables.result_table import SPLIT_NAMES, row_name
from reports.target_notes import averaged

PARTS = ("test", "valid")
Lists = Sequence[Sequence[float | None]]


def target_grid(data: SweepData) -> Grid | None:
    """Build the table: a line per target, a column per confirmed configuration and part.

    None if no value of a single target is recorded.
    """
    entries = [entry for entry in data.confirmations if entry.trial.by_target]
    if not entries:
        return None
    names = target_names(data, entries[0])
    columns = [(e, part) for e in entries for part in PARTS if part in (e.trial.by_target or {})]
    label = metric_label(data.sweep.metric, data.unit)
    headers = [f"{row_name(data, e)}: {SPLIT_NAMES[part]} {label}" for e, part in columns]
    return Grid(
        key=f"{data.sweep.name}/targets",
        title=f"{data.sweep.name}: each target of {data.title}",
        corner="Target",
        columns=(*headers, "test graphs with the target"),
        lines=tuple(
            Line(
                name,
                (*(_cell(data, e, part, t) for e, part in columns), _graphs(entries[0], t)),
            )
            for t, name in enumerate(names)
        ),
        notes=tuple(averaged(data)),
        notices=tuple(data.notices()),
    )


def target_names(data: SweepData, entry: Entry) -> list[str]:
    """Recorded names of the targets; ``task 0``, ``task 1``, ... if none are recorded."""
    count = len(_lists(entry, "test", "values")[0]) if _lists(entry, "test", "values") else 0
    names = list(data.target_names)
    return names if len(names) == count else [f"task {t}" for t in range(count)]


def target_lines(data: SweepData, entry: Entry) -> list[list[str]]:
    """Name, test value, validation value and graphs of each target of a trial, as text.

    Empty for a trial that has not recorded them.
    """
    if not entry.trial.by_target:
        return []
    return [
        [name, *(_text(data, entry, part, t) for part in PARTS), _graphs(entry, t)]
        for t, name in enumerate(target_names(data, entry))
    ]


def confirmed_targets(data: SweepData) -> tuple[list[str], list[list[str]]]:
    """Header and rows with the test value of each target, a column per confirmed one."""
    entries = [entry for entry in data.confirmations if entry.trial.by_target]
    if not entries:
        return [], []
    header = ["target", *(entry.called for entry in entries)]
    rows = [
        [name, *(_cell(data, entry, "test", t).printed for entry in entries)]
        for t, name in enumerate(target_names(data, entries[0]))
    ]
    return header, rows


def _text(data: SweepData, entry: Entry, part: str, target: int) -> str:
    if not _lists(entry, part, "values"):
        return ABSENT
    cell = _cell(data, entry, part, target)
    return f"{cell.printed} ({cell.note})" if cell.note else cell.printed


def _cell(data: SweepData, entry: Entry, part: str, target: int) -> Cell:
    values = [replicate[target] for replicate in _lists(entry, part, "values")]
    missing = sum(value is None for value in values)
    exact = "undefined" if missing == len(values) else ""
    note = _undefined(data, part, missing, len(values))
    return metric_cell(data, entry, part, values, exact=exact, note=note)


def _undefined(data: SweepData, part: str, missing: int, total: int) -> str:
    if not missing:
        return ""
    what = "no graph with a value" if data.metric.mode == "min" else "only one class"
    where = "" if missing == total else f" of {missing} of {total} replicates"
    return f"undefined: {what} in the {SPLIT_NAMES[part]} part{where}"


def _graphs(entry: Entry, target: int) -> str:
    counts = [int(replicate[target] or 0) for replicate in _lists(entry, "test", "n")]
    if not counts:
        return ABSENT
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _lists(entry: Entry, part: str, key: str) -> Lists:
    return (entry.trial.by_target or {}).get(part, {}).get(key, [])
