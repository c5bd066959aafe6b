"""What a data set can tell of the bases of a grid: bundles, the order of picking, profiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pdf_search.wording import counted
from reports.grid.grid import Grid, Line
from reports.grid.grid_texts import grid_markdown

Analysis = Mapping[str, Any]
"""What ``pdf_search.graphs.BasisAnalysis.as_dict`` gives, and of which pairs it is: ``support`` and
``standardise`` as in a configuration, ``training_graphs``."""


def pairs_text(analysis: Analysis) -> str:
    """On which node pairs the bases were compared."""
    support = analysis["support"]
    pairs = "all pairs" if support == "dense" else counted(int(support["hops"]), "hop")
    return (
        f"{analysis['pairs']:,} node pairs of {analysis['graphs']:,} of "
        f"{counted(analysis['training_graphs'], 'training graph')} ({pairs}"
        f"{', standardised' if analysis['standardise'] else ''})"
    )


def bases_text(analysis: Analysis) -> str:
    """Effective rank, bundles and compact bases in one sentence."""
    count = len(analysis["grid"])
    return (
        f"{counted(count, 'basis', 'bases')} of (eps, k): {analysis['effective_rank']} directions "
        f"hold {analysis['held']:.1%} of their variance, "
        f"{counted(len(analysis['bundles']), 'bundle')} can be told apart (correlation up to "
        f"{analysis['alike']:g}), compact keeps {analysis['kept']}"
    )


def bases_markdown(analysis: Analysis, name: str) -> str:
    """The sentences and tables of an analysis in Markdown."""
    head = f"{bases_text(analysis)}.\n\nCompared on {pairs_text(analysis)}.\n"
    return "\n".join([head, *map(grid_markdown, bases_grids(analysis, name))])


def bases_grids(analysis: Analysis, name: str) -> list[Grid]:
    """The tables of an analysis; ``name`` begins their keys."""
    return [
        _bundles(analysis, name),
        _picks(analysis, name),
        _along(analysis, name, "k"),
        _along(analysis, name, "eps"),
    ]


def _bundles(analysis: Analysis, name: str) -> Grid:
    """The number of each basis's bundle, eps across and k down."""
    bundle = {tuple(p): str(i) for i, ps in enumerate(analysis["bundles"], 1) for p in ps}
    eps, powers = _axes(analysis)
    return Grid(
        key=f"{name}/bundles",
        title="Bundles of bases",
        corner="k",
        columns=tuple(f"eps {e:g}" for e in eps),
        lines=tuple(Line(str(k), tuple(bundle.get((e, k), "") for e in eps)) for k in powers),
        notes=(
            f"Any two bases of a bundle correlate above {analysis['alike']:g} over the node pairs, "
            "once the constant and the identity, which every trial has, are taken out.",
        ),
    )


def _picks(analysis: Analysis, name: str) -> Grid:
    kept = analysis["kept"]
    picks = [(f"({eps:g}, {k})", left) for (eps, k), left in _picked(analysis)]
    return Grid(
        key=f"{name}/compact",
        title="Bases that compact keeps",
        corner="pick",
        columns=("(eps, k)", "variance left"),
        lines=tuple(
            Line(str(i), (point, f"{left:.3%}")) for i, (point, left) in enumerate(picks[:kept], 1)
        ),
        notes=(
            "Each is the basis that a linear fit on those before explains least; no target is "
            "looked at.",
        ),
    )


def _along(analysis: Analysis, name: str, corner: str) -> Grid:
    """The correlation along eps at each k (corner k), or along k at each eps."""
    across = {"k": "eps", "eps": "k"}[corner]
    lines = analysis[f"along_{across}"]
    return Grid(
        key=f"{name}/along-{across}",
        title=f"Correlation along {across}",
        corner=corner,
        columns=("least of neighbours", "highest of neighbours", "both ends"),
        lines=tuple(Line(f"{line[corner]:g}", _range(line)) for line in lines),
    )


def _range(line: Mapping[str, Any]) -> tuple[str, ...]:
    steps: Sequence[float] = line["neighbours"]
    if not steps:
        return ("", "", "")
    return f"{min(steps):.4f}", f"{max(steps):.4f}", f"{line['ends']:.4f}"


def _picked(analysis: Analysis) -> list[tuple[tuple[float, int], float]]:
    points = [(float(eps), int(k)) for eps, k in analysis["picks"]]
    return list(zip(points, analysis["left"], strict=True))


def _axes(analysis: Analysis) -> tuple[list[float], list[int]]:
    points = [(float(eps), int(k)) for eps, k in analysis["grid"]]
    return sorted({e for e, _ in points}, reverse=True), sorted({k for _, k in points})
