"""Early stopping in Ray Tune, on rungs that can be rebuilt for a resume."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from ray.tune.schedulers import FIFOScheduler, TrialScheduler

from pdf_search.sweep.tune.brackets import Brackets
from pdf_search.sweep.tune.payload import EPOCH, NUMBER, VALID

if TYPE_CHECKING:
    from ray.tune.experiment import Trial


class EqualEpochScheduler(FIFOScheduler):
    """Lets a trial wait at a rung unless it belongs to the best there, compared at equal epochs.

    For Ray a trial that waits has ended; ``promotion.py`` starts it again from its checkpoint.
    Ray's own schedulers stop such a trial for good. ``waiting`` has the numbers of the trials that
    were told to wait.
    """

    def __init__(self, brackets: Brackets) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.brackets = brackets
        self.waiting: set[int] = set()

    def on_trial_result(self, tune_controller: Any, trial: Trial, result: dict[str, Any]) -> str:  # noqa: ARG002
        """Decide whether a trial goes on; one that is not finite ends by itself, as DIVERGED."""
        epoch = result.get(EPOCH)
        if epoch is None:
            return str(TrialScheduler.CONTINUE)
        number, value = trial.config[NUMBER], result[VALID]
        self.brackets.see(number, epoch, value)
        rungs = self.brackets.of(number)
        if epoch not in rungs.epochs or not isfinite(value):
            return str(TrialScheduler.CONTINUE)
        if rungs.goes_on(number):
            rungs.promote(number)
            return str(TrialScheduler.CONTINUE)
        self.waiting.add(number)
        return str(TrialScheduler.STOP)
