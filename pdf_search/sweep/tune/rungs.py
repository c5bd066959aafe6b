"""The rungs of asynchronous successive halving (Li et al. 2020, arXiv:1810.05934).

A trial that reaches the epoch of a rung goes on if it is among the best 1/factor of the trials
that reached it before. A value that is not finite is worse than any other, and is never a cut-off.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor, inf, isfinite
from typing import TYPE_CHECKING

from pdf_search.sweep.trial_log.trial_log import TrialLog

if TYPE_CHECKING:
    from pdf_search.sweep.tune.brackets import Brackets


def milestones(grace: int, budget: int, factor: int) -> tuple[int, ...]:
    """The epochs of the rungs, ascending: grace, grace * factor, ... below the budget."""
    epochs = []
    epoch = grace
    while epoch < budget:
        epochs.append(epoch)
        epoch *= factor
    return tuple(epochs)


def cutoff(rewards: Iterable[float], factor: int) -> float | None:
    """The reward that the best 1/factor reach: the quantile 1 - 1/factor, interpolated linearly.

    None if there is no reward yet, or if the quantile is not finite.
    """
    ordered = sorted(rewards)
    if not ordered:
        return None
    place = (1 - 1 / factor) * (len(ordered) - 1)
    low, high = ordered[floor(place)], ordered[ceil(place)]
    if isfinite(low):
        return low + (place - floor(place)) * (high - low)
    return high if isfinite(high) else None


class Rungs:
    """The reward of each trial at each rung, by trial number, and the decision who goes on.

    A trial among the best ``keep`` of a rung always goes on, because with few trials the best
    1/factor would be too few to confirm. Rewards are maximised; ``mode`` "min" flips the sign.
    """

    def __init__(self, mode: str, grace: int, budget: int, factor: int, keep: int = 1) -> None:
        self.factor = factor
        self.keep = keep
        self.sign = 1.0 if mode == "max" else -1.0
        self.seen: dict[int, dict[int, float]] = {
            epoch: {} for epoch in milestones(grace, budget, factor)
        }

    def record(self, number: int, epoch: int, value: float | None) -> None:
        """Enter a trial's value without a decision; an epoch that is no rung is ignored."""
        if epoch in self.seen:
            self.seen[epoch][number] = self._reward(value)

    def stops(self, number: int, epoch: int, value: float | None) -> bool:
        """Enter a trial's value, and say whether the trial is stopped.

        Only the first call at a rung decides; an epoch that is no rung is ignored.
        """
        rung = self.seen.get(epoch)
        if rung is None or number in rung:
            return False
        limit = cutoff(rung.values(), self.factor)
        reward = self._reward(value)
        better = sum(other > reward for other in rung.values())
        rung[number] = reward
        return limit is not None and reward < limit and better >= self.keep

    def _reward(self, value: float | None) -> float:
        return self.sign * value if value is not None and isfinite(value) else -inf


def rebuild_rungs(rungs: Rungs | Brackets, trial_log: TrialLog) -> None:
    """Enter the recorded epochs of all rungs, as if the scheduler had seen them."""
    curves = trial_log.store.all_epochs(trial_log.sweep, trial_log.phase, at=rungs.seen)
    for number, curve in curves.items():
        for report in curve:
            rungs.record(number, report.epoch, report.valid)
