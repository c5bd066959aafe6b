"""Ray's asynchronous successive halving, on rungs that survive a resume and non-finite values."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from ray.tune.schedulers import AsyncHyperBandScheduler, TrialScheduler

from pdf_search.sweep.tune.payload import EPOCH, NUMBER, VALID
from pdf_search.sweep.tune.rungs import Rungs

if TYPE_CHECKING:
    from ray.tune.experiment import Trial


class EqualEpochScheduler(AsyncHyperBandScheduler):
    """Compares trials at equal epochs; ``stopped`` holds the numbers it ended early."""

    def __init__(self, rungs: Rungs, mode: str, budget: int) -> None:
        super().__init__(time_attr=EPOCH, metric=VALID, mode=mode, max_t=budget)
        self.rungs = rungs
        self.budget = budget
        self.stopped: set[int] = set()

    def on_trial_add(self, tune_controller: Any, trial: Trial) -> None:
        pass

    def on_trial_result(self, tune_controller: Any, trial: Trial, result: dict[str, Any]) -> str:  # noqa: ARG002
        epoch = result.get(EPOCH)
        if epoch is None or epoch >= self.budget:
            return str(TrialScheduler.CONTINUE)
        number = trial.config[NUMBER]
        value = result[VALID]
        if not self.rungs.stops(number, epoch, value) or not isfinite(value):
            # Not finite: the trial ends by itself now, as DIVERGED and with the reason.
            return str(TrialScheduler.CONTINUE)
        self.stopped.add(number)
        return str(TrialScheduler.STOP)

    def on_trial_complete(self, tune_controller: Any, trial: Trial, result: dict[str, Any]) -> None:
        pass

    def on_trial_remove(self, tune_controller: Any, trial: Trial) -> None:
        pass
