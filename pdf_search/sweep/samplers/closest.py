"""Of a limit that no drawn point meets: the point of the space that comes closest to it."""

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

MOST_POINTS = 4_000  # combinations that are all looked at
MOST_VALUES = 40  # of one domain, beside its two ends, that a step of the search looks at
STARTS = 12  # points from which the search goes down
ROUNDS = 20
COUNTED = {"parameters": ("model", "basis"), "basis.size": ("basis",)}
WORDS = {"<=": "smallest", "<": "smallest", ">=": "largest", ">": "largest"}


@dataclass(frozen=True)
class Closest:
    """``setting``: the values that decide the limit. ``exact``: no other point comes closer."""

    limit: Limit
    excess: float
    values: Mapping[str, Any]
    setting: Point
    exact: bool

    def __str__(self) -> str:
        """``the smallest parameters that the space reaches is 1,234, at model.hidden = 16``."""
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
    """Looks for the closest point: at all combinations of a small space, else step by step."""

    def __init__(self, space: Space, limit: Limit, shape: InputShape, build: Build) -> None:
        self.space = space
        self.limit = limit
        self.shape = shape
        self.build = build
        parts = [part for name in limit.names for part in _parts(name)]
        self.deciding = [p for p in space.parameters() if p.path.partition(".")[0] in parts]

    def closest(self, starts: Sequence[Mapping[str, Any]]) -> Closest:
        """``starts``: points of the space, the likelier ones first."""
        combinations = list(islice(self._combinations(dict(starts[0])), MOST_POINTS + 1))
        exact = len(combinations) <= MOST_POINTS and not self._sampled()
        if exact:
            point = min(combinations, key=self._excess)
        else:
            best = sorted(map(dict, starts), key=self._excess)[:STARTS]
            point = min((self._descend(start) for start in best), key=self._excess)
        return self._found(point, exact)

    def _sampled(self) -> bool:
        """Whether not all values of a domain are looked at on which the limit may depend."""
        return any(len(_candidates(p)) < _length(p) for p in self.deciding if self._counts(p))

    def _counts(self, parameter: Parameter) -> bool:
        key = parameter.path.rpartition(".")[2]
        if parameter.domain.values is None:  # the numbers counted hang on whole settings only
            return any(key == name.rpartition(".")[2] for name in self.limit.names)
        return True

    def _combinations(self, point: Point) -> Iterator[Point]:
        """Every point that differs from ``point`` in deciding values only."""
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
        """Changes one deciding value after the other for the best, until none helps."""
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
        """The point with these values; what a choice opens anew gets its first value."""

        def choose(parameter: Parameter) -> Any:
            return wanted.get(parameter.path, _candidates(parameter)[0])

        return self.space.sample(choose)

    def _matters(self, parameter: Parameter, point: Point, values: Mapping[str, Any]) -> bool:
        """Whether another value of it would change what the limit compares."""
        path = parameter.path
        if path not in point:
            return False
        others = (self._point({**point, path: value}) for value in _candidates(parameter))
        return any(self._excess(p) == inf or self._values(p) != values for p in others)

    def _excess(self, point: Mapping[str, Any]) -> float:
        try:
            return self.limit.excess(self._values(point))
        except ConfigError:  # settings that do not go together
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
    """All values of a short domain, else the two ends and some between: counts lie at ends."""
    domain = parameter.domain
    if isinstance(domain, FloatRange) and domain.step is None:
        return (domain.low, domain.high)
    values = domain.values
    assert values is not None
    if len(values) <= MOST_VALUES:
        return values
    stride = -(-len(values) // MOST_VALUES)
    return (values[0], values[-1], *values[stride : len(values) - 1 : stride])
