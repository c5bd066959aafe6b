"""Checks, before a sweep starts, that a space has a point within its limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from pdf_search.config import InputShape
from pdf_search.errors import ConfigError
from pdf_search.space import Space, count_parameters
from pdf_search.sweep.samplers.closest import Build, Search
from pdf_search.sweep.samplers.methods import Method
from pdf_search.sweep.samplers.trial_builder import random_points

DRAWS = 200  # random points that are tried
GRID_POINTS = 10_000  # points of the grid that are tried first with the method "grid"


def check_limits(space: Space, method: Method, shape: InputShape, build: Build) -> None:
    """Check that one of the listed and drawn points can be trained.

    Raises:
        ConfigError: none can. The message says how close the space comes to its limits.
    """
    points: list[Mapping[str, Any]] = []
    reasons: Counter[str] = Counter()
    for values in _points(space, method):
        broken = _broken(space, shape, build, values)
        if not broken:
            return
        points.append(values)
        reasons.update(broken)
    limits = f" ({'; '.join(limit.text for limit in space.limits)})" if space.limits else ""
    raise ConfigError(
        f"space {space.name}: none of {len(points)} points is within the limits{limits}: "
        f"{_reason(space, shape, build, points, reasons)}"
    )


def _reason(
    space: Space,
    shape: InputShape,
    build: Build,
    points: list[Mapping[str, Any]],
    reasons: Counter[str],
) -> str:
    """Why no point can be trained, and what to do about it."""
    common, count = reasons.most_common(1)[0]
    if common not in [limit.text for limit in space.limits]:
        return f"{count} have settings that do not go together: {common}. Change the space"
    found = [Search(space, limit, shape, build).closest(points) for limit in space.limits]
    unmet = [closest for closest in found if closest.excess]
    if unmet:
        said = "; ".join(f"{closest.limit.text}: {closest}" for closest in unmet)
        return f"{said}. Widen the space or its limits"
    if len(found) == 1:
        return f"few points are: {found[0]}. Widen the space or its limits"
    return (
        f"each limit can be met, all together hardly: {count} points break {common}, and of it "
        f"{found[[limit.text for limit in space.limits].index(common)]}. Widen one of them"
    )


def _broken(
    space: Space,
    shape: InputShape,
    build: Build,
    values: Mapping[str, Any],
) -> list[str]:
    """The limits that a point breaks, or why its settings cannot be combined; [] for a good one."""
    try:
        config = build(values)
    except ConfigError as error:
        return [str(error)]
    count = count_parameters(config, shape)
    return [
        limit.text
        for limit in space.limits
        if limit.violation(limit.values(config, count)) is not None
    ]


def _points(space: Space, method: Method) -> Iterator[Mapping[str, Any]]:
    yield from space.points_to_evaluate
    if method.sampler == "grid":
        yield from islice(space.grid(), GRID_POINTS)
    yield from random_points(space, DRAWS)
