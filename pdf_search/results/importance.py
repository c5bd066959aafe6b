"""The importance map of (eps, k): what a confirmed trial recorded, over its replicates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from pdf_search.wording import counted

Point = tuple[float, int]
STANDARD_ERRORS = 2.0  # a lead of fewer is no measurable difference
LEAST_GAIN = 0.01  # error, as share of the target's variance, below which bases give nothing


@dataclass(frozen=True)
class ImportanceMap:
    """How much of what the bases give the trained network each single (eps, k) keeps.

    ``shares`` [g]: 1 keeps all, 0 keeps no more than the constant and the identity; the mean over
    replicates. ``bundle``: the bases that cannot be told from the first pick, itself included.
    ``stability``: how many replicates pick one of the bundle first, of ``replicates``. ``lead``:
    how far the first pick is ahead of the best basis outside the bundle, in ``shares``, with its
    standard error, over replicates or, of a single one, over graphs; None where there is no other.
    """

    grid: tuple[Point, ...]
    shares: tuple[float, ...]
    first: int
    bundle: tuple[int, ...]
    stability: int
    replicates: int
    graphs: int
    lead: tuple[float, float] | None
    gain: float  # error that all bases save, as share of the target's variance

    @classmethod
    def of(cls, tree: Mapping[str, Any]) -> ImportanceMap | None:
        """Read what ``training`` recorded; None if no replicate has a value."""
        runs = [r for r in tree["replicates"] if _usable(r)]
        if not runs:
            return None
        grid = tuple((float(eps), int(k)) for eps, k in tree["grid"])
        gain = sum(r["none"] - r["all"] for r in runs) / len(runs)
        scale = gain if gain > LEAST_GAIN else 1.0
        by_run = [[(r["none"] - error) / scale for error in r["errors"]] for r in runs]
        shares = tuple(sum(column) / len(runs) for column in zip(*by_run, strict=True))
        first = _first([-share for share in shares])
        bundle = tuple(tree["alike"][first])
        others = [place for place in range(len(grid)) if place not in bundle]
        return cls(
            grid=grid,
            shares=shares,
            first=first,
            bundle=bundle,
            stability=sum(_first(r["errors"]) in bundle for r in runs),
            replicates=len(runs),
            graphs=int(tree["graphs"]),
            lead=_lead(by_run, runs, first, others, shares, scale) if others else None,
            gain=gain,
        )

    @property
    def measurable(self) -> bool:
        """Whether the first pick's bundle is ahead of all other bases by more than the noise."""
        if self.lead is None or self.gain <= LEAST_GAIN:
            return False
        return self.lead[0] > STANDARD_ERRORS * self.lead[1]

    def share(self, point: Point) -> float | None:
        """The share of one (eps, k); None if it is not in the grid."""
        return self.shares[self.grid.index(point)] if point in self.grid else None

    def profile(self) -> list[tuple[int, float]]:
        """For each k the best share over eps."""
        powers = sorted({k for _, k in self.grid})
        return [
            (k, max(s for (_, p), s in zip(self.grid, self.shares, strict=True) if p == k))
            for k in powers
        ]

    def sentence(self) -> str:
        """What the map says and how sure it is, in plain words."""
        if self.gain <= LEAST_GAIN:
            return "No measurable difference: the network does as well without any (eps, k)."
        named = ", ".join(_name(self.grid[place]) for place in self.bundle)
        over = f"{self.stability} of {counted(self.replicates, 'replicate')}"
        if self.measurable:
            return (
                f"{_name(self.grid[self.first])} alone keeps {self.shares[self.first]:.0%} of what "
                f"the bases give; it cannot be told from {named}. {over} pick one of these first."
                if len(self.bundle) > 1
                else f"{_name(self.grid[self.first])} alone keeps {self.shares[self.first]:.0%} of "
                f"what the bases give. {over} pick it first."
            )
        return (
            f"No measurable difference between {named} and the next best; "
            f"{over} pick one of {'these' if len(self.bundle) > 1 else 'it'} first."
        )


def _usable(replicate: Mapping[str, Any]) -> bool:
    values = [replicate["none"], replicate["all"], *replicate["errors"]]
    return all(value is not None and value == value for value in values)  # noqa: PLR0124 - no nan


def _first(errors: Sequence[float]) -> int:
    """The place of the smallest error."""
    return min(range(len(errors)), key=lambda place: errors[place])


def _lead(
    by_run: list[list[float]],
    runs: list[Any],
    first: int,
    others: list[int],
    shares: tuple[float, ...],
    scale: float,
) -> tuple[float, float] | None:
    if len(runs) == 1:
        margin, spread = runs[0]["margin"], runs[0]["margin_se"]
        return None if margin is None or spread is None else (margin / scale, spread / scale)
    rival = max(others, key=lambda place: shares[place])
    leads = [shares_of[first] - shares_of[rival] for shares_of in by_run]
    mean = sum(leads) / len(leads)
    spread = sqrt(sum((lead - mean) ** 2 for lead in leads) / (len(leads) - 1) / len(leads))
    return mean, spread


def _name(point: Point) -> str:
    return f"({point[0]:g}, {point[1]})"
