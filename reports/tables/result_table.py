"""The result table: confirmed configurations, the baseline predictor, and published rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pdf_search.records import Metric, Phase, Protocol
from reports.entry import Entry
from reports.grid.cell import Cell
from reports.grid.grid import ABSENT, Grid, Line
from reports.grid.marks import marks
from reports.grid.notes import baseline_name, table_notes
from reports.grid.numbers import metric_label
from reports.grid.trial_cells import metric_cell, published_cell, shortened
from reports.published_numbers import published
from reports.sweep_data import SweepData

SHOWN_WITHOUT_CONFIRM = 5
SETTINGS = {
    "published": "published setting",
    "published, changed": "published setting, changed",
}
SPLIT_NAMES = {"test": "test", "valid": "validation"}
FIELDS = (
    "method kind split value spread n valid valid_spread protocol metric unit parameters source "
    "note train_fraction cut partial mark"
)  # columns of table.csv


@dataclass(frozen=True)
class _Row:
    """A row of the table: the number shown (``value``) and its validation value (``valid``).

    The kind of both is ``ours``, ``baseline`` (mean or majority predictor) or ``published``.
    """

    method: str
    value: Cell
    valid: Cell

    def record(self, metric: str) -> dict[str, Any]:
        own = {
            "method": self.method,
            "valid": self.valid.value,
            "valid_spread": self.valid.spread,
            "metric": metric,
            "note": self.value.footnote,
        }
        return {name: getattr(self.value, name, None) for name in FIELDS.split()} | own


def result_grid(data: SweepData) -> Grid:
    """Build the table of a sweep, or of its search alone if nothing is confirmed yet.

    Our rows keep the order of the search; the baseline predictor and published rows follow. Before
    a confirmation our numbers are validation numbers, so none is marked beside published test
    numbers.
    """
    split = "test" if data.confirmed else "valid"
    label = metric_label(data.sweep.metric, data.unit)
    quoted = _published(data)
    rows = [*_ours(data), *quoted]
    rows = _marked(data.metric, rows) if split == "test" else rows
    has_valid = split == "test" and any(row.valid.value is not None for row in rows)
    notes = table_notes(data, split, bool(quoted), [row.value.mark for row in rows])
    return Grid(
        key=data.sweep.name,
        title=f"{data.title}: {SPLIT_NAMES[split]} {label}",
        corner="method",
        columns=(
            f"{SPLIT_NAMES[split]} {label}",
            "n",
            *[f"validation {label}"] * has_valid,
            "parameters",
            "protocol",
            "source",
        ),
        lines=tuple(_line(row, split, has_valid, data.sweep.metric) for row in rows),
        notes=tuple(notes),
        notices=tuple(data.notices()),
        asides=("source",),
        fields=tuple(FIELDS.split()),
    )


def _ours(data: SweepData) -> list[_Row]:
    shown = data.confirmations if data.confirmed else _best_of_search(data)
    baseline = [e for e in data.confirm if e.is_baseline] if data.confirmed else []
    return [_our_row(data, entry) for entry in (*shown, *baseline)]


def _best_of_search(data: SweepData) -> list[Entry]:
    with_value = [entry for entry in data.search if entry.summary.mean is not None]
    return with_value[:SHOWN_WITHOUT_CONFIRM]


def _our_row(data: SweepData, entry: Entry) -> _Row:
    summary = entry.summary
    facts = {
        "kind": "baseline" if entry.is_baseline else "ours",
        "source": "this sweep",
        "note": _note(entry),
    }
    values = summary.test if summary.split == "test" else summary.valid
    return _Row(
        method=row_name(data, entry),
        value=metric_cell(data, entry, summary.split, values, **facts),
        valid=metric_cell(data, entry, "valid", summary.valid, **facts),
    )


def _note(entry: Entry) -> str:
    """Notes on a row: what its run leaves out, and the epoch that was chosen for all folds."""
    notes = shortened(entry)
    if entry.summary.protocol is Protocol.GIN_CURVE and entry.summary.best_epoch:
        notes.append(f"epoch {entry.summary.best_epoch}")
    return "; ".join(notes)


def row_name(data: SweepData, entry: Entry) -> str:
    """Name of one of our rows, such as ``PDF, ours (trial 3)``; for the baseline its predictor."""
    if entry.is_baseline:
        return baseline_name(data.sweep.metric)
    number = entry.trial.number if entry.trial.phase is Phase.SEARCH else entry.searched_as
    if number is None:
        return f"PDF, {entry.called}"
    origins = {e.trial.number: e.trial.origin for e in data.search}
    return f"PDF, {SETTINGS.get(origins.get(number, ''), 'ours')} ({entry.called})"


def _published(data: SweepData) -> list[_Row]:
    return [
        _Row(row.method, *(published_cell(data.title, row, split) for split in ("test", "valid")))
        for row in published(data.sweep.dataset, data.sweep.metric)
    ]


def _marked(metric: Metric, rows: list[_Row]) -> list[_Row]:
    found = marks(metric, [row.value for row in rows])
    return [
        replace(row, value=replace(row.value, mark=mark))
        for row, mark in zip(rows, found, strict=True)
    ]


def _line(row: _Row, split: str, has_valid: bool, metric: str) -> Line:
    value = row.value
    if value.split != split:
        value = replace(value, exact=f"{value.printed} ({SPLIT_NAMES[value.split]})")
    valid = ABSENT if row.valid.value is None else row.valid
    return Line(
        name=row.method,
        cells=(
            value,
            ABSENT if value.n is None else str(value.n),
            *[valid] * has_valid,
            ABSENT if value.parameters is None else value.parameters_text,
            value.protocol,
            value.source,
        ),
        kind=value.kind,
        section=value.kind,
        record=row.record(metric),
    )
