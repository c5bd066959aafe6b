"""The rungs of asynchronous successive halving (Li et al. 2020, arXiv:1810.05934, algorithm 2).

A trial that reaches the epoch of a rung waits there. It goes on if it is among the best 1/factor of
the trials that have reached the rung, at once or when others have come. Trials are compared by
their best value so far.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence
from math import inf, isfinite

SHARES = (1 / 6, 7 / 20, 3 / 5)  # of the epochs after warm-up: the rungs
LEAST = 3  # epochs after warm-up, and from a rung to the next; one or two say nothing
LEAST_SAVED = 0.1  # of all epochs; for less, no trial is stopped


def rung_epochs(warmup: int, epochs: int) -> tuple[int, ...]:
    """The epochs of the rungs, counted from the end of the longest ``warmup``; () for none.

    Chosen on recorded curves (``benchmarks/search.py``).
    """
    rungs = [warmup]
    for share in SHARES:
        epoch = warmup + max(LEAST, round(share * (epochs - warmup)))
        if rungs[-1] + LEAST <= epoch < epochs:
            rungs.append(epoch)
    return tuple(rungs[1:])


def share_saved(rungs: Sequence[int], epochs: int, trials: int, factor: int, keep: int) -> float:
    """The share of the epochs of ``trials`` that stopping can save at most."""
    spent, going, before = 0, trials, 0
    for epoch in rungs:
        spent += going * (epoch - before)
        going, before = min(going, max(going // factor, keep)), epoch
    return 1 - (spent + going * (epochs - before)) / (trials * epochs)


class Rungs:
    """The trials at each rung, by trial number, and which of them went on.

    ``keep`` is how many trials at least go on from each rung once no new trials come. Values are
    maximised; ``mode`` "min" flips the sign.
    """

    def __init__(self, mode: str, epochs: Sequence[int], factor: int, keep: int = 1) -> None:
        self.epochs = tuple(epochs)
        self.factor = factor
        self.keep = keep
        self.sign = 1.0 if mode == "max" else -1.0
        self.best: dict[int, float] = {}
        # The trials that reached each rung, best first; equal ones by number.
        self.reached: dict[int, list[tuple[float, int]]] = {epoch: [] for epoch in self.epochs}
        # Those of them that are not decided, so that no decision looks at all of a long search.
        self.open: dict[int, list[tuple[float, int]]] = {epoch: [] for epoch in self.epochs}
        self.went_on: dict[int, set[int]] = {epoch: set() for epoch in self.epochs}
        self.last: dict[int, int] = {}  # the rung that each trial reached last
        self.place: dict[int, tuple[float, int]] = {}  # what it is sorted by there

    def see(self, number: int, epoch: int, value: float | None) -> None:
        """Note the value of a trial's epoch; a value that is not finite is never the best."""
        reward = self.sign * value if value is not None and isfinite(value) else -inf
        self.best[number] = max(self.best.get(number, -inf), reward)
        if epoch in self.reached and self.last.get(number, 0) < epoch:
            self.decided(number)  # at the rung before
            self.place[number] = place = (-self.best[number], number)
            insort(self.reached[epoch], place)
            insort(self.open[epoch], place)
            self.last[number] = epoch

    def goes_on(self, number: int) -> bool:
        """Whether a trial is among the best 1/factor of the rung that it reached last."""
        return self.rank(number) <= self._count(self.last[number], ended=False)

    def promote(self, number: int) -> None:
        """Note that a trial goes on from the rung that it reached last."""
        if number in self.last:
            self.went_on[self.last[number]].add(number)
            self.decided(number)

    def decided(self, number: int) -> None:
        """Note that a trial went on from the rung that it reached last, or ended there."""
        if number in self.last:
            waiting, place = self.open[self.last[number]], self.place[number]
            at = bisect_left(waiting, place)
            if waiting[at : at + 1] == [place]:
                del waiting[at]

    def promotable(self, waits: Callable[[int], bool], ended: bool) -> int | None:
        """The trial that should go on next, from the highest rung; None for none.

        ``waits`` says whether a trial waits. ``ended``: no new trials come, so the ``keep`` best
        of each rung go on in any case.
        """
        for epoch in reversed(self.epochs):
            count = self._count(epoch, ended)
            for _, number in self.open[epoch]:
                if self.rank(number) > count:
                    break
                if waits(number):
                    return number
        return None

    def left_behind(self, trials: int) -> Iterator[tuple[int, int, int]]:
        """The undecided trials that can go on no more, with rank there and how many go on.

        ``trials`` is how many reach the first rung at most. Other trials can only worsen a rank.
        """
        most = trials
        for epoch in self.epochs:
            most = max(most // self.factor, self.keep)
            for border in self.reached[epoch][most : most + 1]:
                waiting = self.open[epoch]
                for _, number in waiting[bisect_left(waiting, border) :]:
                    yield number, self.rank(number), most

    def rank(self, number: int) -> int:
        """The place of a trial, from 1, at the rung that it reached last."""
        return 1 + bisect_left(self.reached[self.last[number]], self.place[number])

    def _count(self, epoch: int, ended: bool) -> int:
        """How many of those that reached a rung go on."""
        rung = self.reached[epoch]
        count = len(rung) // self.factor
        if ended:
            count = max(count, self.keep)
        return count
