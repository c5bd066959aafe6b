"""Asynchronous successive halving in Ray Tune, on rungs that can be rebuilt for a resume."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from ray.tune.schedulers import AsyncHyperBandScheduler, TrialScheduler

from pdf_search.sweep.tune.brackets import Brackets
from pdf_search.sweep.tune.payload import EPOCH, NUMBER, VALID
from pdf_search.sweep.tune.rungs import Rungs

if TYPE_CHECKING:
    from ray.tune.experiment import Trial


class EqualEpochScheduler(AsyncHyperBandScheduler):
    """Stops the worst trials, compared at equal epochs.

    The decisions are those of ``rungs``, not of Ray's own scheduler. ``stopped`` has the numbers of
    the trials that were stopped.
    """

    def __init__(self, rungs: Rungs | Brackets, mode: str, budget: int) -> None:
        super().__init__(time_attr=EPOCH, metric=VALID, mode=mode, max_t=budget)
        self.rungs = rungs
        self.budget = budget
        self.stopped: set[int] = set()

    def on_trial_add(self, tune_controller: Any, trial: Trial) -> None:
        """Do nothing; Ray's scheduler would assign a bracket."""

    def on_trial_result(self, tune_controller: Any, trial: Trial, result: dict[str, Any]) -> str:  # noqa: ARG002
        """Decide whether a trial goes on; the last epoch of the budget is never a stop."""
        epoch = result.get(EPOCH)
        if epoch is None or epoch >= self.budget:
            return str(TrialScheduler.CONTINUE)
        number = trial.config[NUMBER]
        value = result[VALID]
        if not self.rungs.stops(number, epoch, value) or not isfinite(value):
            # A trial with a value that is not finite ends by itself, as DIVERGED with its reason.
            return str(TrialScheduler.CONTINUE)
        self.stopped.add(number)
        return str(TrialScheduler.STOP)

    def on_trial_complete(self, tune_controller: Any, trial: Trial, result: dict[str, Any]) -> None:
        """Do nothing; the rungs have the trial's values."""

    def on_trial_remove(self, tune_controller: Any, trial: Trial) -> None:
        """Do nothing; there is no bracket to remove the trial from."""
