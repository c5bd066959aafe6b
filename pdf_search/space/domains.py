"""Domains: the sets of values that a search may choose from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from typing import Any, NamedTuple

from pdf_search.errors import SpaceError

Label = str | int | float | bool
"""What samplers and databases can store."""


@dataclass(frozen=True)
class Choice:
    """One of several options. ``values``: their labels, which samplers and databases store.

    A simple value is its own label; a list, a mapping or a named option stands behind a text.
    """

    values: tuple[Label, ...]

    def canonical(self, value: Any) -> Label:
        """The option's own label.

        Raises:
            ValueError: no option has that label.
        """
        for label in self.values:
            if label == value and isinstance(label, bool) == isinstance(value, bool):
                return label
        known = ", ".join(str(label) for label in self.values)
        raise ValueError(f"{value!r} is not one of {known}")


@dataclass(frozen=True)
class IntRange:
    """``low, low + step, ..., high``, both ends included."""

    low: int
    high: int
    step: int = 1
    log: bool = False

    @property
    def values(self) -> Sequence[int]:
        return range(self.low, self.high + 1, self.step)

    def canonical(self, value: Any) -> int:
        """Raises:
        ValueError: not a whole number of the range.
        """
        if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
            raise ValueError(f"{value!r} is not a whole number")
        if not self.low <= value <= self.high:
            raise ValueError(f"{value} is outside {self.low}..{self.high}")
        if (int(value) - self.low) % self.step:
            raise ValueError(f"{value} is not {self.low} plus a multiple of {self.step}")
        return int(value)


@dataclass(frozen=True)
class FloatRange:
    """Reals from ``low`` to ``high``, both included; with ``step``, multiples of it from low."""

    low: float
    high: float
    step: float | None = None
    log: bool = False

    @property
    def values(self) -> tuple[float, ...] | None:
        """All values; None if there are infinitely many."""
        if self.step is None:
            return (self.low,) if self.low == self.high else None
        count = floor((self.high - self.low) / self.step + 1e-6) + 1
        return tuple(self._at(i) for i in range(count))

    def _at(self, index: int) -> float:
        return round(self.low + index * (self.step or 0.0), 10) + 0.0

    def canonical(self, value: Any) -> float:
        """The value itself, or the value of the stepped range that it stands for.

        Raises:
            ValueError: outside the range or off its steps.
        """
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{value!r} is not a number")
        slack = 1e-9 * max(abs(self.low), abs(self.high))
        if not self.low - slack <= value <= self.high + slack:
            raise ValueError(f"{value:g} is outside {self.low:g}..{self.high:g}")
        if self.step is None:
            return float(min(max(value, self.low), self.high))
        index = round((value - self.low) / self.step)
        if abs(self._at(index) - value) > 1e-6 * self.step:
            raise ValueError(f"{value:g} is not {self.low:g} plus a multiple of {self.step:g}")
        return self._at(index)


Domain = Choice | IntRange | FloatRange


class Condition(NamedTuple):
    """A parameter is open only while the choice at ``path`` has one of these labels."""

    path: str
    values: tuple[Label, ...]


@dataclass(frozen=True)
class Parameter:
    """A domain at its dotted path. Below an option, the path has the option's label in it."""

    path: str
    domain: Domain
    condition: Condition | None = None

    def canonical(self, value: Any) -> Label:
        """Raises:
        SpaceError: the value is outside the domain.
        """
        try:
            return self.domain.canonical(value)
        except ValueError as error:
            raise SpaceError(f"{self.path}: {error}") from None
