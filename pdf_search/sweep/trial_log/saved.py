"""Checkpoints that lie on disk, as the trial log sees them: they may know more than the record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from pdf_search.paths import above
from pdf_search.records import EpochReport, TrialRecord


@dataclass(frozen=True)
class SavedTrial:
    """A whole checkpoint, and what it says of itself.

    ``configuration`` is the content hash of the trial's configuration. ``results`` are those of the
    epochs since the checkpoint before it. Checkpoints of older versions have neither.
    """

    path: str
    epoch: int
    configuration: str = ""
    device: str = ""
    results: tuple[EpochReport, ...] = ()

    def fits(self, record: TrialRecord) -> bool:
        """Whether the trial can go on from it, with a result recorded for each epoch up to it."""
        ours = self.configuration == record.config_hash
        # Another trial's checkpoint may be recorded, from which this one goes on.
        recorded = folder_of(self.path) == folder_of(record.checkpoint) and not self.is_after(
            record
        )
        first = self.results[0].epoch if self.results else self.epoch + 1
        return (ours or recorded) and first <= record.epochs_done + 1

    def is_after(self, record: TrialRecord) -> bool:
        """Whether it holds epochs that are not recorded."""
        return self.epoch > record.epochs_done


class SavedTrials(Protocol):
    """The checkpoints of a phase's trials on disk."""

    def newest_first(self, number: int, record: TrialRecord) -> Iterator[SavedTrial]:
        """The whole checkpoints of a trial, and those beside the one that is recorded.

        ``number`` is the trial's in the trial log.
        """

    def beside(self, path: str) -> list[str]:
        """The other checkpoints in the folder of one."""

    def attempts(self, number: int) -> list[str]:
        """The folders in which a trial's attempts left checkpoints, as it was first asked."""


def folder_of(checkpoint: str) -> str:
    """The folder of the attempt that wrote a checkpoint."""
    return above(checkpoint)


class Needed:
    """Counts what is needed: checkpoints, and the folders of attempts that they are in."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def change(self, old: str, new: str) -> None:
        """Note that someone needs the checkpoint ``new`` in place of ``old``; "" for none."""
        if old != new:
            self._counts.update(_places(new))
            self._counts.subtract(_places(old))
            for place in _places(old):
                if not self._counts[place]:
                    del self._counts[place]

    def __contains__(self, path: str) -> bool:
        return self._counts[path] > 0


def _places(checkpoint: str) -> set[str]:
    return {checkpoint, folder_of(checkpoint)} if checkpoint else set()
