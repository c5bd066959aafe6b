"""What the correlation of bases says: effective rank, bundles, profiles along eps and k."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from pdf_search.graphs.basis_moments import BasisMoments, Grid, Matrix
from pdf_search.graphs.pivots import compact_picks, pivot_order

HELD = 0.999  # share of the variance that the effective rank holds
ALIKE = 0.99  # correlation above which two bases cannot be told apart


@dataclass(frozen=True)
class BasisAnalysis:
    """What the node pairs of some graphs can tell of the bases of a grid.

    ``bundles``: bases that cannot be told apart, all of the grid. ``picks``: the bases in the order
    in which pivoted Cholesky picks them, with the share of the variance ``left`` after each;
    ``kept``: how many ``compact`` keeps. ``along_eps``: for each k the correlation of neighbours in
    eps and of both ends. ``along_k``: for each eps the correlation of neighbours in k.
    """

    graphs: int
    pairs: int
    grid: Grid
    effective_rank: int
    bundles: tuple[Grid, ...]
    picks: Grid
    left: tuple[float, ...]
    kept: int
    along_eps: tuple[dict[str, Any], ...]
    along_k: tuple[dict[str, Any], ...]

    def as_dict(self) -> dict[str, Any]:
        """The analysis as JSON-like data, with ``held`` and ``alike``, its two thresholds."""
        return asdict(self) | {"held": HELD, "alike": ALIKE}


def analyse_bases(moments: BasisMoments) -> BasisAnalysis:
    """Analyse all bases of the grid of ``moments``."""
    covariance, correlation = moments.covariance(), moments.correlation()
    order, left = pivot_order(covariance)
    return BasisAnalysis(
        graphs=moments.graphs,
        pairs=moments.pairs,
        grid=moments.grid,
        effective_rank=effective_rank(correlation),
        bundles=tuple(_points(moments.grid, each) for each in bundles(moments.grid, correlation)),
        picks=_points(moments.grid, order.tolist()),
        left=tuple(float(f"{share:.3g}") for share in left),
        kept=len(compact_picks(covariance)),
        along_eps=_along(moments.grid, correlation, 1),
        along_k=_along(moments.grid, correlation, 0),
    )


def effective_rank(correlation: Matrix) -> int:
    """The least number of directions that hold ``HELD`` of the variance of bases at unit size."""
    values = np.sort(np.linalg.eigvalsh(correlation))[::-1].clip(min=0)
    if not values.any():
        return 0
    return int(np.argmax(np.cumsum(values) >= HELD * values.sum())) + 1


def bundles(grid: Grid, correlation: Matrix, alike: float = ALIKE) -> list[list[int]]:
    """Group bases so that any two of a group correlate above ``alike`` (or below its negative).

    At each k, eps is followed from the first of the grid on, and a group ends where a basis is not
    like all of it. Then groups of different k are joined, those most alike first.
    """
    same = np.abs(correlation)
    found: list[list[int]] = []
    for k in sorted({k for _, k in grid}):
        found.append([])
        for basis in (i for i, point in enumerate(grid) if point[1] == k):
            if found[-1] and same[np.ix_(found[-1], [basis])].min() <= alike:
                found.append([])
            found[-1].append(basis)
    while joined := _closest(found, same, alike):
        one, other = joined
        found[one] = sorted(found[one] + found.pop(other))
    return sorted(found)


def _closest(groups: list[list[int]], same: Matrix, alike: float) -> tuple[int, int] | None:
    """The two groups whose least correlation is the highest, if it is above ``alike``."""
    least = {
        (i, j): same[np.ix_(groups[i], groups[j])].min()
        for i in range(len(groups))
        for j in range(i + 1, len(groups))
    }
    best = max(least, key=lambda pair: (least[pair], -pair[0], -pair[1]), default=None)
    return best if best is not None and least[best] > alike else None


def _along(grid: Grid, correlation: Matrix, fixed: int) -> tuple[dict[str, Any], ...]:
    """The correlation along one coordinate, for each value of the other, ``fixed`` (0: eps)."""
    found: list[dict[str, Any]] = []
    for value in dict.fromkeys(point[fixed] for point in sorted(grid, key=lambda p: (-p[0], p[1]))):
        line = [i for i, point in enumerate(grid) if point[fixed] == value]
        steps = [_rounded(correlation[i, j]) for i, j in pairwise(line)]
        ends = _rounded(correlation[line[0], line[-1]])
        found.append({("eps", "k")[fixed]: value, "neighbours": steps, "ends": ends})
    return tuple(sorted(found, key=lambda each: each["k"])) if fixed else tuple(found)


def _points(grid: Grid, places: list[int]) -> Grid:
    return tuple(grid[place] for place in places)


def _rounded(value: float) -> float:
    return round(float(value), 5)
