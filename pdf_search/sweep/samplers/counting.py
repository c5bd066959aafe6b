"""How many different configurations a finite space has, within its limits."""

from __future__ import annotations

from itertools import islice

from pdf_search.config import InputShape
from pdf_search.errors import ConfigError
from pdf_search.space import Space
from pdf_search.sweep.samplers.closest import Build

ALWAYS_COUNTED = 2_000  # points of a space that is counted to its end
MOST_COUNTED = 20_000  # points that are looked at while fewer configurations were found than asked


def count_configurations(space: Space, shape: InputShape, build: Build, enough: int) -> int | None:
    """Different configurations within the limits; None for a space that is not counted.

    ``enough``: a space with more than 2,000 points is not counted if it has that many.
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
