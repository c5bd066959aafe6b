"""Interactive figures for pages (plotly), drawn from plain curves and shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from math import ceil, floor, log10
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pdf_search.records import State
from reports.pages.curves import Axis, Curve, CurveFigure, Panel, readable_range
from reports.pages.importance import ImportanceReport
from reports.pages.theme import COLOURS, FAINT, STATE_COLOURS, STRONG, figure_section, styled

ROW_HEIGHT = 260  # pixels
AT_EPOCH = "%{fullData.name}, epoch %{x}: %{y:.4g}"


def curve_figure(figure: CurveFigure) -> go.Figure:
    """Draw panels of curves."""
    rows, columns = len(figure.rows), figure.columns
    titles = [row[i].title if i < len(row) else "" for row in figure.rows for i in range(columns)]
    gaps = {"vertical_spacing": 0.35 / max(rows, 2), "horizontal_spacing": 0.08}
    drawn = make_subplots(rows, columns, subplot_titles=titles, **gaps)
    colours = dict(zip(figure.labels, cycle(COLOURS), strict=False))
    shown: set[str] = set()
    for row, column, panel, axis in figure.places():
        place = {"row": row + 1, "col": column + 1}
        _draw(drawn, panel, colours, place, shown)
        drawn.update_yaxes(**_range(axis), **place)
    panels = [panel for row in figure.rows for panel in row]
    epoch_axis(drawn, [curve for panel in panels for curve in (*panel.curves, *panel.thin)])
    return styled(drawn, ROW_HEIGHT * rows + 120, columns)


def _range(axis: Axis | None) -> dict[str, Any]:
    if axis is None:
        return {}
    if axis.log:
        ticks = _log_ticks(axis.low, axis.high)
        ends = [log10(axis.low), log10(axis.high)]
        texts = [f"{tick:g}" for tick in ticks]  # plotly writes 0.5 as a small 5
        return {"type": "log", "range": ends, "tickvals": ticks, "ticktext": texts}
    return {"range": [axis.low, axis.high]}


def _log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten, and 2 and 5 times them where there are few, between two positive values."""
    steps = (1, 2, 5) if high < 100 * low else (1,)
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    ticks = [step * 10.0**power for power in powers for step in steps]
    return [tick for tick in ticks if low <= tick <= high]


def _draw(
    drawn: go.Figure,
    panel: Panel,
    colours: Mapping[str, str],
    place: dict[str, int],
    shown: set[str],
) -> None:
    for curve in panel.thin:
        line = {"color": FAINT, "width": 1}
        drawn.add_scatter(
            x=curve.epochs,
            y=curve.mean,
            mode="lines",
            line=line,
            name=curve.label,
            showlegend=False,
            hovertemplate=AT_EPOCH + "<extra></extra>",
            **place,
        )
    for curve in panel.curves:
        for trace in _curve_traces(curve, colours[curve.label], curve.label not in shown):
            drawn.add_trace(trace, **place)
        shown.add(curve.label)
    if panel.rule is not None:
        drawn.add_vline(x=panel.rule, line={"color": STRONG, "dash": "dash", "width": 1}, **place)
    if panel.chosen:
        drawn.add_scatter(
            x=[epoch for epoch, _ in panel.chosen],
            y=[value for _, value in panel.chosen],
            mode="markers",
            marker={"color": COLOURS[1], "size": 7},
            name="reported value",
            legendgroup="reported value",
            showlegend="reported value" not in shown,
            **place,
        )
        shown.add("reported value")


def _curve_traces(curve: Curve, colour: str, legend: bool) -> list[Any]:
    """The line of a curve, preceded by its band where it has one."""
    common: dict[str, Any] = {"legendgroup": curve.label, "name": curve.label}
    line = go.Scatter(
        x=curve.epochs,
        y=curve.mean,
        mode="lines+markers" if curve.dotted else "lines",
        line={"color": colour, "width": 2},
        showlegend=legend,
        customdata=["" if std is None else f" ± {std:.2g}" for std in curve.std],
        hovertemplate=AT_EPOCH + "%{customdata}<extra></extra>",
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
    edges = zip(curve.epochs, curve.low, curve.high, strict=True)
    points = [(x, low, high) for x, low, high in edges if low is not None and high is not None]
    if len(points) < 2:
        return None
    x = [point[0] for point in points]
    return x + x[::-1], [low for _, low, _ in points] + [high for *_, high in points[::-1]]


def stopping_figure(curves: Sequence[Curve], label: str) -> go.Figure:
    """Draw the validation curve of every trial, coloured by state.

    A dot marks the end of a curve, where its trial stopped.
    """
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
    """Draw bars of the explained share, grey where chance explains as much."""
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
        marker={"symbol": "line-ns-open", "size": 18, "color": STRONG, "line": {"width": 2}},
        name="reached by chance (95 of 100)",
        hoverinfo="skip",
    )
    figure.update_xaxes(title_text="share of the variance of ranks", rangemode="tozero")
    figure.update_yaxes(automargin=True)
    return styled(figure, height=150 + 34 * len(rows))


def epoch_axis(figure: go.Figure, curves: Sequence[Curve]) -> None:
    """Label the x axes of ``figure``; a short run gets a tick for each epoch."""
    last = max((curve.epochs[-1] for curve in curves), default=0)
    figure.update_xaxes(title_text="epoch", dtick=1 if last <= 10 else None)


def curve_section(figure: CurveFigure) -> dict[str, Any]:
    """A figure of curves as a section of a page."""
    return figure_section(figure.name, figure.title, figure.text, curve_figure(figure))
