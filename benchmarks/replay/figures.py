"""What the replays are asked: how good the pick is after so many epochs, what stopping loses.

A recipe has one seed in a replay, drawn anew for each; the worth of a pick is the mean over the
seeds that the replay did not see.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from replay.curve_file import Curves, Values
from replay.proposals import random_recipes
from replay.recipes import EPOCHS
from replay.searches import Full, Promoting, Propose, Replay, Rule, in_order

GRID = np.arange(1, 49) * EPOCHS  # epochs spent: those of 1 to 48 trials in full


@dataclass(frozen=True)
class Sight:
    """What one replay sees of a set, and what its picks are worth."""

    judged: Values  # [recipes, epochs] best validation reward so far, of the seed seen
    compared: Values  # [recipes, epochs] what picks and samplers go by, of the same seed
    worth: Values  # [recipes] validation reward, the mean over seeds not seen
    tested: Values  # [recipes] test reward at the best validation epoch, over seeds not seen

    @classmethod
    def of(cls, curves: Curves, source: np.random.Generator, smoothed: bool = True) -> Sight:
        """Draw the seed of each recipe; picks go by ``smoothed`` values or by the best epochs."""
        count = len(curves.valid)
        seen = np.array([source.choice(np.flatnonzero(row)) for row in curves.seeds])
        hidden = np.where(np.arange(curves.valid.shape[1]) == seen[:, None], np.nan, 1.0)
        return cls(
            curves.best[np.arange(count), seen],
            (curves.smoothed if smoothed else curves.best)[np.arange(count), seen],
            np.nanmean(curves.final() * hidden, axis=1),
            np.nanmean(curves.tested() * hidden, axis=1),
        )


Make = Callable[[Sight, np.random.Generator, int], tuple[Propose, Rule]]


@dataclass(frozen=True)
class Anytime:
    """Worth and test reward of the pick after the epochs of ``GRID``, [seeds, 48]; NaN before."""

    worth: Values
    tested: Values

    @classmethod
    def of(cls, curves: Curves, make: Make, seeds: int, smoothed: bool = True) -> Anytime:
        """Replay a method with so many sampler seeds; ``smoothed`` as for ``Sight``."""
        rows = [_picks(curves, make, seed, smoothed) for seed in range(seeds)]
        return cls(*(np.array(part) for part in zip(*rows, strict=True)))

    def epochs_to(self, worth: float) -> float:
        """Epochs until the mean worth reaches a value for good; infinite if it never does."""
        below = np.flatnonzero(np.nan_to_num(self.worth.mean(0), nan=-np.inf) < worth)
        after = 0 if not len(below) else below[-1] + 1
        return float(GRID[after]) if after < len(GRID) else float("inf")


def _picks(curves: Curves, make: Make, seed: int, smoothed: bool) -> tuple[Values, Values]:
    source = np.random.default_rng(seed)
    sight = Sight.of(curves, source, smoothed)
    replay = Replay(sight.judged, *make(sight, source, seed))
    picks = np.full(len(GRID), -1)
    best, pick, before = -np.inf, -1, 0
    for step in replay.steps():
        picks[(before <= GRID) & (step.spent > GRID)] = pick
        before = step.spent
        value = sight.compared[step.recipe, step.epoch - 1]
        if value > best:
            best, pick = value, step.recipe
    picks[before <= GRID] = pick
    there = picks >= 0
    return np.where(there, sight.worth[picks], np.nan), np.where(there, sight.tested[picks], np.nan)


@dataclass(frozen=True)
class Loss:
    """What a stopping rule did to ``trials`` random trials, mean over replays.

    ``lost``: the share of searches whose best trial in full it did not take to the end. ``regret``:
    by which share of that trial's value the best one that it did take is worse. ``epochs``: the
    share that it spent.
    """

    lost: float
    regret: float
    epochs: float


def loss(curves: Curves, rule: Callable[[], Rule], seeds: int, trials: int = 16) -> Loss:
    """Replay random trials under a rule."""
    rows = []
    for seed in range(seeds):
        source = np.random.default_rng(seed)
        sight = Sight.of(curves, source)
        order = random_recipes(trials, len(curves.valid), source)
        replay = Replay(sight.judged, in_order(order), rule())
        spent = [step.spent for step in replay.steps()][-1]
        final = sight.judged[:, -1]
        reached = max(final[recipe] for recipe, epoch in replay.trials.values() if epoch == EPOCHS)
        best = final[order].max()
        rows.append((reached < best, (best - reached) / abs(best), spent / (trials * EPOCHS)))
    return Loss(*np.mean(rows, axis=0))


def random_full(sight: Sight, source: np.random.Generator, seed: int) -> tuple[Propose, Rule]:  # noqa: ARG001
    """Random trials in full."""
    count = len(sight.judged)
    return in_order(random_recipes(count, count, source)), Full()


def random_promoting(rungs: Sequence[int]) -> Make:
    """Random trials with early stopping."""

    def make(sight: Sight, source: np.random.Generator, seed: int) -> tuple[Propose, Rule]:  # noqa: ARG001
        count = len(sight.judged)
        return in_order(random_recipes(count, count, source)), Promoting(tuple(rungs))

    return make
