"""The look of all interactive figures, in light and dark, and how a page holds them."""

from __future__ import annotations

import base64
import gzip
from functools import cache
from html import escape
from typing import Any

import plotly.graph_objects as go
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from pdf_search.records import State

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
    State.PAUSED: "#56b4e9",
    State.INTERRUPTED: "#e69f00",
    State.PRUNED: "#7f8b99",
    State.DIVERGED: "#d55e00",
    State.FAILED: "#000000",
    State.NOT_STARTED: "#dddddd",
}
INK, PAPER, RULE = "#1d2733", "#ffffff", "#e4e8ed"
STRONG, FAINT = "#333333", "#b8bfc7"  # lines over the data, and lines behind it
SCALE = [[0.0, "#f1f5f9"], [0.5, "#7fb2dc"], [1.0, "#0b559f"]]  # of heat maps, from low to high
FONT_SIZE = 13
BELOW, LEGEND = 80, 50  # pixels below the axes, and from there to the legend
# A dark page exchanges these in the text of a figure, so a figure may use no other colours.
DARK = {
    INK: "#e3e9ef",
    PAPER: "#12171d",
    RULE: "#2b343e",
    STRONG: "#cfd6de",
    FAINT: "#5a6672",
    "#0072b2": "#4aa8e0",
    "#d55e00": "#ff9147",
    "#009e73": "#35c99d",
    "#cc79a7": "#eaa3ca",
    "#56b4e9": "#a5dcfb",
    "#000000": "#ffffff",
    "#dddddd": "#525c67",
    "#c9ced6": "#4d5864",
    "#f1f5f9": "#1d2630",
    "#7fb2dc": "#2f6ea6",
    "#0b559f": "#a9d8ff",
}


def styled(figure: go.Figure, height: int, panels: int = 1, least_width: int = 0) -> go.Figure:
    """Give ``figure`` the common style and a height in pixels; returns it.

    ``panels`` side by side are put below each other on a narrow screen. A figure that needs
    ``least_width`` pixels is scrolled there instead.
    """
    title = {"standoff": 8, "font": {"size": FONT_SIZE}}
    axis = {"gridcolor": RULE, "zerolinecolor": RULE, "linecolor": FAINT, "automargin": True}
    figure.update_xaxes(title=title, **axis)
    figure.update_yaxes(title=title, **axis)
    figure.update_annotations(font_size=FONT_SIZE)
    top = 48 if figure.layout.annotations else 28
    return figure.update_layout(
        template="none",
        height=height,
        meta={"panels": panels, "least_width": least_width},
        paper_bgcolor=PAPER,
        plot_bgcolor=PAPER,
        margin={"l": 60, "r": 20, "t": top, "b": BELOW},
        font={"family": "system-ui, sans-serif", "size": FONT_SIZE, "color": INK},
        hoverlabel={"bgcolor": PAPER, "bordercolor": FAINT, "font": {"color": INK}},
        legend={"orientation": "h", "y": -LEGEND / (height - top - BELOW), "yanchor": "top"},
    )


def plain(text: str, most: int | None = None) -> str:
    """A text for a figure, where plotly would read ``<b>`` as bold; cut after ``most`` letters."""
    if most is not None and len(text) > most:
        text = f"{text[: most - 1]}…"
    return escape(text, quote=False)


def colour_bar(title: str) -> dict[str, Any]:
    """The bar beside a heat map that says what its colours mean."""
    return {"title": {"text": title, "font": {"size": FONT_SIZE}}, "outlinewidth": 0}


def figure_section(name: str, title: str, text: str, figure: go.Figure | None) -> dict[str, Any]:
    """A figure as a section of a page; without a figure the text alone.

    ``json`` is the figure for the page's script. No ``<`` is in it, so that no text can end the
    element that holds it.
    """
    drawn = "" if figure is None else figure.to_json().replace("<", "\\u003c")
    wide = figure is not None and bool(figure.layout.meta["least_width"])
    return {"name": name, "title": title, "text": text, "json": Markup(drawn), "wide": wide}


@cache
def packed_plotly() -> Markup:
    """Plotly's script, gzip in base 64: a third of its size. The page's script unpacks it."""
    return Markup(base64.b64encode(gzip.compress(get_plotlyjs().encode(), mtime=0)).decode())
