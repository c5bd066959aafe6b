"""An explanation as one self-contained interactive HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
import numpy as np
import plotly.graph_objects as go
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from pdf_search.inference.explanation.basis_map import importance_figure
from pdf_search.inference.explanation.explain import ChannelDetail, Explanation
from pdf_search.inference.explanation.plain_data import depth_table, weight_table
from pdf_search.inference.explanation.plots import BLUE, RED, strongest
from pdf_search.inference.explanation.text import headline, sections_of

_MOST_ROWS = 5_000  # basis rows drawn of the response: the most common ones


def explanation_page(found: Explanation) -> str:
    """Render the page, which opens from disk without a network."""
    figures = {
        "matrices": matrices(found),
        "spectrum": spectrum(found),
        "eigenspaces": eigenspaces(found),
        "depth": depth(found),
        "response": response(found),
        "weights": weights(found),
    }
    if found.importance is not None:
        figures["importance"] = _styled(importance_figure(found.importance), 420)
    sections = [
        {"head": head, "text": text, "figure": Markup(_html(figures[name], name))}
        for name, (head, text) in sections_of(found).items()
    ]
    return _template().render(
        title=f"What {found.trained.facts.info.title}'s model learned",
        headline=headline(found),
        sections=sections,
        plotlyjs=Markup(get_plotlyjs()),
    )


def _template() -> jinja2.Template:
    """The page's template: jinja escapes text, and an unknown name is an error."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    ).get_template("explain.html.j2")


def matrices(found: Explanation) -> go.Figure:
    """One heat map per channel, with and without the constant part, picked from a menu."""
    shown = [("normalised adjacency", found.adjacency)]
    for detail in found.chosen:
        shown.append((f"channel {detail.channel}, without constant part", detail.structure))
        if detail.constant:
            shown.append((f"channel {detail.channel}, all of f(G)", detail.full))
    figure = go.Figure()
    for name, matrix in shown:
        figure.add_heatmap(
            z=matrix,
            name=name,
            colorscale="RdBu" if matrix.min() < 0 else "Blues",
            zmid=0 if matrix.min() < 0 else None,
            visible=name == shown[min(1, len(shown) - 1)][0],
            hovertemplate="to node %{y}, from node %{x}: %{z:.4g}<extra></extra>",
        )
    figure.update_yaxes(autorange="reversed", scaleanchor="x", title_text="to node v")
    figure.update_xaxes(title_text="from node u", constrain="domain")
    _styled(figure, 560)
    return _menu(figure, [name for name, _ in shown], active=min(1, len(shown) - 1))


def spectrum(found: Explanation) -> go.Figure:
    """Eigenvalues of f(G) against the angles of their eigenvectors, one colour per channel."""
    figure = go.Figure()
    for detail in found.chosen:
        figure.add_scatter(
            x=detail.spaces.values,
            y=detail.turn.angles,
            mode="markers",
            name=f"channel {detail.channel}",
            customdata=_spaces(detail),
            hovertemplate="eigenvalue %{x:.5g} (%{customdata[0]} equal), %{y:.3g}° to the "
            "eigenspace of %{customdata[1]:.5g}<extra></extra>",
        )
    figure.update_xaxes(title_text="eigenvalue of f(G) without its constant part")
    figure.update_yaxes(title_text="angle to the nearest eigenspace (degrees)", range=[-3, 93])
    return _styled(figure, 420)


def _spaces(detail: ChannelDetail) -> np.ndarray:
    return np.stack([detail.spaces.sizes[detail.spaces.group], detail.turn.nearest], 1)


def eigenspaces(found: Explanation) -> go.Figure:
    """Shares of the eigenspaces of one chosen channel, picked from a menu."""
    figure = go.Figure()
    names = [f"channel {detail.channel}" for detail in found.chosen]
    for name, detail in zip(names, found.chosen, strict=True):
        figure.add_heatmap(
            z=detail.turn.shares,
            name=name,
            colorscale="Blues",
            zmin=0,
            zmax=1,
            visible=name == names[0],
            hovertemplate="%{z:.3f} of eigenspace %{x} lies in eigenspace %{y}<extra></extra>",
        )
    figure.update_yaxes(title_text="eigenspaces of the normalised adjacency")
    figure.update_xaxes(title_text="eigenspaces of f(G), ascending eigenvalue")
    return _menu(_styled(figure, 480), names, active=0)


