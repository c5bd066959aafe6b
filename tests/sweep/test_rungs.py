from __future__ import annotations

import random
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdf_search.sweep.tune.rules.rungs import Rungs, rung_epochs, share_saved


def at_first(rungs: Rungs, *values: float | None) -> Rungs:
    """Trials 0, 1, ... reach the rung of epoch 3 with these values."""
    for number, value in enumerate(values):
        rungs.see(number, 3, value)
    return rungs


def everyone(_number: int) -> bool:
    return True


def promoted(rungs: Rungs, ended: bool = False) -> list[int]:
    """The trials that go on one after the other."""
    found = []
    while (number := rungs.promotable(everyone, ended)) is not None:
        rungs.promote(number)
        found.append(number)
    return found


def test_rungs_count_from_the_end_of_warm_up_and_lie_below_the_budget() -> None:
    assert rung_epochs(0, 40) == (7, 14, 24)
    assert rung_epochs(3, 40) == (9, 16, 25)
    assert rung_epochs(0, 301) == (50, 105, 181)
    assert rung_epochs(0, 12) == (3, 7)  # the second would come one epoch after the first
    assert rung_epochs(10, 12) == ()
    assert rung_epochs(0, 3) == ()


def test_what_stopping_can_save() -> None:
    # 16 x 6 epochs, 5 x 12, 3 x 22 of 16 x 40.
    assert share_saved((6, 18), 40, 16, 3, 3) == pytest.approx(1 - (96 + 60 + 66) / 640)
    assert share_saved((6, 18), 40, 3, 3, 3) == 0
    assert share_saved((), 40, 16, 3, 3) == 0


@pytest.mark.parametrize(("mode", "values"), [("min", (3, 1, 2, 9)), ("max", (1, 3, 2, 0))])
def test_the_best_third_goes_on_and_the_rest_waits(mode: str, values: tuple[float, ...]) -> None:
    rungs = Rungs(mode, (3, 9), 3)
    for number, value in enumerate(values[:2]):
        rungs.see(number, 3, value)
        assert not rungs.goes_on(number)  # two are too few to have a best third
    rungs.see(2, 3, values[2])
    assert not rungs.goes_on(2)
    assert promoted(rungs) == [1]
    rungs.see(3, 3, values[3])
    assert promoted(rungs) == []


def test_a_trial_goes_on_when_worse_ones_have_come() -> None:
    rungs = at_first(Rungs("min", (3, 9), 3), 1.0, 2.0, 3.0)
    assert promoted(rungs) == [0]
    for number, value in enumerate((4.0, 5.0, 6.0), start=3):
        rungs.see(number, 3, value)
    assert promoted(rungs) == [1]


def test_trials_are_compared_by_their_best_so_far() -> None:
    rungs = Rungs("min", (3,), 3)
    for epoch, value in ((1, 0.5), (2, 9.0), (3, 8.0)):
        rungs.see(0, epoch, value)
    rungs.see(1, 3, 0.6)
    rungs.see(2, 3, 0.7)
    assert promoted(rungs) == [0]


def test_higher_rungs_come_first() -> None:
    rungs = at_first(Rungs("min", (3, 9), 3), *(float(n) for n in range(9)))
    assert promoted(rungs) == [0, 1, 2]
    for number, value in ((0, 0.5), (1, 0.4), (2, 0.3)):
        rungs.see(number, 9, value)
    for number in range(9, 12):
        rungs.see(number, 3, 99.0)
    assert promoted(rungs) == [0, 3]  # 0 by its value in epoch 3


def test_only_trials_that_wait_are_taken() -> None:
    rungs = at_first(Rungs("min", (3, 9), 3), *(float(n) for n in range(6)))
    assert rungs.promotable(lambda number: number != 0, ended=False) == 1
    assert rungs.promotable(lambda number: number > 1, ended=False) is None


def test_the_best_few_go_on_once_no_new_trials_come() -> None:
    rungs = at_first(Rungs("min", (3, 9), 3, keep=2), 3.0, 1.0, 2.0)
    assert promoted(rungs) == [1]
    assert promoted(rungs, ended=True) == [2]


