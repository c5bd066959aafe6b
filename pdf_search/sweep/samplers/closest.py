"""Finds the point of a space that comes closest to a limit that no drawn point meets.

The message about such a limit names that point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf
from typing import Any

from pdf_search.config import InputShape, TrialConfig
from pdf_search.errors import ConfigError
from pdf_search.space import FloatRange, Limit, Parameter, Space, count_parameters

Build = Callable[[Mapping[str, Any]], TrialConfig]
Point = dict[str, Any]

MOST_POINTS = 4_000  # with more combinations, the search goes step by step
MOST_VALUES = 40  # values of a longer domain that are tried, besides its two ends
STARTS = 12  # points from which the stepwise search starts
ROUNDS = 20  # of the stepwise search, at most
COUNTED = {"parameters": ("model", "basis"), "basis.size": ("basis",)}
WORDS = {"<=": "smallest", "<": "smallest", ">=": "largest", ">": "largest"}


@dataclass(frozen=True)
class Closest:
    """The point that comes closest to a limit, and by how much it misses it (0 if it meets it).

    ``values`` are the numbers that the limit compares. ``setting`` are the parameters that change
    them. ``exact``: every combination was tried, so that no other point comes closer.
    """

    limit: Limit
    excess: float
    values: Mapping[str, Any]
    setting: Point
    exact: bool

    def __str__(self) -> str:
        """The closest point in words, for a message.

        Such as ``the smallest parameters that the space reaches is 1,234, at model.hidden = 16``.
        It says "found" instead of "that the space reaches" if other points may come closer.
        """
        found = "that the space reaches" if self.exact else "found"
        at = ", ".join(f"{path} = {value}" for path, value in self.setting.items())
        at = f", at {at}" if at else ""
        bound = self.limit.bound
        if bound is not None and bound[1] in WORDS:
            value = self.limit.bounded(self.values)
            shown = f"{value:,}" if isinstance(value, int) else f"{value:g}"
            return f"the {WORDS[bound[1]]} {bound[0]} {found} is {shown}{at}"
        numbers = ", ".join(f"{name} = {value}" for name, value in self.values.items())
        return f"the closest {found} is {numbers}{at}"


class Search:
    """The search for the closest point: over all combinations of a small space, else stepwise.

    ``deciding`` are the parameters of those parts of a configuration that the limit depends on.
    """

    def __init__(self, space: Space, limit: Limit, shape: InputShape, build: Build) -> None:
        self.space = space
        self.limit = limit
        self.shape = shape
        self.build = build
        parts = [part for name in limit.names for part in _parts(name)]
        self.deciding = [p for p in space.parameters() if p.path.partition(".")[0] in parts]

    def closest(self, starts: Sequence[Mapping[str, Any]]) -> Closest:
        """Find the closest point; ``starts`` are points of the space, at least one."""
        combinations = list(islice(self._combinations(dict(starts[0])), MOST_POINTS + 1))
        exact = len(combinations) <= MOST_POINTS and not self._sampled()
        if exact:
            point = min(combinations, key=self._excess)
        else:
            best = sorted(map(dict, starts), key=self._excess)[:STARTS]
            point = min((self._descend(start) for start in best), key=self._excess)
        return self._found(point, exact)

    def _sampled(self) -> bool:
        """Whether some values of a parameter are not tried on which the limit may depend."""
        return any(len(_candidates(p)) < _length(p) for p in self.deciding if self._counts(p))

    def _counts(self, parameter: Parameter) -> bool:
        key = parameter.path.rpartition(".")[2]
        if parameter.domain.values is None:  # counts do not depend on continuous settings
            return any(key == name.rpartition(".")[2] for name in self.limit.names)
        return True

    def _combinations(self, point: Point) -> Iterator[Point]:
        """Every point that differs from ``point`` only in deciding parameters."""
        yield from self._vary(point, {}, [])

    def _vary(self, rest: Point, fixed: Point, done: list[str]) -> Iterator[Point]:
        point = self._point({**rest, **fixed})
        following = next((p for p in self.deciding if p.path in point and p.path not in done), None)
        if following is None:
            yield point
            return
        for value in _candidates(following):
            path = following.path
            yield from self._vary(rest, {**fixed, path: value}, [*done, path])

    def _descend(self, point: Point) -> Point:
        """Coordinate descent: set each deciding parameter to its best value until none helps."""
        best = self._excess(point)
        for _ in range(ROUNDS):
            before = best
            for parameter in self.deciding:
                if parameter.path in point:
                    options = (
                        self._point({**point, parameter.path: value})
                        for value in _candidates(parameter)
                    )
                    point = min((point, *options), key=self._excess)
            best = self._excess(point)
            if best >= before or not best:
                break
        return point

    def _point(self, wanted: Mapping[str, Any]) -> Point:
        """The point with these values; a parameter without one gets its first candidate."""

        def choose(parameter: Parameter) -> Any:
            return wanted.get(parameter.path, _candidates(parameter)[0])

        return self.space.sample(choose)

    def _matters(self, parameter: Parameter, point: Point, values: Mapping[str, Any]) -> bool:
        """Whether another value of the parameter would change what the limit compares."""
        path = parameter.path
        if path not in point:
            return False
        others = (self._point({**point, path: value}) for value in _candidates(parameter))
        return any(self._excess(p) == inf or self._values(p) != values for p in others)

    def _excess(self, point: Mapping[str, Any]) -> float:
        try:
            return self.limit.excess(self._values(point))
        except ConfigError:  # the settings cannot be combined
            return inf

    def _values(self, point: Mapping[str, Any]) -> dict[str, Any]:
        config = self.build(point)
        return self.limit.values(config, count_parameters(config, self.shape))

    def _found(self, point: Point, exact: bool) -> Closest:
        excess = self._excess(point)
        values = self._values(point) if excess < inf else {}
        setting = {p.path: point[p.path] for p in self.deciding if self._matters(p, point, values)}
        return Closest(self.limit, excess, values, setting, exact)


def _parts(name: str) -> Iterable[str]:
    return COUNTED.get(name, (name.partition(".")[0],))


def _length(parameter: Parameter) -> int:
    values = parameter.domain.values
    return MOST_POINTS if values is None else len(values)


def _candidates(parameter: Parameter) -> Sequence[Any]:
    """All values of a short domain, else its two ends and some between.

    The ends matter most, because counts are largest and smallest there.
    """
    domain = parameter.domain
    if isinstance(domain, FloatRange) and domain.step is None:
        return (domain.low, domain.high)
    values = domain.values
    assert values is not None
    if len(values) <= MOST_VALUES:
        return values
    stride = -(-len(values) // MOST_VALUES)
    return (values[0], values[-1], *values[stride : len(values) - 1 : stride])
