"""Writes the curves of trials for TensorBoard, through Ray's own callback."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ray.tune.logger import TBXLoggerCallback
from tensorboardX import SummaryWriter

from pdf_search.records import EpochReport
from pdf_search.results import Stat
from pdf_search.sweep.trial_log.trial_log import TrialLog
from pdf_search.sweep.tune.payload import NUMBER, unpack_epoch

if TYPE_CHECKING:
    from ray.tune.experiment import Trial

STEP = "training_iteration"  # Ray's name


@dataclass(eq=False)
class Shown:
    """What Ray's callback needs of a trial: the folder of its curves, and its sampled values.

    Ray's own folder of a trial is removed with its checkpoints, and has the packed epochs.
    """

    folder: Path
    evaluated_params: dict[str, Any] = field(default_factory=dict)

    @property
    def local_path(self) -> str:
        """The folder, under the name that Ray's callback reads."""
        return str(self.folder)

    def init_local_path(self) -> None:
        """Make the folder."""
        self.folder.mkdir(parents=True, exist_ok=True)


class TensorBoard(TBXLoggerCallback):
    """Writes each trial's epochs into ``folder``/PHASE/NUMBER; a trial that goes on, goes on there.

    The values are as recorded: loss, validation and test metric, their means over the replicates,
    learning rate, seconds.
    """

    def __init__(self, folder: Path, trial_log: TrialLog) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.folder = folder
        self.trial_log = trial_log
        self.shown: dict[int, Shown] = {}
        self.starts = count()

    def log_trial_start(self, trial: Trial | Shown) -> None:
        """Open a file of a trial."""
        # A file is named by the second: one that goes on at once would write over its own.
        suffix = f".{next(self.starts)}"
        self._summary_writer_cls = partial(SummaryWriter, filename_suffix=suffix)
        super().log_trial_start(self._shown(trial))

    def log_trial_result(
        self, iteration: int, trial: Trial | Shown, result: dict[str, Any]
    ) -> None:
        """Write an epoch."""
        report = unpack_epoch(result)
        if report is not None:
            super().log_trial_result(iteration, self._shown(trial), _scalars(report))

    def log_trial_end(self, trial: Trial | Shown, failed: bool = False) -> None:
        """Write the sampled values, and close the file."""
        super().log_trial_end(self._shown(trial), failed)

    def _shown(self, trial: Trial | Shown) -> Any:
        if isinstance(trial, Shown):
            return trial
        number = trial.config[NUMBER]
        if number not in self.shown:
            record = self.trial_log.records[number]
            place = self.folder / self.trial_log.phase.value / f"{number:04}"
            self.shown[number] = Shown(place, _plain(record.params))
        return self.shown[number]

    def __getstate__(self) -> dict[str, Any]:
        return {}


def _scalars(report: EpochReport) -> dict[str, Any]:
    values = {
        name: Stat.of(getattr(replicate, name) for replicate in report.replicates).mean
        for name in ("train_loss", "valid", "test")
    }
    known = {name: value for name, value in values.items() if value is not None}
    known |= {"learning_rate": report.learning_rate, "seconds": report.seconds}
    return {STEP: report.epoch} | {k: v for k, v in known.items() if isfinite(v)}


def _plain(params: dict[str, Any]) -> dict[str, Any]:
    """Sampled values that TensorBoard can show: lists and trees as JSON."""
    plain = (bool, int, float, str)
    return {k: v if isinstance(v, plain) else json.dumps(v) for k, v in params.items()}
