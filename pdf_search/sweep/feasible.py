"""Whether a space has a point within its limits, looked for before anything starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from pdf_search.config import InputShape, TrialConfig
from pdf_search.errors import ConfigError
from pdf_search.space import Space
from pdf_search.sweep.methods import Method
from pdf_search.sweep.trials import random_points

DRAWS = 200
GRID_POINTS = 10_000  # looked at in order, when the grid is what is searched


def check_limits(
    space: Space,
    method: Method,
    shape: InputShape,
    build: Callable[[Mapping[str, Any]], TrialConfig],
) -> None:
    """Raises:
    ConfigError: no listed and no drawn point can be trained; names the limit most often broken.
    """
    reasons: Counter[str] = Counter()
    latest: dict[str, str] = {}
    tried = 0
    for values in _points(space, method):
        broken = _broken(space, shape, build, values)
        if not broken:
            return
        tried += 1
        reasons.update(list(broken))
        latest |= broken
    common, count = reasons.most_common(1)[0]
    limits = f" ({'; '.join(limit.text for limit in space.limits)})" if space.limits else ""
    raise ConfigError(
        f"space {space.name}: none of {tried} points is within the limits{limits}; {count} break "
        f"{latest[common]}. Widen the space or its limits"
    )


def _broken(
    space: Space,
    shape: InputShape,
    build: Callable[[Mapping[str, Any]], TrialConfig],
    values: Mapping[str, Any],
) -> dict[str, str]:
    """What is wrong with a point: the limit or setting, and the message with its numbers."""
    try:
        config = build(values)
    except ConfigError as error:
        return {str(error): str(error)}
    return {text.partition(":")[0]: text for text in space.violations(config, shape)}


def _points(space: Space, method: Method) -> Iterator[Mapping[str, Any]]:
    yield from space.published
    if method.sampler == "grid":
        yield from islice(space.grid(), GRID_POINTS)
    yield from random_points(space, DRAWS)
