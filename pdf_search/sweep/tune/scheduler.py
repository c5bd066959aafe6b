"""Early stopping in Ray Tune, on rungs that can be rebuilt for a resume."""

from __future__ import annotations

from collections.abc import Collection
from math import isfinite
from typing import TYPE_CHECKING, Any

from ray.tune.schedulers import FIFOScheduler, TrialScheduler

from pdf_search.sweep.tune.payload import EPOCH, NUMBER, VALID
from pdf_search.sweep.tune.rules.brackets import Brackets

if TYPE_CHECKING:
    from ray.tune.experiment import Trial


class EqualEpochScheduler(FIFOScheduler):
    """Lets a trial wait at a rung unless it belongs to the best there, compared at equal epochs.

    For Ray a trial that waits has ended; ``rules/promotion.py`` starts it again from its
    checkpoint. Ray's own schedulers stop such a trial for good. ``waiting`` has the numbers of the
    trials that were told to wait.
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


class PopulationScheduler(FIFOScheduler):
    """Lets every trial wait at the ``epochs`` of the perturbations of a population.

    ``waiting`` is as in ``EqualEpochScheduler``.
    """

    def __init__(self, epochs: Collection[int]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.epochs = epochs
        self.waiting: set[int] = set()

    def on_trial_result(self, tune_controller: Any, trial: Trial, result: dict[str, Any]) -> str:  # noqa: ARG002
        """Let a trial wait there; one that is not finite ends by itself, as DIVERGED."""
        if result.get(EPOCH) not in self.epochs or not isfinite(result[VALID]):
            return str(TrialScheduler.CONTINUE)
        self.waiting.add(trial.config[NUMBER])
        return str(TrialScheduler.STOP)
