"""The bases of f(G): the grid of (eps, k), the diagonals, and the node pairs that they cover."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from pdf_search.config.frozen import Frozen
from pdf_search.records import MOST_COUNT

MAX_POWER = 16


def _check_eps(eps: float) -> float:
    if not -0.5 <= eps <= 0:
        raise ValueError(
            f"eps = {eps:g} is outside [-0.5, 0]: below -0.5 a node's own weight shrinks "
            "with its degree faster than its neighbourhood grows, above 0 powers of the "
            "matrix grow without bound"
        )
    return eps


def _check_power(k: int) -> int:
    if not 1 <= k <= MAX_POWER:
        raise ValueError(f"k = {k} is outside 1..{MAX_POWER}")
    return k


def _check_exponent(e: float) -> float:
    if not -1 <= e <= 1:
        raise ValueError(f"e = {e:g} is outside [-1, 1]")
    if e == 0:
        raise ValueError("e = 0 gives the identity, which is a basis anyway; leave it out")
    return e


Eps = Annotated[float, AfterValidator(_check_eps)]
Power = Annotated[int, AfterValidator(_check_power)]
Exponent = Annotated[float, AfterValidator(_check_exponent)]


class EpsRange(Frozen):
    """``low, low + step, ..., high``. The two ends may come in either order."""

    low: Eps
    high: Eps
    step: Annotated[float, Field(ge=1e-4)] = 0.05

    def values(self) -> tuple[float, ...]:
        """The values in ascending order, rounded to 10 decimals."""
        low, high = sorted((self.low, self.high))
        count = int((high - low) / self.step + 1e-9) + 1
        return tuple(round(low + i * self.step, 10) for i in range(count))


class PowerRange(Frozen):
    """``low..high``, both included. The two ends may come in either order."""

    low: Power = 1
    high: Power

    def values(self) -> tuple[int, ...]:
        """The whole numbers in ascending order."""
        low, high = sorted((self.low, self.high))
        return tuple(range(low, high + 1))


class Hops(Frozen):
    """Support: pairs joined by a walk of at most ``hops`` steps."""

    hops: Annotated[int, Field(ge=1, le=MOST_COUNT)]


class BasisConfig(Frozen):
    """A grid of (eps, k), written in one of three ways, and the node pairs that the bases cover.

    ``eps`` with ``k``: every eps with every k. ``powers``: a range of k for each eps.
    ``pairs``: the (eps, k) one by one. The identity always comes first and is not listed.
    ``diagonals``: exponents e of further bases diag(D~^e), which come after those of the grid, as
    in the authors' code. ``support``: all node pairs, or those within a number of hops.
    ``standardise``: each basis to mean 0 and deviation 1 over the pairs of each graph.
    ``select``: ``compact`` keeps the bases of the grid that say most about the others on the
    training graphs. It is resolved into ``pairs`` before a trial starts, so that a trial's is full.
    """

    eps: EpsRange | tuple[float, ...] | None = None
    k: PowerRange | tuple[int, ...] | int | None = None
    powers: dict[float, PowerRange | tuple[int, ...] | int] | None = None
    pairs: tuple[tuple[float, int], ...] | None = None
    diagonals: tuple[Exponent, ...] = ()
    support: Literal["dense"] | Hops = "dense"
    standardise: bool = False
    select: Literal["full", "compact"] = "full"

    @model_validator(mode="after")
    def _check(self) -> Self:
        given = (self.pairs is not None) + (self.powers is not None) + (self.eps is not None)
        if given != 1 or (self.eps is None) != (self.k is None):
            raise ValueError("give exactly one of: eps together with k, powers, pairs")
        if not self.grid:
            raise ValueError("the grid of (eps, k) is empty")
        for eps, k in self.grid:
            _check_eps(eps)
            _check_power(k)
        return self

    @field_validator("diagonals")
    @classmethod
    def _in_order(cls, exponents: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(sorted(set(exponents), reverse=True))

    @property
    def grid(self) -> tuple[tuple[float, int], ...]:
        """The distinct (eps, k), by eps descending from 0, then k ascending; no identity."""
        if self.pairs is not None:
            points = set(self.pairs)
        elif self.powers is not None:
            points = {(e, k) for e, ks in self.powers.items() for k in _powers(ks)}
        else:
            assert self.eps is not None
            assert self.k is not None
            eps = self.eps.values() if isinstance(self.eps, EpsRange) else self.eps
            points = {(e, k) for e in eps for k in _powers(self.k)}
        return tuple(sorted(((e + 0.0, k) for e, k in points), key=lambda p: (-p[0], p[1])))

    def covers(self, other: BasisConfig) -> bool:
        """Whether these bases contain every basis of ``other``, on the same node pairs."""
        same = (self.hops, self.standardise) == (other.hops, other.standardise)
        grid, diagonals = set(self.grid), set(self.diagonals)
        return same and grid.issuperset(other.grid) and diagonals.issuperset(other.diagonals)

    @property
    def hops(self) -> int | None:
        """The hop limit of the support; None for all pairs."""
        return None if self.support == "dense" else self.support.hops

    @property
    def size(self) -> int:
        """The length m of a basis row, identity included."""
        return 1 + len(self.grid) + len(self.diagonals)

    @property
    def names(self) -> tuple[str, ...]:
        """A readable name for each place of a basis row, such as ``(-0.2, 3)``."""
        powers = (f"({eps:g}, {k})" for eps, k in self.grid)
        return ("I", *powers, *(f"diag({e:g})" for e in self.diagonals))


def _powers(k: PowerRange | tuple[int, ...] | int) -> tuple[int, ...]:
    if isinstance(k, PowerRange):
        return k.values()
    return (k,) if isinstance(k, int) else k
