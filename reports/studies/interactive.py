"""Study figures for the page (plotly)."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from reports.figures import COLOURS, curve_traces, epoch_axis, styled
from reports.studies.curves import Axis, CurveFigure, Panel

HEIGHT = 260  # pixels of a row


def interactive(figure: CurveFigure) -> go.Figure:
    """The same panels as the images, to be hovered and zoomed."""
    columns = max(map(len, figure.rows))
    titles = [row[i].title if i < len(row) else "" for row in figure.rows for i in range(columns)]
    gaps = {"vertical_spacing": 0.35 / max(len(figure.rows), 2), "horizontal_spacing": 0.08}
    drawn = make_subplots(len(figure.rows), columns, subplot_titles=titles, **gaps)
    shown: set[str] = set()
    for row, panels in enumerate(figure.rows, start=1):
        every = [curve for panel in panels for curve in (*panel.curves, *panel.thin)]
        for column, panel in enumerate(panels, start=1):
            _draw(drawn, panel, {"row": row, "col": column}, shown)
            drawn.update_yaxes(**_shared(panels), row=row, col=column)
        epoch_axis(drawn, every)
    return styled(drawn, height=HEIGHT * len(figure.rows) + 120)


def _shared(panels: Sequence[Panel]) -> dict[str, Any]:
    axis = Axis.of(panels)
    if axis is None:
        return {}
    if axis.log:
        return {"type": "log", "range": [log10(axis.low), log10(axis.high)], "dtick": 1}
    return {"range": [axis.low, axis.high]}


def _draw(drawn: go.Figure, panel: Panel, place: dict[str, int], shown: set[str]) -> None:
    for curve in panel.thin:
        line = {"color": "#b8bfc7", "width": 1}
        drawn.add_scatter(
            x=curve.epochs,
            y=curve.mean,
            mode="lines",
            line=line,
            name=curve.label,
            showlegend=False,
            **place,
        )
    for number, curve in enumerate(panel.curves):
        colour = COLOURS[number % len(COLOURS)]
        for trace in curve_traces(curve, colour, curve.label not in shown):
            drawn.add_trace(trace, **place)
        shown.add(curve.label)
    if panel.rule is not None:
        drawn.add_vline(x=panel.rule, line={"color": "#555", "dash": "dash", "width": 1}, **place)
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
