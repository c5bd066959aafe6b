"""Figures of a study as PNG and PDF for papers (matplotlib without a window or global state)."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from itertools import cycle
from math import nan

from matplotlib import style
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from reports.pages.curves import CurveFigure, Panel
from reports.pages.theme import COLOURS

WIDTH, HEIGHT = 3.4, 2.3  # inches of a panel
KINDS = {"png": {"Software": None}, "pdf": {"CreationDate": None}}  # equal data, equal files


def images(figure: CurveFigure) -> dict[str, bytes]:
    """Draw a figure as NAME.png (200 dpi) and NAME.pdf; returns content by file name."""
    files = {}
    with style.context("default"):  # not the user's, which may ask for LaTeX
        drawn = _drawn(figure)
        drawn.draw_without_rendering()
        drawn.set_layout_engine("none")  # laid out once, not again for each format
        for kind, metadata in KINDS.items():
            out = io.BytesIO()
            drawn.savefig(out, format=kind, dpi=200, metadata=metadata)
            files[f"{figure.name}.{kind}"] = out.getvalue()
    return files


def _drawn(figure: CurveFigure) -> Figure:
    size = (max(WIDTH * figure.columns, 2 * WIDTH), HEIGHT * len(figure.rows) + 0.9)
    drawn = Figure(figsize=size, layout="constrained")
    axes = drawn.subplots(len(figure.rows), figure.columns, squeeze=False)
    colours = dict(zip(figure.labels, cycle(COLOURS), strict=False))
    for axis in axes.flat:
        axis.set_axis_off()
    for row, column, panel, visible in figure.places():
        axis = axes[row, column]
        axis.set_axis_on()
        _draw(axis, panel, colours)
        if visible is not None:
            axis.set_yscale("log" if visible.log else "linear")
            axis.set_ylim(visible.low, visible.high)
    legends: dict[str, Artist] = {}
    for axis in axes.flat:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            legends.setdefault(label, handle)
    drawn.suptitle(figure.title, fontsize=10, parse_math=False)
    legend = drawn.legend(
        list(legends.values()),
        list(legends),
        loc="outside lower center",
        ncols=min(len(legends), 3),
        fontsize=8,
        frameon=False,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    return drawn


def _draw(axis: Axes, panel: Panel, colours: Mapping[str, str]) -> None:
    for curve in panel.thin:
        axis.plot(curve.epochs, _floats(curve.mean), color="0.8", linewidth=0.4, zorder=0.5)
    for curve in panel.curves:
        colour = colours[curve.label]
        axis.plot(
            curve.epochs,
            _floats(curve.mean),
            color=colour,
            linewidth=1.3,
            label=curve.label,
            marker="o" if curve.dotted else None,
            markersize=3,
        )
        band = _floats(curve.low), _floats(curve.high)
        axis.fill_between(curve.epochs, *band, color=colour, alpha=0.18, linewidth=0)
    if panel.rule is not None:
        axis.axvline(panel.rule, color="0.3", linewidth=0.8, linestyle="--", label="chosen epoch")
    if panel.chosen:
        x, y = zip(*panel.chosen, strict=True)
        axis.plot(x, y, "o", color=COLOURS[1], markersize=3, label="reported value")
    axis.set_title(panel.title, fontsize=9, parse_math=False)
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    axis.set_xlabel("epoch", fontsize=8)
    axis.set_ylabel(panel.label, fontsize=8)
    axis.tick_params(labelsize=7)
    axis.grid(visible=True, color="0.9", linewidth=0.5)


def _floats(values: Sequence[float | None]) -> list[float]:
    return [nan if value is None else value for value in values]
