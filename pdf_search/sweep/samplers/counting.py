"""Counts the trials of a sweep, and the different configurations of a finite space."""

from __future__ import annotations

from itertools import islice

from pdf_search.config import InputShape
from pdf_search.errors import ConfigError
from pdf_search.space import Space
from pdf_search.sweep.samplers.closest import Build
from pdf_search.sweep.samplers.methods import Method

ALWAYS_COUNTED = 2_000  # a space with at most this many points is always counted to its end
MOST_COUNTED = 20_000  # points tried while fewer configurations are found than are enough


def count_configurations(space: Space, shape: InputShape, build: Build, enough: int) -> int | None:
    """The number of different configurations within the limits; None if it is not known.

    An infinite space is not counted. In a space of more than ``ALWAYS_COUNTED`` points, counting
    stops once there are ``enough``, or after ``MOST_COUNTED`` points.
    """
    size = space.size()
    if size is None:
        return None
    found: set[str] = set()
    for looked, values in enumerate(islice(space.grid(), MOST_COUNTED + 1)):
        if looked == MOST_COUNTED or (size > ALWAYS_COUNTED and len(found) >= enough):
            return None
        try:
            config = build(values)
        except ConfigError:
            continue
        if not space.violations(config, shape):
            found.add(config.content_hash())
    return len(found)


def count_trials(space: Space, method: Method, wanted: int | None) -> int:
    """The number of trials: as asked for, or for a grid all its points and the listed ones."""
    if method.sampler == "grid":
        points = sum(1 for _ in islice(space.grid(), wanted))
        return wanted if wanted is not None else points + len(space.points_to_evaluate)
    return wanted or space.defaults.trials
