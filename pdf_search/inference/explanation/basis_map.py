"""The importance map that a confirmed run recorded: as a table and as a picture."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from pdf_search.results import ImportanceMap


def importance_table(found: ImportanceMap) -> pd.DataFrame:
    """One row per (eps, k): ``share`` kept, whether in the ``bundle`` of the first pick."""
    return pd.DataFrame(
        {
            "eps": [eps for eps, _ in found.grid],
            "k": [k for _, k in found.grid],
            "share": found.shares,
            "bundle": [place in found.bundle for place in range(len(found.grid))],
        }
    )


def importance_figure(found: ImportanceMap) -> go.Figure:
    """A heat map, eps across and k down; the bundle of the first pick is ringed."""
    table = importance_table(found)
    shares = table.pivot(index="k", columns="eps", values="share")
    ringed = table[table["bundle"]]
    figure = go.Figure()
    figure.add_heatmap(
        x=[f"{eps:g}" for eps in shares.columns],
        y=[str(k) for k in shares.index],
        z=shares.to_numpy(),
        zmin=0,
        zmax=1,
        colorscale="Blues",
        hovertemplate="eps %{x}, k %{y}: %{z:.3f}<extra></extra>",
    )
    figure.add_scatter(
        x=[f"{eps:g}" for eps in ringed["eps"]],
        y=[str(k) for k in ringed["k"]],
        mode="markers",
        marker={"symbol": "circle-open", "size": 16, "color": "#d55e00", "line": {"width": 2}},
        hoverinfo="skip",
    )
    figure.update_xaxes(title_text="eps", type="category")
    figure.update_yaxes(title_text="k", type="category", autorange="reversed")
    return figure
