"""Counts the different configurations of a finite space within its limits."""

from __future__ import annotations

from itertools import islice

from pdf_search.config import InputShape
from pdf_search.errors import ConfigError
from pdf_search.space import Space
from pdf_search.sweep.samplers.closest import Build

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
