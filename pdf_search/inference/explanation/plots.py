"""An explanation as plots for papers, in PNG and PDF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pdf_search.imports import known_backend
from pdf_search.inference.explanation.explain import Explanation
from pdf_search.inference.explanation.plain_data import depth_table, weight_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE: dict[Any, Any] = {
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "pdf.fonttype": 42,
}
BLUE, RED, GREY = "#0072b2", "#d55e00", "#7f8b99"  # Okabe and Ito: colour blind safe
MOST_BARS = 24


def write_plots(found: Explanation, folder: Path) -> list[Path]:
    """Write one file per plot and format into ``folder``; returns the files."""
    with known_backend():
        from matplotlib import style  # noqa: PLC0415

    figures = {
        "matrices": matrices,
        "spectrum": spectrum,
        "eigenspaces": eigenspaces,
        "depth": depth,
        "response": response,
        "weights": weights,
    }
    files = []
    with style.context(["default", STYLE]):  # not the user's, which may ask for LaTeX
        for name, draw in figures.items():
            figure = draw(found)
            figure.draw_without_rendering()
            figure.set_layout_engine("none")  # laid out once, not again for each format
            for suffix in ("png", "pdf"):
                files.append(folder / f"{name}.{suffix}")
                figure.savefig(files[-1], dpi=200)
    return files


def matrices(found: Explanation) -> Figure:
    """The normalised adjacency, and f(G) without its constant part in each chosen channel."""
    shown = [(r"$\tilde{D}^{-1/2}\tilde{A}\,\tilde{D}^{-1/2}$", found.adjacency)]
    for detail in found.chosen:
        apart = f"\nconstant part {detail.constant:.3g}" if detail.constant else ""
        shown.append((f"channel {detail.channel}{apart}", detail.structure))
    figure, axes = _panels(len(shown), width=1.7, height=2.1)
    for axis, (title, matrix) in zip(axes, shown, strict=True):
        limit = float(np.abs(matrix).max()) or 1.0
        if matrix.min() < 0:
            picture = axis.imshow(matrix, cmap="RdBu", vmin=-limit, vmax=limit)
        else:
            picture = axis.imshow(matrix, cmap="Blues", vmax=limit)
        axis.set_title(title, fontsize=7)
        axis.set_axis_off()
        figure.colorbar(picture, ax=axis, orientation="horizontal", shrink=0.9)
    return figure


def spectrum(found: Explanation) -> Figure:
    """Angle of each eigenvector of f(G) to the nearest eigenspace of the normalised adjacency."""
    figure, axes = _panels(len(found.chosen), width=1.9, height=2.0)
    for axis, detail in zip(axes, found.chosen, strict=True):
        axis.plot(detail.spaces.values, detail.turn.angles, "o", ms=3, color=BLUE, alpha=0.7)
        axis.set_ylim(-3, 93)
        axis.set_title(f"channel {detail.channel}", fontsize=8)
        axis.set_xlabel("eigenvalue of f(G)")
    axes[0].set_ylabel("angle to the nearest\neigenspace (degrees)")
    return figure


def eigenspaces(found: Explanation) -> Figure:
    """Share of each eigenspace of f(G) in each eigenspace of the normalised adjacency."""
    figure, axes = _panels(len(found.chosen), width=1.9, height=2.2)
    for axis, detail in zip(axes, found.chosen, strict=True):
        picture = axis.imshow(detail.turn.shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        axis.set_title(f"channel {detail.channel}", fontsize=8)
        axis.set_xlabel("eigenspaces of f(G)")
    axes[0].set_ylabel("eigenspaces of the\nnormalised adjacency")
    figure.colorbar(picture, ax=axes, shrink=0.9)
    return figure


def depth(found: Explanation) -> Figure:
    """Smoothness and similarity of the channels through depth."""
    table = depth_table(found)
    figure, (left, right) = _panels(2, width=2.8, height=2.2)
    left.plot(table["depth"], table["smoothness_median"], "o-", ms=3, color=BLUE)
    band = (table["smoothness_low"], table["smoothness_high"])
    left.fill_between(table["depth"], *band, color=BLUE, alpha=0.15, lw=0)
    left.set_ylabel("xᵀLx / xᵀx of a channel\n(median, 10 to 90 %)")
    left.set_ylim(bottom=0)
    right.plot(table["depth"], table["similarity"], "o-", ms=3, color=RED)
    right.set_ylabel("mean |cos| between channels")
    right.set_ylim(0, 1)
    for axis in (left, right):
        axis.set_xlabel("layers passed")
        axis.set_xticks(table["depth"])
    return figure


def response(found: Explanation) -> Figure:
    """Filter outputs at the distinct basis rows, against the basis that explains most of f."""
    over = found.response
    basis = strongest(found)
    figure, axes = _panels(len(found.chosen), width=1.9, height=2.0)
    size = 2 + 10 * np.log1p(over.pairs) / np.log1p(over.pairs.max())
    for axis, detail in zip(axes, found.chosen, strict=True):
        y = over.outputs[:, detail.channel]
        axis.scatter(over.rows[:, basis], y, s=size, color=BLUE, alpha=0.4, lw=0, rasterized=True)
        axis.set_title(f"channel {detail.channel}", fontsize=8)
        axis.set_xlabel(f"basis {found.basis_names[basis]}")
    axes[0].set_ylabel("f(basis row)")
    return figure


def weights(found: Explanation) -> Figure:
    """How much of f each basis explains alone, and what a greedy choice explains."""
    table = weight_table(found).nlargest(MOST_BARS, "alone")[::-1]
    figure, (left, right) = _panels(2, width=2.8, height=max(2.0, 0.5 + 0.14 * len(table)))
    left.barh(table["basis"], table["alone"], color=BLUE)
    left.set_xlim(0, 1)
    left.set_xlabel("share of f explained alone")
    names = [found.basis_names[basis] for basis in found.weights.picks]
    right.plot(np.arange(1, len(names) + 1), found.weights.explained, "o-", ms=3, color=RED)
    right.axhline(found.weights.share, color=GREY, lw=0.8, ls="--")
    right.set_xticks(np.arange(1, len(names) + 1), names, rotation=45, ha="right")
    right.set_ylim(0, 1.05)
    right.set_ylabel("share explained by the picks so far\n(dashed: by all bases)")
    return figure


def strongest(found: Explanation) -> int:
    """Number of the basis that explains most of f; of the first (eps, k) if none does."""
    return found.weights.picks[0] if found.weights.picks else min(1, len(found.basis_names) - 1)


def _panels(count: int, width: float, height: float) -> tuple[Figure, list[Any]]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(0.4 + width * count, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, list(figure.subplots(1, count, squeeze=False)[0])
