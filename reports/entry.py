"""A trial in a report: its record, its epochs and their summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pdf_search.records import EpochReport, State, SweepRecord, TrialRecord
from pdf_search.results import Stat, TrialSummary, summarise
from pdf_search.wording import counted


@dataclass(frozen=True)
class Entry:
    """A trial with its epochs and their summary."""

    trial: TrialRecord
    epochs: tuple[EpochReport, ...]
    summary: TrialSummary
    rank: int | None = None  # among the COMPLETE trials of the search
    told_apart: str = ""  # its name where another confirmation of its trial has a row too

    @property
    def is_baseline(self) -> bool:
        """Whether this is the predictor without a model."""
        return self.trial.is_baseline

    @property
    def has_model(self) -> bool:
        """Whether it is COMPLETE with a checkpoint of a trained model."""
        trial = self.trial
        return not self.is_baseline and trial.state is State.COMPLETE and bool(trial.checkpoint)

    @property
    def searched_as(self) -> int | None:
        """Number of the search trial that this one confirms; None if it confirms none."""
        return self.trial.searched_as

    @property
    def called(self) -> str:
        """Its name in tables and sentences; see ``TrialRecord.called``."""
        return self.told_apart or self.trial.called

    @property
    def train_fraction(self) -> float:
        """Share of the training part that the trial was trained on, at most 1."""
        return float(self.trial.config.get("data", {}).get("train_fraction", 1.0))

    @property
    def cut(self) -> tuple[int, int] | None:
        """Epochs trained and epochs of the schedule, if a budget cut the run short; else None.

        The baseline predictor trains nothing, so nothing of it is cut.
        """
        whole = self.trial.config.get("training", {}).get("epochs")
        stop = self.trial.config.get("stop_epoch")
        if self.is_baseline or not stop or not whole:
            return None
        return (stop, whole) if stop < whole else None

    def spread_of(self, stat: Stat) -> float | None:
        """The spread of its values; None for a predictor that is the same for every seed."""
        return None if self.is_baseline and stat.std == 0 else stat.std


def entry_of(sweep: SweepRecord, trial: TrialRecord, epochs: Sequence[EpochReport]) -> Entry:
    """A trial with its epochs, summarised."""
    return Entry(trial, tuple(epochs), summarise(sweep, trial, epochs))


def told_apart(entries: list[Entry]) -> list[Entry]:
    """Name confirmations of one trial by their epochs too; where these are equal, by their run."""
    trials = Counter(entry.called for entry in entries)
    names = [
        f"{e.called}, {counted(e.summary.epochs_planned, 'epoch')}" if trials[e.called] > 1 else ""
        for e in entries
    ]
    lengths = Counter(names)
    return [
        replace(e, told_apart=f"{name}, run {e.trial.number}" if lengths[name] > 1 else name)
        if name
        else e
        for e, name in zip(entries, names, strict=True)
    ]