def depth(found: Explanation) -> go.Figure:
    """Smoothness with its band over channels, and similarity, through depth."""
    table = depth_table(found)
    x = table["depth"].tolist()
    band = [*table["smoothness_high"], *table["smoothness_low"][::-1]]
    figure = go.Figure()
    figure.add_scatter(
        x=x + x[::-1],
        y=band,
        fill="toself",
        fillcolor=BLUE,
        opacity=0.15,
        line={"width": 0},
        hoverinfo="skip",
        name="10 to 90 % of the channels",
    )
    figure.add_scatter(
        x=x, y=table["smoothness_median"], name="smoothness, median", line_color=BLUE
    )
    figure.add_scatter(x=x, y=table["similarity"], name="mean |cos| of channels", line_color=RED)
    figure.update_xaxes(title_text="layers passed", dtick=1)
    figure.update_yaxes(rangemode="tozero")
    return _styled(figure, 400)


def response(found: Explanation) -> go.Figure:
    """Filter outputs at the distinct basis rows, against a basis that a menu picks."""
    over = found.response
    common = np.argsort(-over.pairs, kind="stable")[:_MOST_ROWS]
    rows = over.rows[common]
    first = strongest(found)
    figure = go.Figure()
    for detail in found.chosen:
        figure.add_scattergl(
            x=rows[:, first],
            y=over.outputs[common, detail.channel],
            mode="markers",
            marker={"size": 5, "opacity": 0.6},
            name=f"channel {detail.channel}",
            customdata=over.pairs[common],
            hovertemplate="%{x:.4g}: %{y:.4g}, %{customdata} pairs<extra></extra>",
        )
    buttons = [
        {"label": f"basis {name}", "method": "restyle", "args": [{"x": [rows[:, number].tolist()]}]}
        for number, name in enumerate(found.basis_names)
    ]
    figure.update_layout(updatemenus=[{"buttons": buttons, "active": first, "x": 0, "y": 1.15}])
    figure.update_xaxes(title_text="value of the basis")
    figure.update_yaxes(title_text="f(basis row), before any softmax")
    return _styled(figure, 460)


def weights(found: Explanation) -> go.Figure:
    """Bars of the share of f that each basis explains alone; hovering shows its greedy place."""
    table = weight_table(found)[::-1]
    place = table["pick"].astype("string").fillna("–").tolist()
    figure = go.Figure()
    figure.add_bar(
        x=table["alone"],
        y=table["basis"],
        orientation="h",
        marker_color=[RED if text != "–" else BLUE for text in place],
        customdata=np.stack([place, table["effect"].map("{:.4g}".format)], 1),
        hovertemplate="%{y}: %{x:.3f} alone, pick %{customdata[0]}, effect %{customdata[1]}"
        "<extra></extra>",
    )
    figure.update_xaxes(title_text="share of f explained alone (red: picked)", range=[0, 1])
    figure.update_yaxes(type="category", automargin=True)
    return _styled(figure, 160 + 18 * len(table))


def _menu(figure: go.Figure, names: list[str], active: int) -> go.Figure:
    buttons = [
        {
            "label": name,
            "method": "update",
            "args": [{"visible": [other == name for other in names]}],
        }
        for name in names
    ]
    return figure.update_layout(
        updatemenus=[{"buttons": buttons, "active": active, "x": 0, "y": 1.12}]
    )


def _styled(figure: go.Figure, height: int) -> go.Figure:
    return figure.update_layout(
        template="plotly_white", height=height, margin={"l": 60, "r": 20, "t": 60, "b": 50}
    )


def _html(figure: go.Figure, name: str) -> str:
    options: dict[str, Any] = {"displaylogo": False, "responsive": True}
    html: str = figure.to_html(
        full_html=False, include_plotlyjs=False, div_id=f"figure-{name}", config=options
    )
    return html
