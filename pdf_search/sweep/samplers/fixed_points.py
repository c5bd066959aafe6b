"""The points that are tried before any sampling: listed ones, the portfolio's, then the grid's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pdf_search.config import InputShape
from pdf_search.errors import ConfigError
from pdf_search.space import Space, origin_of_listed, portfolio_points
from pdf_search.sweep.samplers.closest import Build
from pdf_search.sweep.samplers.methods import Method

PORTFOLIO, GRID = "portfolio", "grid"
PORTFOLIO_SHARE = 3  # at most a third of the trials are the portfolio's


@dataclass(frozen=True)
class Point:
    """A point of the space with given values.

    ``key`` never changes: a resumed sweep tells by it which points were tried.
    """

    key: str
    origin: str  # "published", "published, changed", "listed", "portfolio" or "grid"
    values: Mapping[str, Any]


def fixed_points(
    space: Space, method: Method, portfolio: Sequence[Mapping[str, Any]] = ()
) -> Iterator[Point]:
    """The listed points, then the portfolio's; for a grid, all points of the space after them.

    ``portfolio`` is what ``chosen_portfolio`` chose when the sweep began. A population has one
    architecture, so for the method "pbt" there is the first point alone.
    """
    known = _known_points(space, portfolio)
    yield from islice(known, 1 if method.stopping == "pbt" else None)
    if method.sampler == "grid":
        for index, values in enumerate(space.grid()):
            yield Point(f"grid {index}", GRID, values)


def _known_points(space: Space, portfolio: Sequence[Mapping[str, Any]]) -> Iterator[Point]:
    for index, values in enumerate(space.points_to_evaluate):
        origin = origin_of_listed(space.config(values))
        yield Point(f"published {index}", origin, values)
    for index, values in enumerate(portfolio):
        yield Point(f"portfolio {index}", PORTFOLIO, values)


def chosen_portfolio(
    space: Space, shape: InputShape, build: Build, trials: int
) -> list[Mapping[str, Any]]:
    """The first points of the portfolio that can be trained, at most a third of the ``trials``.

    Those outside the limits are passed over, and those whose configuration is listed.
    """
    known = {build(values).content_hash() for values in space.points_to_evaluate}
    chosen: list[Mapping[str, Any]] = []
    for values in portfolio_points(space):
        try:
            config = build(values)
        except ConfigError:
            continue
        if config.content_hash() not in known and not space.violations(config, shape):
            known.add(config.content_hash())
            chosen.append(values)
    return chosen[: trials // PORTFOLIO_SHARE]
