"""What shows the events of a trial log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pdf_search.records import TrialRecord
from pdf_search.results import BestEpochs


class View(Protocol):
    """Shows the events of a trial log; ``best`` gives the trial's best epochs so far."""

    def seen(self, trial: TrialRecord, best: Callable[[], BestEpochs]) -> None:
        """A trial that is recorded already when this run begins."""

    def started(self, trial: TrialRecord) -> None:
        """A trial that begins to train."""

    def epoch(self, trial: TrialRecord, best: BestEpochs) -> None:
        """A trial that has done an epoch."""

    def paused(self, trial: TrialRecord, best: BestEpochs) -> None:
        """A trial that waits at a rung."""

    def lost(self, trial: TrialRecord) -> None:
        """A trial whose worker is gone, and which is tried again."""

    def heard_nothing(self) -> None:
        """Nothing of note came from any trial, once more; it is asked between all events."""

    def ended(self, trial: TrialRecord, best: BestEpochs) -> None:
        """A trial that has ended, in whatever state."""
