"""Plotly figures from plain curves and shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from markupsafe import Markup
from plotly.subplots import make_subplots

from pdf_search.records import State
from reports.curves import Curve, readable_range
from reports.importance import ImportanceReport

COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
)  # Okabe and Ito: colour blind safe
STATE_COLOURS = {
    State.COMPLETE: "#0072b2",
    State.RUNNING: "#009e73",
    State.INTERRUPTED: "#e69f00",
    State.PRUNED: "#7f8b99",
    State.DIVERGED: "#d55e00",
    State.FAILED: "#000000",
    State.NOT_STARTED: "#dddddd",
}
PART_TITLES = {"train loss": "training loss", "valid": "validation", "test": "test"}


def learning_figure(curves: Sequence[Curve], label: str) -> go.Figure:
    """One panel a part (loss, validation, test), one colour a trial, bands of one spread."""
    parts = list(dict.fromkeys(curve.part for curve in curves))
    titles = [PART_TITLES[p] + ("" if p == "train loss" else f" {label}") for p in parts]
    figure = make_subplots(rows=1, cols=len(parts), subplot_titles=titles)
    names = list(dict.fromkeys(curve.label for curve in curves))
    shown: set[str] = set()
    for curve in curves:
        colour = COLOURS[names.index(curve.label) % len(COLOURS)]
        place = {"row": 1, "col": parts.index(curve.part) + 1}
        for trace in curve_traces(curve, colour, curve.label not in shown):
            figure.add_trace(trace, **place)
        shown.add(curve.label)
    for column, part in enumerate(parts, start=1):
        visible = readable_range([c for c in curves if c.part == part])
        figure.update_yaxes(range=visible, row=1, col=column)
    epoch_axis(figure, curves)
    return styled(figure, height=380)


def curve_traces(curve: Curve, colour: str, legend: bool) -> list[Any]:
    """The line of a curve, after its band where it has one."""
    common: dict[str, Any] = {"legendgroup": curve.label, "name": curve.label}
    line = go.Scatter(
        x=curve.epochs,
        y=curve.mean,
        mode="lines+markers" if len(curve.epochs) < 4 else "lines",
        line={"color": colour, "width": 2},
        showlegend=legend,
        **common,
    )
    band = _band(curve)
    if band is None:
        return [line]
    x, y = band
    fill = go.Scatter(
        x=x,
        y=y,
        fill="toself",
        fillcolor=colour,
        opacity=0.15,
        line={"width": 0},
        hoverinfo="skip",
        showlegend=False,
        **common,
    )
    return [fill, line]


def _band(curve: Curve) -> tuple[list[int], list[float]] | None:
    points = [
        (epoch, mean - std, mean + std)
        for epoch, mean, std in zip(curve.epochs, curve.mean, curve.std, strict=True)
        if mean is not None and std is not None
    ]
    if len(points) < 2:
        return None
    x = [point[0] for point in points]
    return x + x[::-1], [point[1] for point in points] + [point[2] for point in points[::-1]]


def stopping_figure(curves: Sequence[Curve], label: str) -> go.Figure:
    """Every trial's validation curve by state; where a curve ends, its trial was stopped."""
    figure = go.Figure()
    order = list(STATE_COLOURS)
    drawn = sorted(curves, key=lambda c: order.index(State(c.state)))  # short curves on top
    legends: set[str] = set()
    for curve in drawn:
        colour = STATE_COLOURS[State(curve.state)]
        ends = [0] * (len(curve.epochs) - 1) + [7]
        figure.add_trace(
            go.Scatter(
                x=curve.epochs,
                y=curve.mean,
                mode="lines+markers",
                name=curve.state,
                legendgroup=curve.state,
                showlegend=curve.state not in legends,
                line={"color": colour, "width": 1.5},
                marker={"size": ends, "color": colour},
                opacity=0.55 if curve.state == State.COMPLETE else 1.0,
                hovertemplate=f"{curve.label}, epoch %{{x}}: %{{y:.4g}}<extra></extra>",
            )
        )
        legends.add(curve.state)
    epoch_axis(figure, curves)
    figure.update_yaxes(title_text=f"validation {label}", range=readable_range(curves))
    return styled(figure, height=420)


def importance_figure(report: ImportanceReport) -> go.Figure:
    """Bars of explained share; grey where chance explains as much."""
    rows = report.rows[::-1]
    figure = go.Figure()
    paths = [row.path for row in rows]
    colours = [COLOURS[0] if row.meaningful else "#c9ced6" for row in rows]
    figure.add_bar(
        x=[row.share for row in rows],
        y=paths,
        orientation="h",
        marker={"color": colours},
        name="share explained",
        customdata=[row.n for row in rows],
        hovertemplate="%{y}: %{x:.2f} (n = %{customdata})<extra></extra>",
    )
    figure.add_scatter(
        x=[row.noise for row in rows],
        y=paths,
        mode="markers",
        marker={"symbol": "line-ns-open", "size": 18, "color": "#333333", "line": {"width": 2}},
        name="reached by chance (95 of 100)",
        hoverinfo="skip",
    )
    figure.update_xaxes(title_text="share of the variance of ranks", rangemode="tozero")
    figure.update_yaxes(automargin=True)
    styled(figure, height=150 + 34 * len(rows))
    return figure.update_layout(legend={"y": 1.02, "yanchor": "bottom"})


def epoch_axis(figure: go.Figure, curves: Sequence[Curve]) -> None:
    last = max((curve.epochs[-1] for curve in curves), default=0)
    figure.update_xaxes(title_text="epoch", dtick=1 if last <= 10 else None)


def styled(figure: go.Figure, height: int) -> go.Figure:
    figure.update_layout(
        template="plotly_white",
        height=height,
        margin={"l": 60, "r": 20, "t": 60, "b": 50},
        font={"family": "system-ui, sans-serif", "size": 13, "color": "#1d2733"},
        legend={"orientation": "h", "y": -0.2, "yanchor": "top"},
    )
    return figure


def figure_section(name: str, title: str, text: str, figure: go.Figure | None) -> dict[str, Any]:
    """A figure as a section of a page, its script left out; the text alone without a figure."""
    html = (
        ""
        if figure is None
        else figure.to_html(
            full_html=False,
            include_plotlyjs=False,
            div_id=f"figure-{name}",
            config={"displaylogo": False, "responsive": True},
        )
    )
    return {"name": name, "title": title, "text": text, "html": Markup(html)}
