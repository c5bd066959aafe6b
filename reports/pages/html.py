"""The page of a sweep: one self-contained HTML file with tables, figures and plotly's script."""

from __future__ import annotations

from collections import Counter
from typing import Any

from markupsafe import Markup
from plotly.offline import get_plotlyjs

from pdf_search.records import State
from pdf_search.wording import counted
from reports.findings.findings import search_findings
from reports.grid.grid import ABSENT, Grid
from reports.grid.numbers import format_seconds, metric_label
from reports.pages.curves import learning_figure, stopping_curves
from reports.pages.environment import templates
from reports.pages.figures import curve_section, figure_section, importance_figure, stopping_figure
from reports.pages.importance import LEFT_OUT, ImportanceReport, importance
from reports.pages.importance_map import map_figure
from reports.pages.pareto_figure import pareto_figure
from reports.sweep_data import SweepData
from reports.tables.bases import bases_grids, bases_text, pairs_text
from reports.tables.epochs_spent import epochs_grid
from reports.tables.importance_map import TITLE, basis_map, map_grid
from reports.tables.pareto import pareto_grid


def report_html(data: SweepData, table: Grid, board: Grid, targets: Grid | None) -> str:
    """Render the page, which opens from disk without a network."""
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
            importance_map=(known := basis_map(data)) and map_grid(known),
            provenance=provenance(data),
            figures=_figures(data, label, shares),
            plotlyjs=Markup(get_plotlyjs()),
        )
    )


def _bases(data: SweepData) -> dict[str, Any]:
    """The section on (eps, k); {} where nothing is recorded."""
    if not data.bases:
        return {}
    text = f"{bases_text(data.bases)}. Compared on {pairs_text(data.bases)}."
    return {"text": text, "grids": bases_grids(data.bases, data.sweep.name)}


def _facts(data: SweepData, table: Grid) -> list[tuple[str, str]]:
    ours = next((cell for _, _, cell in table.numbers() if cell.kind == "ours"), None)
    states = Counter(entry.trial.state for entry in data.search)
    counted = ", ".join(f"{states[s]} {s.value.lower()}" for s in State if states[s])
    spent = [e.trial.seconds for e in (*data.search, *data.confirm) if e.trial.seconds is not None]
    first = "first by search" if data.confirmed else "best of search"
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
    sweep = data.sweep
    devices = dict.fromkeys(e.trial.device for e in (*data.search, *data.confirm) if e.trial.device)
    facts = [
        ("command", sweep.command),
        ("space", sweep.space),
        ("method", f"{sweep.method}, seed {sweep.seed}"),
        ("budget", f"{counted(sweep.trials, 'trial')} of {counted(sweep.epochs, 'epoch')}"),
        ("data fingerprint", sweep.fingerprint),
        ("splits", sweep.split_hash),
        ("device", ", ".join(devices)),
        ("versions", ", ".join(f"{name} {version}" for name, version in sweep.versions.items())),
        ("commit", sweep.commit),
        ("started", sweep.created),
    ]
    return [(name, value) for name, value in facts if value]


def _figures(data: SweepData, label: str, shares: ImportanceReport) -> list[dict[str, Any]]:
    found = []
    learning, stopping = learning_figure(data, label), stopping_curves(data)
    if learning:
        found.append(curve_section(learning))
    if stopping:
        text = "Every search trial, by its end: a dot marks where a trial stopped."
        found.append(
            figure_section("stopping", "Early stopping", text, stopping_figure(stopping, label))
        )
    if cost := pareto_figure(data, label):
        text = (
            "Every search trial with a value. The line joins the COMPLETE trials that no other "
            "COMPLETE trial beats at no higher cost; rings mark confirmed ones."
        )
        found.append(figure_section("pareto", "Quality against cost", text, cost))
    if known := basis_map(data):
        figure = map_figure(known.found)
        found.append(figure_section("importance-map", TITLE, known.text, figure))
    text = (
        f"Over the {shares.basis}. Each parameter alone, no interactions; a grey bar explains no "
        "more than chance would."
    )
    if shares.rows:
        figure = importance_figure(shares)
        found.append(figure_section("importance", "Hyperparameter importance", text, figure))
    elif data.search:
        reason = shares.basis if shares.basis.startswith(LEFT_OUT) else "No sampled value varies."
        found.append(figure_section("importance", "Hyperparameter importance", reason, None))
    return found
