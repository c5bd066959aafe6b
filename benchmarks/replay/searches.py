"""A search replayed on recorded curves: which trials it starts, how far they get, what it costs.

Trials and time are counted in epochs. Each worker trains one trial at a time.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, inf
from typing import Protocol

from pdf_search.sweep.samplers.methods import REDUCTION
from pdf_search.sweep.tune.rules.brackets import Brackets
from replay.curve_file import Values
from replay.recipes import EPOCHS

WORKERS = 2
FACTOR = 3  # of Ray's rule, as it was used here

Seen = dict[int, tuple[int, int]]  # number -> recipe, epochs trained
Propose = Callable[[Seen], int | None]  # the recipe of the next trial, None at the end


class Rule(Protocol):
    """Early stopping: at which epochs it looks at a trial, and what becomes of it there."""

    epochs: tuple[int, ...]

    def goes_on(self, number: int, epoch: int, value: float) -> bool:
        """Whether a trial that reaches one of the epochs trains on at once."""

    def again(self, waiting: set[int], ended: bool) -> int | None:
        """The trial that goes on although it was told to wait; None for none."""


@dataclass
class Full:
    """No early stopping."""

    epochs: tuple[int, ...] = ()

    def goes_on(self, number: int, epoch: int, value: float) -> bool:  # noqa: ARG002
        return True

    def again(self, waiting: set[int], ended: bool) -> int | None:  # noqa: ARG002
        return None


@dataclass
class Stopping:
    """ASHA as Ray has it: a trial outside the best 1/factor of those before it ends there."""

    epochs: tuple[int, ...]
    keep: int = 3
    seen: dict[int, list[float]] = field(default_factory=dict)

    def goes_on(self, number: int, epoch: int, value: float) -> bool:  # noqa: ARG002
        rung = self.seen.setdefault(epoch, [])
        limit = cutoff(rung)
        better = sum(other > value for other in rung)
        rung.append(value)
        return value >= limit or better < self.keep

    def again(self, waiting: set[int], ended: bool) -> int | None:  # noqa: ARG002
        return None


class Promoting:
    """ASHA as pdf_search has it; the decisions are those of its own code."""

    def __init__(self, epochs: tuple[int, ...], keep: int = 3) -> None:
        self.epochs = epochs
        self.brackets = Brackets.make("asha", "max", epochs, REDUCTION, keep)

    def goes_on(self, number: int, epoch: int, value: float) -> bool:
        return self.brackets.goes_on(number, epoch, value)

    def again(self, waiting: set[int], ended: bool) -> int | None:
        number = self.brackets.promotable(waiting.__contains__, ended)
        if number is not None:
            self.brackets.of(number).promote(number)
        return number


def cutoff(rewards: list[float]) -> float:
    """The reward that the best 1/factor of a rung reach, interpolated linearly."""
    ordered = sorted(rewards)
    if not ordered:
        return -inf
    place = (1 - 1 / FACTOR) * (len(ordered) - 1)
    low, high = ordered[floor(place)], ordered[ceil(place)]
    return low + (place - floor(place)) * (high - low)


@dataclass(frozen=True)
class Step:
    """What is known after a trial got to an epoch; ``spent``: the epochs of all trials so far."""

    spent: int
    number: int
    recipe: int
    epoch: int


class Replay:
    """One search. ``judged`` [recipes, epochs] is the reward that the rule compares."""

    def __init__(self, judged: Values, propose: Propose, rule: Rule) -> None:
        self.judged = judged
        self.propose = propose
        self.rule = rule
        self.trials: Seen = {}
        self.waiting: set[int] = set()
        self.running: list[tuple[int, int, int]] = []  # time of the next stop, start, number
        self.done = 0  # epochs of segments that have ended
        self.ended = False

    def steps(self) -> Iterator[Step]:
        """The steps of the search, in order."""
        for _ in range(WORKERS):
            self._assign(0)
        while self.running:
            time, start, number = heapq.heappop(self.running)
            recipe, before = self.trials[number]
            epoch = before + time - start
            self.trials[number] = recipe, epoch
            self.done += time - start
            spent = self.done + sum(time - begun for _, begun, _ in self.running)
            yield Step(spent, number, recipe, epoch)
            self._after(time, number, recipe, epoch)

    def _after(self, time: int, number: int, recipe: int, epoch: int) -> None:
        if epoch < EPOCHS:
            if self.rule.goes_on(number, epoch, self.judged[recipe, epoch - 1]):
                self._train(time, number)
                return
            self.waiting.add(number)
        for _ in range(WORKERS - len(self.running)):
            self._assign(time)

    def _assign(self, time: int) -> None:
        """Give a free worker the trial that goes on, or a new one, or what is to be kept."""
        number = self._again(ended=False)
        if number is None and not self.ended:
            recipe = self.propose(self.trials)
            self.ended = recipe is None
            if recipe is not None:
                number = len(self.trials)
                self.trials[number] = recipe, 0
        if number is None:
            number = self._again(ended=True)
        if number is not None:
            self._train(time, number)

    def _again(self, ended: bool) -> int | None:
        number = self.rule.again(self.waiting, ended)
        if number is not None:
            self.waiting.discard(number)
        return number

    def _train(self, time: int, number: int) -> None:
        epoch = self.trials[number][1]
        target = next((rung for rung in self.rule.epochs if rung > epoch), EPOCHS)
        heapq.heappush(self.running, (time + target - epoch, time, number))


def in_order(recipes: Sequence[int]) -> Propose:
    """Propose these recipes, one after the other."""
    queue = iter(recipes)
    return lambda _seen: next(queue, None)
