"""The figure of quality against cost: every trial of a search, and the Pareto lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pdf_search.records import State
from reports.grid.numbers import scaled
from reports.pages.theme import STATE_COLOURS, STRONG, styled
from reports.sweep_data import SweepData
from reports.tables.pareto import (
    COSTS,
    PARAMETERS,
    Tradeoff,
    confirmed_numbers,
    pareto_line,
    tradeoffs,
)


def pareto_figure(data: SweepData, label: str) -> go.Figure | None:
    """Draw the validation value over parameters, and over the time of an epoch.

    Trials are coloured by state; a ring marks those that were confirmed. The step line joins the
    trials on the Pareto line. None if no trial has a value.
    """
    panels = [tradeoffs(data, cost) for cost in COSTS]
    if not any(panels):
        return None
    figure = make_subplots(1, 2, shared_yaxes=True, horizontal_spacing=0.06)
    for column, (cost, points) in enumerate(zip(COSTS, panels, strict=True), start=1):
        title = "parameters" if cost == PARAMETERS else "seconds an epoch"
        unit = "%{x:,d} parameters" if cost == PARAMETERS else "%{x:.3g} s an epoch"
        hover = f"%{{text}}: %{{y:.4g}} with {unit}<extra></extra>"
        for trace in _traces(data, points, legend=column == 1):
            figure.add_trace(trace.update(hovertemplate=hover), row=1, col=column)
        figure.update_xaxes(title_text=title, type="log", nticks=4, tickangle=0, row=1, col=column)
    figure.update_yaxes(title_text=f"validation {label}", row=1, col=1)
    return styled(figure, height=420, panels=2)


def _traces(data: SweepData, points: Sequence[Tradeoff], legend: bool) -> list[go.Scatter]:
    line = pareto_line(points)
    confirmed = confirmed_numbers(data)
    rings = [point for point in points if point.entry.trial.number in confirmed]
    ring = {"symbol": "circle-open", "size": 14, "color": STRONG, "line": {"width": 2}}
    step = {"shape": "hv", "color": STRONG, "width": 1}
    states = dict.fromkeys(point.entry.trial.state for point in points)
    return [
        _trace(data, line, "Pareto line", legend, mode="lines", line=step, hoverinfo="skip"),
        *(
            _trace(
                data,
                [point for point in points if point.entry.trial.state is state],
                state.value,
                legend,
                mode="markers",
                marker={"color": STATE_COLOURS[state], "size": 8},
            )
            for state in State
            if state in states
        ),
        _trace(data, rings, "confirmed", legend, mode="markers", marker=ring, hoverinfo="skip"),
    ]


def _trace(
    data: SweepData, points: Sequence[Tradeoff], name: str, legend: bool, **style: Any
) -> go.Scatter:
    return go.Scatter(
        x=[point.cost for point in points],
        y=[scaled(point.value, data.metric) for point in points],
        name=name,
        legendgroup=name,
        showlegend=legend and bool(points),
        text=[f"trial {point.entry.trial.number}" for point in points],
        **style,
    )
