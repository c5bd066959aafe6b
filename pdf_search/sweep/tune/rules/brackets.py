"""The brackets of Hyperband (Li et al. 2018, arXiv:1603.06560), run asynchronously.

A bracket is successive halving with a first rung of its own: early in the first bracket, later in
each after it, never in the last. The asynchronous form is that of Li et al. 2020, section 3.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from math import ceil, isfinite

from pdf_search.sweep.tune.rules.rungs import Rungs
from pdf_search.wording import counted


def bracket_rungs(rungs: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The epochs of each bracket's rungs: all of ``rungs``, those from the second on, ..., none."""
    return tuple(rungs[first:] for first in range(len(rungs) + 1))


@cache
def bracket_order(count: int, factor: int) -> tuple[int, ...]:
    """The bracket of each trial of a cycle, after which the order repeats; ``count`` brackets.

    A bracket with s rungs has ceil(count / (s + 1) * factor^s) trials of a cycle, as in Li et al.
    2018, algorithm 1. They are spread, so that the first trials have these shares as well.
    """
    sizes = [ceil(count / (s + 1) * factor**s) for s in reversed(range(count))]
    total, given = sum(sizes), [0] * count
    order = []
    for place in range(1, total + 1):
        lacking = [size * place / total - have for size, have in zip(sizes, given, strict=True)]
        bracket = lacking.index(max(lacking))
        given[bracket] += 1
        order.append(bracket)
    return tuple(order)


class Brackets:
    """The decisions of ``Rungs``, each trial compared with those of its own bracket.

    ``order`` is the bracket of each trial, repeated; it depends on the trial's number alone, so a
    resume finds it again. Asynchronous successive halving is one bracket.
    """

    def __init__(self, brackets: list[Rungs], order: tuple[int, ...] = (0,)) -> None:
        self.brackets = brackets
        self.order = order

    @classmethod
    def make(cls, rule: str, mode: str, rungs: tuple[int, ...], factor: int, keep: int) -> Brackets:
        """The brackets of the rule "asha" or "hyperband"; the best 1/``factor`` go on."""
        if rule == "hyperband":
            return cls.hyperband(mode, rungs, factor, keep)
        return cls([Rungs(mode, rungs, factor, keep)])

    @classmethod
    def hyperband(cls, mode: str, rungs: tuple[int, ...], factor: int, keep: int = 1) -> Brackets:
        """The brackets of Hyperband; ``keep`` trials at least reach the end, of all together."""
        each = ceil(keep / (len(rungs) + 1))
        brackets = [Rungs(mode, own, factor, each) for own in bracket_rungs(rungs)]
        return cls(brackets, bracket_order(len(rungs) + 1, factor))

    def goes_on(self, number: int, epoch: int, value: float) -> bool:
        """Note a trial's epoch; whether it trains on at once and does not wait at a rung.

        With a value that is not finite it goes on, to end by itself as DIVERGED.
        """
        self.see(number, epoch, value)
        rungs = self.of(number)
        if epoch not in rungs.epochs or not isfinite(value):
            return True
        if number in rungs.went_on[epoch]:
            return True  # trained again, from a checkpoint before this rung
        if not rungs.goes_on(number):
            return False
        rungs.promote(number)
        return True

    def see(self, number: int, epoch: int, value: float | None) -> None:
        """See ``Rungs.see``."""
        self.of(number).see(number, epoch, value)

    def of(self, number: int) -> Rungs:
        """The rungs of a trial's bracket."""
        return self.brackets[self.order[number % len(self.order)]]

    def promotable(self, waits: Callable[[int], bool], ended: bool) -> int | None:
        """The next trial that should go on, in the first bracket that has one; None for none."""
        found = (rungs.promotable(waits, ended) for rungs in self.brackets)
        return next((number for number in found if number is not None), None)

    def left_behind(self, trials: int) -> Iterator[tuple[int, int, int]]:
        """See ``Rungs.left_behind``; ``trials`` are those of all brackets."""
        cycles, rest = divmod(trials, len(self.order))
        for place, rungs in enumerate(self.brackets):
            size = cycles * self.order.count(place) + self.order[:rest].count(place)
            yield from rungs.left_behind(size)


def bracket_words(rungs: tuple[int, ...], factor: int, trials: int) -> str:
    """The brackets and how many of ``trials`` each gets, in words for the plan."""
    sizes = _counted(range(trials), len(rungs) + 1, factor)
    parts = [
        f"{counted(size, 'trial')} {_named(own)}"
        for own, size in zip(bracket_rungs(rungs), sizes, strict=True)
    ]
    return f"brackets, in each the best 1/{factor} go on: {'; '.join(parts)}"


def brackets_reached(rungs: tuple[int, ...], factor: int, ended: Iterable[int], trials: int) -> str:
    """How far each bracket is, in words for a resume; ``ended`` are numbers of trials."""
    done = _counted(ended, len(rungs) + 1, factor)
    sizes = _counted(range(trials), len(rungs) + 1, factor)
    parts = [
        f"{have} of {counted(size, 'trial')} {_named(own)}"
        for own, have, size in zip(bracket_rungs(rungs), done, sizes, strict=True)
    ]
    return f"hyperband goes on in its brackets; ended: {'; '.join(parts)}"


def _counted(numbers: Iterable[int], count: int, factor: int) -> list[int]:
    """How many of the trials are in each bracket."""
    order = bracket_order(count, factor)
    found = Counter(order[number % len(order)] for number in numbers)
    return [found[bracket] for bracket in range(count)]


def _named(rungs: tuple[int, ...]) -> str:
    return f"after epoch {', '.join(map(str, rungs))}" if rungs else "never stopped"
