"""The worker's side of a trial's reports: which go with a checkpoint, and what that carries."""

from __future__ import annotations

import faulthandler
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from math import inf, isfinite
from pathlib import Path

from ray import tune
from ray.tune import Checkpoint

from pdf_search.config import TrialConfig
from pdf_search.records import EpochReport
from pdf_search.sweep.trial_log.saved import SavedTrial
from pdf_search.sweep.tune import checkpoints
from pdf_search.sweep.tune.payload import pack_epoch

Save = Callable[[Path], None]
_training: list[threading.Thread] = []  # that of this worker's trial

FIRST_CHECKPOINT = 4.0  # seconds after a trial's start
LAST_EPOCHS = 1.5  # epochs: if less time than for these is left, a checkpoint is due
LAST_SECONDS = 8.0  # in which a trial that Tune ends has to save


class Reporter:
    """Reports each epoch to Ray; sometimes, and with ``epochs``, with a checkpoint.

    The first checkpoint is due after ``FIRST_CHECKPOINT`` seconds. The distance then doubles up to
    ``seconds``. So a run that is interrupted again and again still makes progress. One is due too
    if the next epoch may not end within the ``left`` seconds after which the run ends. Where Tune
    ends the trial between two checkpoints, ``keep`` gets the folder of a last one. A checkpoint
    carries the results since the one before it, since the driver may end before it records them.
    ``timeout``: see ``watched``.
    """

    def __init__(
        self,
        trial: TrialConfig,
        epochs: Collection[int],
        seconds: float,
        device: str,
        keep: Callable[[Path], None],
        left: float = inf,
        timeout: float = inf,
    ) -> None:
        self.configuration = trial.content_hash()
        self.epochs = epochs
        self.seconds = seconds
        self.until = time.monotonic() + left
        self.timeout = timeout
        self.distance = min(FIRST_CHECKPOINT, seconds)
        self.device = device
        self.keep = keep
        self.saved = time.monotonic()
        self.results: list[EpochReport] = []  # since the last checkpoint
        self.epoch = 0

    def __call__(self, report: EpochReport, save: Save) -> None:
        """Report an epoch; ``save`` writes a checkpoint into a folder if one is due."""
        self._watch()
        self.epoch = report.epoch
        self.results.append(report)
        result = pack_epoch(report, self.device)
        if self._due(report):
            with self._checkpoint(save) as folder:
                tune.report(result, checkpoint=Checkpoint.from_directory(folder))
            return
        try:
            tune.report(result)
        except SystemExit:  # raised by Tune, which ends the trial
            if _finite(report):
                with self._checkpoint(save) as folder:
                    self.keep(folder)
            raise

    @contextmanager
    def watched(self) -> Iterator[None]:
        """End this process if no epoch is reported for ``timeout`` seconds in a ``with`` block.

        A thread of C code does it, after writing to the log where the process hangs.
        """
        self._watch()
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()

    def _watch(self) -> None:
        if self.timeout < inf:
            faulthandler.dump_traceback_later(self.timeout, exit=True)

    def _due(self, report: EpochReport) -> bool:
        """Never after an epoch that diverged: a trial would go on from there."""
        waited = time.monotonic() - self.saved >= self.distance
        last = self.until - time.monotonic() < LAST_EPOCHS * report.seconds
        return _finite(report) and (waited or last or report.epoch in self.epochs)

    @contextmanager
    def _checkpoint(self, save: Save) -> Iterator[Path]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            save(folder)
            results = tuple(self.results)
            saved = SavedTrial("", self.epoch, self.configuration, self.device, results)
            checkpoints.mark(folder, saved)
            self.results.clear()
            self.saved = time.monotonic()
            self.distance = min(2 * self.distance, self.seconds)
            yield folder


def _finite(report: EpochReport) -> bool:
    values = [v for r in report.replicates for v in (r.train_loss, r.valid, r.test)]
    return all(value is None or isfinite(value) for value in values)


class SavesAtItsEnd:
    """A part of Tune's trainable: a worker does not end before its trial's last checkpoint."""

    def cleanup(self) -> None:
        """End the trial, then wait until its thread has saved."""
        super().cleanup()  # type: ignore[misc]
        for thread in _training:
            thread.join(LAST_SECONDS)


def trains_here() -> None:
    """Note that the calling thread trains this worker's trial."""
    _training[:] = [threading.current_thread()]
