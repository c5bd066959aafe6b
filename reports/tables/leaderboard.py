"""The leaderboard: all trials of a sweep in one list, reruns last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from pdf_search.records import RERUN_OF, Phase, State, first_line
from pdf_search.results import UNDEFINED
from pdf_search.wording import sentence_case
from reports.entry import Entry
from reports.grid.cell import Cell
from reports.grid.grid import ABSENT, Grid, Line
from reports.grid.numbers import (
    format_both,
    format_count,
    format_parameter,
    format_seconds,
    format_value,
    metric_label,
    scaled,
    short_names,
    unit_of,
)
from reports.ranking import ranked_by, ranked_otherwise
from reports.sweep_data import SweepData
from reports.versions import sweep_versions, version_notes

UNDEFINED_CELL = "undefined"
LONGEST_REASON = 120
SORT_KEYS = (  # fields of a row, in the order of the columns
    "rank",
    "phase",
    "number",
    "state",
    "split",
    "mean",
    "smoothed",
    "n",
    "epochs",
    "parameters",
    "seconds",
    "origin",
)


@dataclass(frozen=True)
class LeaderboardRow:
    """One trial; ``mean`` and ``spread`` are in ``unit`` (percent for accuracy, ROC-AUC, AP).

    ``split`` is the part that they are measured on: ``valid`` for search trials, ``test`` for
    confirmed ones. ``smoothed``, in the same unit, is the validation value that ranks the search.
    """

    rank: int | None
    phase: str
    number: int
    state: str
    protocol: str
    metric: str
    unit: str
    split: str
    mean: float | None
    spread: float | None
    smoothed: float | None
    n: int
    partial: str  # why the number is partial; empty if it is not
    best_epoch: int | None
    epochs: int
    parameters: int | None
    seconds: float | None
    peak_mb: float | None
    origin: str
    config_hash: str
    message: str
    params: dict[str, Any] = field(default_factory=dict)

    @property
    def section(self) -> str:
        """The part of the table that it stands in: its phase, or that of the reruns."""
        return "rerun" if self.origin.startswith(RERUN_OF) else self.phase

    @property
    def reason(self) -> str:
        """First line of why a trial FAILED or DIVERGED, cut if it is long; else empty."""
        if self.state not in (State.FAILED, State.DIVERGED):
            return ""
        line = first_line(self.message)
        return line if len(line) <= LONGEST_REASON else f"{line[:LONGEST_REASON]} ..."

    def as_dict(self) -> dict[str, Any]:
        """The flat record of the CSV: one key per column, sampled values by their dotted paths."""
        own = {key: value for key, value in self.__dict__.items() if key != "params"}
        return own | self.params


def leaderboard_rows(data: SweepData, phase: Phase | None = None) -> list[LeaderboardRow]:
    """The search trials, best first, then the confirmed trials in the order of the search.

    COMPLETE search trials come before all others, reruns after all. ``phase`` restricts the rows to
    one phase.
    """
    return [_row(data, e) for e in data.recorded if phase in (None, e.trial.phase)]


def _row(data: SweepData, entry: Entry) -> LeaderboardRow:
    trial, summary = entry.trial, entry.summary
    return LeaderboardRow(
        rank=entry.rank,
        phase=trial.phase.value,
        number=trial.number,
        state=trial.state.value,
        protocol=data.sweep.protocol.value,
        metric=data.sweep.metric,
        unit=unit_of(data.metric, data.unit),
        split=summary.split,
        mean=scaled(summary.mean, data.metric),
        spread=scaled(entry.spread_of(summary.headline), data.metric),
        smoothed=scaled(summary.smoothed, data.metric),
        n=summary.n,
        partial=", ".join(summary.reasons),
        best_epoch=summary.best_epoch,
        epochs=summary.epochs,
        parameters=trial.parameters,
        seconds=trial.seconds,
        peak_mb=trial.peak_mb,
        origin=trial.origin,
        config_hash=trial.config_hash,
        message=trial.message,
        params=dict(trial.params),
    )


def varying_params(rows: list[LeaderboardRow]) -> tuple[list[str], dict[str, Any]]:
    """Paths whose values differ between trials, and the values that all trials share."""
    searched = [row.params for row in rows if row.params]
    paths = list(dict.fromkeys(path for params in searched for path in params))
    shared = {
        path: searched[0][path]
        for path in paths
        if all(path in p and p[path] == searched[0].get(path) for p in searched)
    }
    return [path for path in paths if path not in shared], shared


def leaderboard_grid(data: SweepData, entries: Sequence[Entry] | None = None) -> Grid:
    """Build the table, with a column for each sampled value that differs between trials.

    A note names the values that all trials share. The CSV has every sampled value. ``entries``: of
    these alone.
    """
    rows = [_row(data, entry) for entry in (data.recorded if entries is None else entries)]
    paths, shared = varying_params(rows)
    short = short_names(paths)
    label = metric_label(data.sweep.metric, data.unit)
    columns = ["phase", "trial", "state", "split", label, "smoothed", "n", "epochs", "parameters"]
    columns += ["time", "origin", *(short[path] for path in paths)]
    reasons = any(row.reason for row in rows)
    listed = ", ".join(f"{path} = {format_parameter(v)}" for path, v in shared.items())
    every = dict.fromkeys(path for row in rows for path in row.params)
    return Grid(
        key=f"{data.sweep.name}/leaderboard",
        title=f"Leaderboard of {data.sweep.name}",
        corner="rank",
        columns=(*columns, *["reason"] * reasons),
        lines=tuple(_line(row, paths, reasons) for row in rows),
        notes=(f"The same in all trials: {listed}",) * bool(shared),
        notices=tuple(data.notices()),
        lead=tuple(_lead(data, label)),
        sort_keys=(*SORT_KEYS, *paths, *["message"] * reasons),
        fields=(*(f.name for f in fields(LeaderboardRow) if f.name != "params"), *every),
    )


def _line(row: LeaderboardRow, paths: list[str], reasons: bool) -> Line:
    value = UNDEFINED_CELL if UNDEFINED in row.partial else format_both(row.mean, row.spread)
    return Line(
        name=ABSENT if row.rank is None else str(row.rank),
        cells=(
            row.phase,
            str(row.number),
            Cell("state", "state", exact=row.state, why=row.message),
            row.split,
            value,
            format_value(row.smoothed, None),
            str(row.n),
            str(row.epochs),
            format_count(row.parameters),
            format_seconds(row.seconds),
            row.origin,
            *(format_parameter(row.params.get(path)) for path in paths),
            *[row.reason] * reasons,
        ),
        kind=row.phase,
        section=row.section,
        record=row.as_dict(),
    )


def _lead(data: SweepData, label: str) -> Iterator[str]:
    yield (
        f"{data.title}, {label}, protocol {data.sweep.protocol.value}, method {data.sweep.method}. "
        "Search trials show validation values; only confirmed configurations have test values. A "
        "spread is the population standard deviation over n replicates. The search is ranked by "
        f"the column smoothed, {ranked_by(data)}; trials that ended early come after complete "
        "ones, by how far they came."
    )
    if ranked_otherwise(data):
        yield (
            f"The column {label} is of the best epoch, which is partly luck and would order the "
            "trials otherwise."
        )
    if data.not_asked:
        yield f"{sentence_case(data.not_asked)}."
    if data.reruns:
        yield (
            "A rerun checks the numbers of a recorded trial (origin: rerun of its number, in the "
            "same phase). Reruns come last and without a rank; nothing else is made of them."
        )
    yield from (f"Why: {failure}." for failure in data.failures())
    yield from version_notes(sweep_versions(data))
