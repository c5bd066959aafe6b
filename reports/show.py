"""A sweep, or one trial, as text for a terminal."""

from __future__ import annotations

from collections import Counter

import yaml

from pdf_search.errors import StoreError
from pdf_search.records import Phase, State
from pdf_search.results import UNDEFINED, no_trial
from reports.entry import Entry
from reports.findings.findings import search_findings
from reports.grid.grid_texts import grid_plain
from reports.grid.numbers import (
    format_both,
    format_count,
    format_parameter,
    format_seconds,
    format_value,
    metric_label,
    scaled,
)
from reports.grid.plain_table import render_plain
from reports.ranking import ranked_by, ranked_otherwise
from reports.sweep_data import SweepData
from reports.tables.leaderboard import UNDEFINED_CELL, leaderboard_grid
from reports.tables.target_table import confirmed_targets, target_lines
from reports.target_notes import averaged
from reports.versions import sweep_versions, version_notes, version_text

RERUNS = "reruns, which check the numbers of recorded trials and count nowhere else"
_COLUMNS = 6  # confirmed trials shown side by side


def show_sweep(data: SweepData, limit: int = 20, width: int | None = None) -> str:
    """Show a sweep's settings, progress and findings, and ``limit`` trials of each phase.

    Reruns follow in a table of their own. ``width``: of the terminal, for tables; None: any.
    """
    sweep = data.sweep
    label = metric_label(sweep.metric, data.unit)
    states = Counter(entry.trial.state for entry in data.search)
    lines = [
        f"{sweep.name}: {data.title}, {label}, protocol {sweep.protocol.value}, {sweep.method}",
        "search: " + (", ".join(f"{states[s]} {s.value}" for s in State if states[s]) or "none"),
        *(f"confirm: {text}" for text in [data.not_asked] if text),
        *(f"partial: {notice}" for notice in data.notices()),
        *(f"why: {failure}" for failure in data.failures()),
        *search_findings(data).lines(),
        *(f"data: {note}" for note in data.data_notes),
        *version_notes(sweep_versions(data)),
    ]
    ranked = f"ranked by smoothed, {ranked_by(data)}; {label} is of the best epoch"
    order = ranked if ranked_otherwise(data) else ""
    for title, entries in ((order, data.search), ("", data.confirm), (RERUNS, data.reruns)):
        board = leaderboard_grid(data, entries)
        if not board.lines:
            continue
        lines += ["", *filter(None, [title]), grid_plain(board, limit, width).rstrip()]
        if len(board.lines) > limit:
            lines.append(f"... and {len(board.lines) - limit} more in leaderboard.csv")
    return "\n".join([*lines, *_target_table(data, label, limit, width)]) + "\n"


def _target_table(data: SweepData, label: str, limit: int, width: int | None) -> list[str]:
    header, rows = confirmed_targets(data)
    if not rows:
        return []
    more = [f"... and {len(rows) - limit} more in targets.csv"] if len(rows) > limit else []
    cut = f", the first {_COLUMNS} trials" if len(header) > _COLUMNS + 1 else ""
    shown = [row[: _COLUMNS + 1] for row in (header, *rows[:limit])]
    table = render_plain(shown[0], shown[1:], width).rstrip()
    return ["", f"test {label} of each target{cut}", table, *more]


def find_trial(data: SweepData, number: int, phase: Phase = Phase.SEARCH) -> Entry:
    """Find a trial of a sweep by its number in a phase.

    Raises:
        StoreError: the sweep has no such trial.
    """
    entries = [entry for entry in data.recorded if entry.trial.phase is phase]
    for entry in entries:
        if entry.trial.number == number:
            return entry
    error = no_trial(data.called, phase, number, [e.trial.number for e in entries])
    again = next((e.trial.number for e in entries if e.searched_as == number), None)
    if again is not None:
        raise StoreError(f"{error}; trial {number} of the search was confirmed as {again}")
    raise error


def show_trial(data: SweepData, entry: Entry, width: int | None = None) -> str:
    """Show state, values by replicate, sampled values, and the whole configuration as YAML.

    ``width``: of the terminal, for tables; None: any.
    """
    trial, summary = entry.trial, entry.summary
    label = metric_label(data.sweep.metric, data.unit)
    spread = scaled(entry.spread_of(summary.headline), data.metric)
    value = format_both(scaled(summary.mean, data.metric), spread)
    value = UNDEFINED_CELL if UNDEFINED in summary.reasons else value
    facts = [
        ("state", trial.state.value + (f": {trial.message}" if trial.message else "")),
        ("origin", trial.origin),
        ("rank", "" if entry.rank is None else str(entry.rank)),
        (f"{summary.split} {label}", f"{value} (n = {summary.n})"),
        ("partial", ", ".join(summary.reasons)),
        ("epochs", f"{summary.epochs} of {summary.epochs_planned}"),
        ("parameters", format_count(trial.parameters)),
        ("retries", f"{trial.retries}, as its worker was lost" if trial.retries else ""),
        ("time", format_seconds(trial.seconds)),
        ("memory", "" if trial.peak_mb is None else f"{trial.peak_mb:.0f} MB"),
        ("device", trial.device),
        ("checkpoint", trial.checkpoint),
        ("versions", version_text(trial.config) if trial.config else ""),
        ("configuration", trial.config_hash),
    ]
    longest = max(len(name) for name, _ in facts)
    lines = [f"trial {trial.number} of {data.called}, phase {trial.phase.value}"]
    lines += [f"  {name.ljust(longest)}  {text}" for name, text in facts if text]
    lines += ["", render_plain(*_replicate_cells(data, entry), width).rstrip()]
    if targets := target_lines(data, entry):
        header = ["target", f"test {label}", f"validation {label}", "test graphs"]
        lines += ["", render_plain(header, targets, width).rstrip(), *averaged(data)]
    elif trial.phase is Phase.SEARCH and (said := averaged(data)):
        lines += ["", *said, "Each target's own value is recorded when a trial is confirmed."]
    if trial.params:
        lines += ["", "sampled values"]
        lines += [f"  {path} = {format_parameter(v)}" for path, v in trial.params.items()]
    lines += ["", "configuration", yaml.safe_dump(trial.config, sort_keys=False).rstrip()]
    return "\n".join(lines) + "\n"


def _replicate_cells(data: SweepData, entry: Entry) -> tuple[list[str], list[list[str]]]:
    summary, metric = entry.summary, data.metric
    header = ["seed", "fold", "best epoch", "validation", "test"]
    rows = []
    for index, replicate in enumerate(entry.trial.replicates):
        best = summary.best_epochs[index]
        rows.append(
            [
                str(replicate.seed),
                "–" if replicate.fold is None else str(replicate.fold),
                "–" if best is None else str(best),
                format_value(scaled(summary.valid[index], metric), None),
                format_value(scaled(summary.test[index], metric), None),
            ]
        )
    return header, rows
