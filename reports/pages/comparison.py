"""The page that sets sweeps side by side: their table, progress, learning curves, test values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Any

import plotly.graph_objects as go

from reports.findings.findings import search_findings
from reports.findings.winners import winner
from reports.grid.grid import Grid
from reports.grid.numbers import metric_label, scaled
from reports.pages.curves import PARTS, Curve, CurveFigure, Panel, curve_of, part_title
from reports.pages.environment import templates
from reports.pages.figures import curve_section
from reports.pages.html import provenance
from reports.pages.theme import COLOURS, DARK, figure_section, packed_plotly, styled
from reports.sweep_data import SweepData

Named = Sequence[tuple[str, SweepData]]


def comparison_html(sweeps: Named, grid: Grid) -> str:
    """Render the page of several sweeps, given with their names; ``grid`` is their table.

    Figures have the sweeps that share the first one's metric and unit; the others are named.
    """
    first = sweeps[0][1]
    alike = [s for s in sweeps if (s[1].metric, s[1].unit) == (first.metric, first.unit)]
    label = metric_label(first.sweep.metric, first.unit)
    return (
        templates()
        .get_template("comparison.html.j2")
        .render(
            names=[name for name, _ in sweeps],
            grids=[grid],
            figures=list(_sections(alike, label, _left_out(sweeps, alike))),
            found=[(name, search_findings(data)) for name, data in sweeps],
            provenance=[(name, provenance(data)) for name, data in sweeps],
            dark=DARK,
            plotly=packed_plotly(),
        )
    )


def _left_out(sweeps: Named, alike: Named) -> str:
    shown = {name for name, _ in alike}
    others = [name for name, _ in sweeps if name not in shown]
    return f" Of another metric, and not shown: {', '.join(others)}." if others else ""


def _sections(sweeps: Named, label: str, left_out: str) -> Iterator[dict[str, Any]]:
    lines = [(name, best_so_far(data)) for name, data in sweeps]
    if any(points for _, points in lines):
        text = (
            "The best validation value so far over the epochs that the search had trained, trials "
            f"in the order in which they ended.{left_out}"
        )
        yield figure_section("progress", "Best so far", text, _progress(lines, label))
    if curves := _winners(sweeps, label):
        yield curve_section(curves)
    if any(data.confirmed for _, data in sweeps):
        text = (
            "Each confirmed configuration, in the order of the search: mean and population "
            f"standard deviation over its replicates.{left_out}"
        )
        yield figure_section("confirmed", "Confirmed on test", text, _confirmed(sweeps, label))


def best_so_far(data: SweepData) -> list[tuple[int, float]]:
    """After each trial that has ended: epochs trained by then, and the best value of them all."""
    ended = [entry for entry in data.search if entry.trial.state.finished]
    ended.sort(key=lambda entry: (entry.trial.ended, entry.trial.number))
    points: list[tuple[int, float]] = []
    spent, best = 0, None
    for entry in ended:
        spent += entry.summary.epochs
        value = entry.summary.mean
        if value is not None and data.metric.better(value, best):
            best = value
        if best is not None:
            points.append((spent, best * (100 if data.metric.percent else 1)))
    return points


def _progress(lines: Sequence[tuple[str, list[tuple[int, float]]]], label: str) -> go.Figure:
    figure = go.Figure()
    for (name, points), colour in zip(lines, cycle(COLOURS), strict=False):
        figure.add_scatter(
            x=[spent for spent, _ in points],
            y=[best for _, best in points],
            name=name,
            mode="lines+markers",
            line={"shape": "hv", "color": colour, "width": 2},
            marker={"size": 5},
            hovertemplate="%{fullData.name}: %{y:.4g} after %{x} epochs<extra></extra>",
        )
    figure.update_xaxes(title_text="epochs trained", rangemode="tozero")
    figure.update_yaxes(title_text=f"best validation {label}")
    return styled(figure.update_layout(showlegend=True), height=420)


def _winners(sweeps: Named, label: str) -> CurveFigure | None:
    panels = []
    for part in PARTS:
        curves = tuple(filter(None, (_winner_curve(name, data, part) for name, data in sweeps)))
        if curves:
            panels.append(Panel(part_title(part, label), part_title(part, label), curves))
    text = "The first confirmed configuration of each sweep; the band is one standard deviation."
    return CurveFigure("learning", "Learning curves", text, (tuple(panels),)) if panels else None


def _winner_curve(name: str, data: SweepData, part: str) -> Curve | None:
    won = winner(data)
    return None if won is None else curve_of(data.metric, won, part, name)


def _confirmed(sweeps: Named, label: str) -> go.Figure:
    figure = go.Figure()
    for (name, data), colour in zip(sweeps, cycle(COLOURS), strict=False):
        entries = data.confirmed
        figure.add_scatter(
            x=[[name] * len(entries), [entry.called for entry in entries]],
            y=[scaled(entry.summary.mean, data.metric) for entry in entries],
            error_y={"array": [scaled(e.summary.std, data.metric) or 0.0 for e in entries]},
            customdata=[entry.summary.n for entry in entries],
            name=name,
            mode="markers",
            marker={"size": 9, "color": colour},
            hovertemplate="%{x}: %{y:.4g}, n = %{customdata}<extra></extra>",
        )
    figure.update_yaxes(title_text=f"test {label}")
    styled(figure, height=420)
    return figure.update_layout(showlegend=False)
