"""The points that are tried before any sampling: those that the space lists, then the grid's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pdf_search.space import Space, origin_of_listed
from pdf_search.sweep.samplers.methods import Method


@dataclass(frozen=True)
class Point:
    """A point of the space with given values.

    ``key`` never changes: a resumed sweep tells by it which points were tried.
    """

    key: str
    origin: str  # "published", "published, changed", "listed" or "grid"
    values: Mapping[str, Any]


def fixed_points(space: Space, method: Method) -> Iterator[Point]:
    """The listed points in order; for the method "grid", all points of the space after them."""
    for index, values in enumerate(space.points_to_evaluate):
        origin = origin_of_listed(space.config(values))
        yield Point(f"published {index}", origin, values)
    if method.sampler == "grid":
        for index, values in enumerate(space.grid()):
            yield Point(f"grid {index}", "grid", values)
