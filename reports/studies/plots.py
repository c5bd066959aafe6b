"""Study figures as PNG and PDF for papers (matplotlib, no window, no global state)."""

from __future__ import annotations

import io
from itertools import chain
from math import nan

from matplotlib import style
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from reports.curves import Curve
from reports.figures import COLOURS
from reports.studies.curves import Axis, CurveFigure, Panel

WIDTH, HEIGHT = 3.4, 2.3  # inches of a panel
KINDS = {"png": {"Software": None}, "pdf": {"CreationDate": None}}  # equal inputs, equal files


def images(figure: CurveFigure) -> dict[str, bytes]:
    """File name to content: NAME.png (200 dpi) and NAME.pdf."""
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
    columns = max(map(len, figure.rows))
    size = (max(WIDTH * columns, 2 * WIDTH), HEIGHT * len(figure.rows) + 0.9)
    drawn = Figure(figsize=size, layout="constrained")
    axes = drawn.subplots(len(figure.rows), columns, squeeze=False)
    for panels, line in zip(figure.rows, axes, strict=True):
        visible = Axis.of(panels)
        for place, axis in enumerate(line):
            if place >= len(panels):
                axis.set_axis_off()
                continue
            _draw(axis, panels[place])
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


def _draw(axis: Axes, panel: Panel) -> None:
    for curve in panel.thin:
        axis.plot(curve.epochs, _floats(curve), color="0.8", linewidth=0.4, zorder=0.5)
    for curve, colour in zip(panel.curves, chain.from_iterable([COLOURS] * 9), strict=False):
        marker = "o" if len(curve.epochs) < 4 else None
        axis.plot(
            curve.epochs,
            _floats(curve),
            color=colour,
            linewidth=1.3,
            label=curve.label,
            marker=marker,
            markersize=3,
        )
        axis.fill_between(curve.epochs, *_band(curve), color=colour, alpha=0.18, linewidth=0)
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


def _floats(curve: Curve) -> list[float]:
    return [nan if value is None else value for value in curve.mean]


def _band(curve: Curve) -> tuple[list[float], list[float]]:
    pairs = [
        (nan, nan) if mean is None or std is None else (mean - std, mean + std)
        for mean, std in zip(curve.mean, curve.std, strict=True)
    ]
    return [low for low, _ in pairs], [high for _, high in pairs]
