"""All trials of a sweep in one list."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pdf_search.records import Phase, State, first_line
from pdf_search.results.summary import UNDEFINED
from reports.numbers import (
    format_both,
    format_count,
    format_parameter,
    format_seconds,
    metric_label,
    scaled,
    short_names,
    unit_of,
)
from reports.sweep_data import Entry, SweepData
from reports.tables import escape_markdown, render_markdown
from reports.versions import sweep_versions, version_notes

UNDEFINED_CELL = "undefined"
LONGEST_REASON = 120


@dataclass(frozen=True)
class LeaderboardRow:
    """One trial. ``mean`` and ``spread`` are in ``unit`` (percent for accuracy, ROC-AUC, AP).

    ``split`` says on which part: ``valid`` for every search trial, ``test`` for confirmed ones.
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
    def reason(self) -> str:
        """Of a FAILED or DIVERGED trial the first line of why, cut if it is long."""
        if self.state not in (State.FAILED, State.DIVERGED):
            return ""
        line = first_line(self.message)
        return line if len(line) <= LONGEST_REASON else f"{line[:LONGEST_REASON]} ..."

    def as_dict(self) -> dict[str, Any]:
        """Flat: one key a column, sampled values under their dotted paths."""
        own = {key: value for key, value in self.__dict__.items() if key != "params"}
        return own | self.params


def leaderboard_rows(data: SweepData, phase: Phase | None = None) -> list[LeaderboardRow]:
    """Search trials best first (COMPLETE, then by state), then the confirmed in that order."""
    entries = {Phase.SEARCH: data.search, Phase.CONFIRM: data.confirm}
    chosen = [phase] if phase else list(entries)
    return [_row(data, entry) for part in chosen for entry in entries[part]]


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
        spread=scaled(summary.std, data.metric),
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
    """Paths that differ between trials, and the values that all trials share."""
    searched = [row.params for row in rows if row.params]
    paths = list(dict.fromkeys(path for params in searched for path in params))
    shared = {
        path: searched[0][path]
        for path in paths
        if all(path in p and p[path] == searched[0].get(path) for p in searched)
    }
    return [path for path in paths if path not in shared], shared


def leaderboard_cells(rows: list[LeaderboardRow]) -> tuple[list[str], list[list[str]]]:
    """Header and text cells, as a reader wants them: only the values that differ."""
    paths, _ = varying_params(rows)
    short = short_names(paths)
    header = ["rank", "phase", "trial", "state", "split", "value", "n", "epochs", "parameters"]
    header += ["time", "origin", *(short[path] for path in paths)]
    cells = [_cells(row, paths) for row in rows]
    reasons = [row.reason for row in rows]
    if any(reasons):
        header.append("reason")
        cells = [[*line, reason] for line, reason in zip(cells, reasons, strict=True)]
    return header, cells


def _cells(row: LeaderboardRow, paths: list[str]) -> list[str]:
    value = UNDEFINED_CELL if UNDEFINED in row.partial else format_both(row.mean, row.spread)
    return [
        "–" if row.rank is None else str(row.rank),
        row.phase,
        str(row.number),
        row.state,
        row.split,
        value,
        str(row.n),
        str(row.epochs),
        format_count(row.parameters),
        format_seconds(row.seconds),
        row.origin,
        *(format_parameter(row.params.get(path)) for path in paths),
    ]


def leaderboard_markdown(data: SweepData, phase: Phase | None = None) -> str:
    """The leaderboard with what it shows and what is unfinished."""
    rows = leaderboard_rows(data, phase)
    header, cells = leaderboard_cells(rows)
    label = metric_label(data.sweep.metric, data.unit)
    header[header.index("value")] = label
    _, shared = varying_params(rows)
    parts = [
        f"# Leaderboard of {data.sweep.name}",
        f"{escape_markdown(data.title)}, {label}, protocol {data.sweep.protocol.value}, "
        f"method {data.sweep.method}. Search trials show validation values; only confirmed "
        "configurations have test values. A spread is the population standard deviation over n "
        "replicates.",
        *(f"Partial: {notice}." for notice in data.notices()),
        *(f"Why: {escape_markdown(failure)}." for failure in data.failures()),
        *map(escape_markdown, version_notes(sweep_versions(data))),
        render_markdown(header, cells).rstrip(),
    ]
    if shared:
        listed = ", ".join(f"`{path}` = {format_parameter(v)}" for path, v in shared.items())
        parts.append(f"The same in all trials: {listed}")
    return "\n\n".join(parts) + "\n"
