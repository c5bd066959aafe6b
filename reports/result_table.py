"""The result table: confirmed configurations, the baseline predictor, and published rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pdf_search.records import Metric, Phase
from pdf_search.results import Stat
from reports.marks import marks
from reports.notes import baseline_name, row_note, table_notes
from reports.numbers import format_count, format_spread, format_value, metric_label, scaled, unit_of
from reports.published import Published, published
from reports.sweep_data import Entry, SweepData

SHOWN_WITHOUT_CONFIRM = 5
SETTINGS = {
    "published": "published setting",
    "published, changed": "published setting, changed",
}
SPLIT_NAMES = {"test": "test", "valid": "validation"}


@dataclass(frozen=True)
class TableRow:
    """One row. Numbers are in ``unit``; the texts are what tables print, and no CSV has them.

    ``kind``: ``ours``, ``baseline`` (mean or majority predictor) or ``published``. ``mark``:
    ``best``, ``second`` or empty.
    """

    method: str
    kind: str
    split: str
    value: float | None
    spread: float | None
    n: int | None
    value_text: str
    spread_text: str
    valid: float | None
    valid_spread: float | None
    protocol: str
    metric: str
    unit: str
    parameters: int | None
    parameters_text: str
    source: str
    note: str
    train_fraction: float = 1.0
    cut: bool = False  # by a budget, before the setting's last epoch
    partial: bool = False
    mark: str = ""

    @property
    def text(self) -> str:
        return f"{self.value_text} ± {self.spread_text}" if self.spread_text else self.value_text

    @property
    def valid_text(self) -> str:
        value = format_value(self.valid, self.valid_spread)
        spread = format_spread(self.valid, self.valid_spread)
        return f"{value} ± {spread}" if spread else value

    def as_dict(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if not key.endswith("_text")}


@dataclass(frozen=True)
class ResultTable:
    """Rows in order: ours as the search ranked them, the baseline predictor, published ones.

    ``split`` is ``test`` after a confirmation and ``valid`` before one; validation numbers are
    never marked best beside published test numbers.
    """

    sweep: str
    dataset: str
    metric_label: str
    split: str
    protocol: str
    rows: tuple[TableRow, ...]
    notes: tuple[str, ...]
    notices: tuple[str, ...]  # what is unfinished

    @property
    def value_header(self) -> str:
        return f"{SPLIT_NAMES[self.split]} {self.metric_label}"

    @property
    def has_valid(self) -> bool:
        """Whether validation values stand beside the test values."""
        return self.split == "test" and any(r.valid is not None for r in self.rows)


def result_table(data: SweepData) -> ResultTable:
    """The table of a sweep, or of its search alone (marked so) if nothing is confirmed yet."""
    split = "test" if data.confirmed else "valid"
    shown = data.confirmations if data.confirmed else _best_of_search(data)
    baseline = [e for e in data.confirm if e.is_baseline] if data.confirmed else []
    ours = [_our_row(data, entry) for entry in (*shown, *baseline)]
    quoted = [_published_row(row) for row in published(data.sweep.dataset, data.sweep.metric)]
    rows = _marked(data.metric, [*ours, *quoted]) if split == "test" else [*ours, *quoted]
    return ResultTable(
        sweep=data.sweep.name,
        dataset=data.title,
        metric_label=metric_label(data.sweep.metric, data.unit),
        split=split,
        protocol=data.sweep.protocol.value,
        rows=tuple(rows),
        notes=tuple(table_notes(data, split, bool(quoted), [row.mark for row in rows])),
        notices=tuple(data.notices()),
    )


def _best_of_search(data: SweepData) -> list[Entry]:
    with_value = [entry for entry in data.search if entry.summary.mean is not None]
    return with_value[:SHOWN_WITHOUT_CONFIRM]


def _our_row(data: SweepData, entry: Entry) -> TableRow:
    summary, metric = entry.summary, data.metric
    value, spread = scaled(summary.mean, metric), _spread(entry, summary.headline, metric)
    valid = Stat.of(summary.valid)
    return TableRow(
        method=row_name(data, entry),
        kind="baseline" if entry.is_baseline else "ours",
        split=summary.split,
        value=value,
        spread=spread,
        n=summary.n,
        value_text=format_value(value, spread),
        spread_text=format_spread(value, spread),
        valid=scaled(valid.mean, metric),
        valid_spread=_spread(entry, valid, metric),
        protocol=summary.protocol.value,
        metric=data.sweep.metric,
        unit=unit_of(metric, data.unit),
        parameters=entry.trial.parameters,
        parameters_text=format_count(entry.trial.parameters),
        source="this sweep",
        note=row_note(entry),
        train_fraction=entry.train_fraction,
        cut=entry.cut is not None,
        partial=summary.partial,
    )


def _spread(entry: Entry, stat: Stat, metric: Metric) -> float | None:
    """None also for a baseline predictor that is the same for every seed: it has no spread."""
    return None if entry.is_baseline and stat.std == 0 else scaled(stat.std, metric)


def row_name(data: SweepData, entry: Entry) -> str:
    """What a row of ours is called."""
    if entry.is_baseline:
        return baseline_name(data.sweep.metric)
    number = entry.trial.number if entry.trial.phase is Phase.SEARCH else entry.searched_as
    if number is None:
        return f"PDF, run {entry.trial.number}"
    origins = {e.trial.number: e.trial.origin for e in data.search}
    return f"PDF, {SETTINGS.get(origins.get(number, ''), 'ours')} (trial {number})"


def _published_row(row: Published) -> TableRow:
    return TableRow(
        method=row.method,
        kind="published",
        split="test",
        value=row.value,
        spread=row.spread,
        n=None,
        value_text=row.text,
        spread_text=row.spread_text,
        valid=row.valid,
        valid_spread=row.valid_spread,
        protocol=row.protocol,
        metric=row.metric,
        unit="",
        parameters=row.parameter_count,
        parameters_text=row.parameters or "–",
        source=row.source,
        note=row.note,
    )


def _marked(metric: Metric, rows: Sequence[TableRow]) -> list[TableRow]:
    found = marks(metric, rows)
    return [replace(row, mark=mark) for row, mark in zip(rows, found, strict=True)]


def table_cells(table: ResultTable) -> tuple[list[str], list[list[str]]]:
    """Header and text cells; the value's column is number 1. Marks are left to the renderer."""
    header = ["method", table.value_header, "n"]
    header += [f"validation {table.metric_label}"] if table.has_valid else []
    header += ["parameters", "protocol", "source"]
    header += ["note"] if any(row.note for row in table.rows) else []
    return header, [_cells(table, row) for row in table.rows]


def _cells(table: ResultTable, row: TableRow) -> list[str]:
    value = row.text
    if row.split != table.split:
        value += f" ({SPLIT_NAMES[row.split]})"
    valid = [row.valid_text] if table.has_valid else []
    n = "–" if row.n is None else str(row.n)
    note = [row.note] if any(other.note for other in table.rows) else []
    return [row.method, value, n, *valid, row.parameters_text, row.protocol, row.source, *note]
