"""Which (eps, k) the trials of a search had, and how good those trials were: numbers and figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import plotly.graph_objects as go
from pydantic import ValidationError

from pdf_search.config import BasisConfig
from pdf_search.wording import counted
from reports.entry import Entry
from reports.grid.numbers import format_value, scaled
from reports.pages.importance import comparable
from reports.pages.theme import SCALE, colour_bar, styled
from reports.sweep_data import SweepData
from reports.tables.importance_map import axes

Point = tuple[float, int]


@dataclass(frozen=True)
class SearchedBases:
    """For each (eps, k) the values of the trials that have it, and of those that do not.

    ``values`` are validation values in the printed unit; ``basis`` says which. ``lower`` is better
    for an error, and not for an accuracy.
    """

    having: dict[Point, tuple[float, ...]]
    without: dict[Point, tuple[float, ...]]
    trials: int
    basis: str
    lower: bool


def searched_bases(data: SweepData) -> SearchedBases | None:
    """Collect the trials that can be compared; None where fewer than two grids were tried."""
    scored, basis = comparable(data)
    grids = [(grid, value) for entry, value in scored if (grid := _grid(entry))]
    if len({grid for grid, _ in grids}) < 2:
        return None
    points = sorted({point for grid, _ in grids for point in grid})
    return SearchedBases(
        having={p: _values(data, [(g, v) for g, v in grids if p in g]) for p in points},
        without={p: _values(data, [(g, v) for g, v in grids if p not in g]) for p in points},
        trials=len(grids),
        basis=basis,
        lower=data.metric.mode == "min",
    )


def _grid(entry: Entry) -> tuple[Point, ...]:
    try:
        return BasisConfig.model_validate(entry.trial.config.get("basis")).grid
    except ValidationError:  # not recorded, or by a newer version
        return ()


def _values(data: SweepData, grids: Sequence[tuple[object, float]]) -> tuple[float, ...]:
    return tuple(v for _, value in grids if (v := scaled(value, data.metric)) is not None)


def searched_text(found: SearchedBases) -> str:
    """What the figure shows, and what it does not say."""
    eps, powers = axes(found.having)
    blank = " A blank (eps, k) is in no grid." if len(found.having) < len(eps) * len(powers) else ""
    return (
        f"Median {found.basis}, of the trials that have an (eps, k) in their grid; the hover "
        f"text has how many of the {found.trials} do. Bases come many at a time and together with "
        "other settings, so this shows where the search has been, not what one basis does." + blank
    )


def searched_figure(found: SearchedBases, label: str) -> go.Figure:
    """A heat map, eps across and k down, darker where the trials were better."""
    eps, powers = axes(found.having)
    medians = [[_median(found.having.get((e, k))) for e in eps] for k in powers]
    figure = go.Figure()
    figure.add_heatmap(
        x=[f"{e:g}" for e in eps],
        y=[str(k) for k in powers],
        z=medians,
        customdata=[[_told(found, (e, k)) for e in eps] for k in powers],
        colorscale=SCALE,
        reversescale=found.lower,
        colorbar=colour_bar(f"median<br>{label}"),
        xgap=2,
        ygap=2,
        hovertemplate="eps %{x}, k %{y}: %{customdata}<extra></extra>",
    )
    figure.update_xaxes(title_text="eps", type="category", showgrid=False)
    figure.update_yaxes(title_text="k", type="category", showgrid=False, autorange="reversed")
    return styled(figure, height=180 + 40 * len(powers))


def _median(values: Sequence[float] | None) -> float | None:
    return median(values) if values else None


def _told(found: SearchedBases, point: Point) -> str:
    values, others = found.having.get(point, ()), found.without.get(point, ())
    if not values:
        return "in no grid"
    told = f"median {format_value(median(values), None)} of {counted(len(values), 'trial')} with it"
    if not others:
        return told + ", which are all"
    return told + f", {format_value(median(others), None)} of the other {len(others)}"
