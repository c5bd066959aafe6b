"""The importance map of (eps, k) as a picture."""

from __future__ import annotations

import plotly.graph_objects as go

from pdf_search.results import ImportanceMap
from reports.pages.theme import COLOURS, SCALE, colour_bar, styled
from reports.tables.importance_map import axes


def map_figure(found: ImportanceMap) -> go.Figure:
    """A heat map, eps across and k down; rings mark the bundle of the first pick."""
    eps, powers = axes(found.grid)
    figure = go.Figure()
    figure.add_heatmap(
        x=[f"{e:g}" for e in eps],
        y=[str(k) for k in powers],
        z=[[found.share((e, k)) for e in eps] for k in powers],
        zmin=0,
        zmax=1,
        colorscale=SCALE,
        colorbar=colour_bar("share kept"),
        xgap=2,
        ygap=2,
        hovertemplate="eps %{x}, k %{y}: %{z:.2f}<extra></extra>",
    )
    bundle = [found.grid[place] for place in found.bundle]
    figure.add_scatter(
        x=[f"{e:g}" for e, _ in bundle],
        y=[str(k) for _, k in bundle],
        mode="markers",
        marker={"symbol": "circle-open", "size": 16, "color": COLOURS[1], "line": {"width": 2}},
        name="first pick, and what cannot be told from it",
        hoverinfo="skip",
    )
    figure.update_xaxes(title_text="eps", type="category", showgrid=False)
    figure.update_yaxes(title_text="k", type="category", showgrid=False, autorange="reversed")
    return styled(figure, height=180 + 40 * len(powers))
