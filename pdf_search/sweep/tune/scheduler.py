"""Trials that wait, in Ray Tune. Who waits is decided by the rules, which a resume can rebuild."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ray.tune.schedulers import FIFOScheduler, TrialScheduler

from pdf_search.sweep.tune.payload import EPOCH, NUMBER, VALID

if TYPE_CHECKING:
    from ray.tune.experiment import Trial

GoesOn = Callable[[int, int, float], bool]


class WaitingScheduler(FIFOScheduler):
    """Lets a trial wait after an epoch unless ``goes_on(number, epoch, value)``.

    For Ray a trial that waits has ended; a source of jobs starts it again from its checkpoint.
    Ray's own schedulers stop such a trial for good. ``waiting`` has the numbers of the trials that
    were told to wait.
    """

    def __init__(self, goes_on: GoesOn) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.goes_on = goes_on
        self.waiting: set[int] = set()

    def on_trial_result(self, tune_controller: Any, trial: Trial, result: dict[str, Any]) -> str:  # noqa: ARG002
        """Decide whether a trial goes on; a result that is no epoch is its end."""
        epoch, number = result.get(EPOCH), trial.config[NUMBER]
        if epoch is None or self.goes_on(number, epoch, result[VALID]):
            return str(TrialScheduler.CONTINUE)
        self.waiting.add(number)
        return str(TrialScheduler.STOP)

    def __getstate__(self) -> dict[str, Any]:
        return {}  # for Ray's snapshots, which nothing reads; a rule need not be picklable
