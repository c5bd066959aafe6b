"""The page of a sweep: one self-contained HTML file with tables, figures and plotly's script."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from pdf_search.records import State
from pdf_search.wording import counted
from reports.findings.findings import search_findings
from reports.grid.grid import ABSENT, Grid
from reports.grid.numbers import format_seconds, metric_label
from reports.grid.trial_cells import seeds_text
from reports.leading import place_of_first
from reports.pages.environment import templates
from reports.pages.importance import importance
from reports.pages.sections import figure_sections
from reports.pages.theme import DARK, packed_plotly
from reports.sweep_data import SweepData
from reports.tables.bases import bases_grids, bases_text, pairs_text
from reports.tables.epochs_spent import epochs_grid
from reports.tables.importance_map import TITLE, basis_map, map_grid
from reports.tables.pareto import pareto_grid


def report_html(
    data: SweepData,
    table: Grid,
    board: Grid,
    targets: Grid | None,
    predictions: Path | None = None,
) -> str:
    """Render the page, which opens from disk without a network.

    ``predictions`` is the file with the predictions of the confirmed trials, if there is one.
    """
    label, shares = metric_label(data.sweep.metric, data.unit), importance(data)
    return (
        templates()
        .get_template("report.html.j2")
        .render(
            data=data,
            label=label,
            table=table,
            board=board,
            targets=targets,
            facts=_facts(data, table),
            findings=search_findings(data, shares),
            epochs=epochs_grid(data),
            pareto=pareto_grid(data),
            bases=_bases(data),
            importance_map=_map_table(data),
            provenance=provenance(data),
            figures=figure_sections(data, label, shares, predictions),
            dark=DARK,
            plotly=packed_plotly(),
        )
    )


def _bases(data: SweepData) -> dict[str, Any]:
    """The section on (eps, k); {} where nothing is recorded."""
    if not data.bases:
        return {}
    text = f"{bases_text(data.bases)}. Compared on {pairs_text(data.bases)}."
    return {"text": text, "grids": bases_grids(data.bases, data.sweep.name)}


def _map_table(data: SweepData) -> Grid | None:
    """The importance map as a table; what it means stands above its figure."""
    known = basis_map(data)
    return (
        known if known is None else replace(map_grid(known), title=f"{TITLE}, as a table", lead=())
    )


def _facts(data: SweepData, table: Grid) -> list[tuple[str, str]]:
    ours = next((cell for _, _, cell in table.numbers() if cell.kind == "ours"), None)
    states = Counter(entry.trial.state for entry in data.search)
    counted = ", ".join(f"{states[s]} {s.value.lower()}" for s in State if states[s])
    entries = (*data.search, *data.confirm)
    spent = [e.trial.seconds for e in entries if e.trial.seconds is not None]
    first = place_of_first(data) if data.confirmed else "best of search"
    shown = ABSENT if ours is None else ours.printed + (f" (n = {ours.n})" if ours.n else "")
    return [
        (f"{table.columns[0]}, {first}", shown),
        ("search trials", f"{len(data.search)}: {counted}" if counted else "none"),
        ("training time, all trials", format_seconds(sum(spent)) if spent else ABSENT),
    ]


def provenance(data: SweepData) -> list[tuple[str, str]]:
    """What reproduces the numbers of a sweep, as (name, value): command, space, data, versions.

    Facts that were not recorded are left out.
    """
    sweep, entries = data.sweep, (*data.search, *data.confirm)
    devices = dict.fromkeys(e.trial.device for e in entries if e.trial.device)
    # A worker compiles or loads its kernels in its first one, which may take most of the time.
    first_epochs = [e.epochs[0].seconds for e in entries if e.epochs]
    first = format_seconds(sum(first_epochs)) if first_epochs else ""
    confirmed = [f"{entry.called} on {seeds_text(entry)}" for entry in data.confirmations]
    facts = [
        ("command", sweep.command),
        ("space", sweep.space),
        ("method", f"{sweep.method}, seed {sweep.seed}"),
        ("budget", f"{counted(sweep.trials, 'trial')} of {counted(sweep.epochs, 'epoch')}"),
        ("confirmed", "; ".join(confirmed) or data.not_asked),
        ("data fingerprint", sweep.fingerprint),
        ("splits", sweep.split_hash),
        ("device", ", ".join(devices)),
        ("first epochs", f"{first}; kernels are compiled or loaded in them" if first else ""),
        ("versions", ", ".join(f"{name} {version}" for name, version in sweep.versions.items())),
        ("commit", sweep.commit),
        ("started", sweep.created),
    ]
    return [(name, value) for name, value in facts if value]