@pytest.mark.parametrize("value", [nan, inf, -inf, None])
def test_a_value_that_is_not_finite_is_worst(value: float | None) -> None:
    rungs = at_first(Rungs("min", (3,), 3), value, 5.0, 4.0)
    assert promoted(rungs) == [2]
    assert promoted(at_first(Rungs("max", (3,), 3), value, 5.0, 4.0)) == [1]


def test_a_trial_enters_a_rung_once_and_only_at_its_epoch() -> None:
    rungs = Rungs("min", (3, 9), 3)
    for epoch in (1, 2, 4, 8, 10):
        rungs.see(0, epoch, 1.0)
    assert rungs.last == {}
    rungs.see(0, 3, 2.0)
    rungs.see(0, 3, 0.1)  # trained again after a lost checkpoint
    assert rungs.reached[3] == [(1.0, 0)]


@given(st.permutations(range(12)), st.integers(1, 4))
def test_who_is_left_behind_can_never_go_on(order: list[int], keep: int) -> None:
    """Whatever order twelve trials come in, and however the rest of them do."""
    rungs = Rungs("min", (3,), 3, keep)
    behind: set[int] = set()
    for number, value in enumerate(order):
        rungs.see(number, 3, float(value))
        behind |= {left for left, _, _ in rungs.left_behind(12)}
    assert not behind & set(promoted(rungs, ended=True))
    most = max(4, keep)
    assert behind == {number for number, value in enumerate(order) if value >= most}


def test_who_is_left_behind_knows_its_rank() -> None:
    rungs = at_first(Rungs("min", (3,), 3), *(float(n) for n in range(5)))
    assert list(rungs.left_behind(6)) == [(2, 3, 2), (3, 4, 2), (4, 5, 2)]


class Plain:
    """The decisions by a look at every trial; ``waiting``: the epochs at which trials wait."""

    def __init__(self, rungs: Rungs) -> None:
        self.rungs = rungs
        self.waiting: dict[int, int] = {}

    def promotable(self, ended: bool) -> int | None:
        for epoch in reversed(self.rungs.epochs):
            count = len(self.rungs.reached[epoch]) // self.rungs.factor
            count = max(count, self.rungs.keep) if ended else count
            for _, number in self.rungs.reached[epoch][:count]:
                if self.waiting.get(number) == epoch:
                    return number
        return None

    def left_behind(self, trials: int) -> list[tuple[int, int, int]]:
        found, most = [], trials
        for epoch in self.rungs.epochs:
            most = max(most // self.rungs.factor, self.rungs.keep)
            for rank, (_, number) in enumerate(self.rungs.reached[epoch], start=1):
                if rank > most and self.waiting.get(number) == epoch:
                    found.append((number, rank, most))
        return found


@pytest.mark.parametrize("seed", range(20))
def test_decisions_are_those_of_a_look_at_every_trial(seed: int) -> None:
    dice, total, pruned = random.Random(seed), 24, 0
    rungs = Rungs("min", (2, 4, 6), 2, keep=dice.choice([1, 3]))
    plain, new = Plain(rungs), iter(range(total))
    while True:
        behind = [row for row in rungs.left_behind(total) if row[0] in plain.waiting]
        assert behind == plain.left_behind(total)
        for number, _, _ in behind:
            del plain.waiting[number]
            rungs.decided(number)
        pruned += len(behind)
        ended = total - 1 in rungs.best
        going = rungs.promotable(plain.waiting.__contains__, ended)
        assert going == plain.promotable(ended)
        epoch = 2 if going is None else plain.waiting.pop(going) + 2
        if going is not None:
            rungs.promote(going)
        elif (going := next(new, None)) is None:
            break
        for step in (epoch - 1, epoch):
            rungs.see(going, step, dice.choice([dice.random(), 0.5, nan]))
        if epoch in rungs.epochs:
            plain.waiting[going] = epoch
    assert len(rungs.reached[2]) == total
    assert pruned
