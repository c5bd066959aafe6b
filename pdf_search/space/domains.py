"""Domains: the sets of values that a search chooses from, and the parameters that have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from typing import Any, NamedTuple

from pdf_search.errors import SpaceError

Label = str | int | float | bool
"""The types of values that samplers and databases can store."""


@dataclass(frozen=True)
class Choice:
    """One of several options. ``values`` are their labels, which samplers and databases store.

    A text, a number or a truth value is its own label. A list, a mapping or null has its JSON text
    as its label, and a named option has its name.
    """

    values: tuple[Label, ...]

    def canonical(self, value: Any) -> Label:
        """Return the label that equals ``value``, with the label's type.

        ``True`` and ``1`` are different labels.

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
    """Whole numbers ``low, low + step, ..., high``, both ends included.

    ``log``: draw uniformly on a logarithmic scale.
    """

    low: int
    high: int
    step: int = 1
    log: bool = False

    @property
    def values(self) -> Sequence[int]:
        """All values, in ascending order."""
        return range(self.low, self.high + 1, self.step)

    def canonical(self, value: Any) -> int:
        """Return ``value`` as an int; a float such as 2.0 is accepted.

        Raises:
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
    """Real numbers from ``low`` to ``high``, both ends included.

    ``step``: only ``low``, ``low + step`` and so on; None for all. ``log``: draw uniformly on a
    logarithmic scale.
    """

    low: float
    high: float
    step: float | None = None
    log: bool = False

    @property
    def values(self) -> tuple[float, ...] | None:
        """All values, in ascending order; None if there are infinitely many."""
        if self.step is None:
            return (self.low,) if self.low == self.high else None
        count = floor((self.high - self.low) / self.step + 1e-6) + 1
        return tuple(self._at(i) for i in range(count))

    def _at(self, index: int) -> float:
        return round(self.low + index * (self.step or 0.0), 10) + 0.0

    def canonical(self, value: Any) -> float:
        """Return ``value`` as a float of the range, without its rounding errors.

        A value that is past an end by rounding is set to that end; in a range with a step, the
        value is set to the exact step.

        Raises:
            ValueError: the value is outside the range or between its steps.
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
    """When a parameter exists: only while the choice at ``path`` has one of these labels."""

    path: str
    values: tuple[Label, ...]


@dataclass(frozen=True)
class Parameter:
    """A domain with its dotted path in the space.

    The path of a parameter inside a named option contains the option's name. ``condition``: when
    the parameter exists; None for always.
    """

    path: str
    domain: Domain
    condition: Condition | None = None

    def canonical(self, value: Any) -> Label:
        """Return the value as the domain stores it.

        Raises:
            SpaceError: the value is outside the domain; the message names the path.
        """
        try:
            return self.domain.canonical(value)
        except ValueError as error:
            raise SpaceError(f"{self.path}: {error}") from None
