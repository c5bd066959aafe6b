"""A trial: one configuration with all its replicates, trained once. It does not depend on Ray.

The main loop loads the data; then it trains, evaluates and reports in each epoch.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from pdf_search.config import TrialConfig
from pdf_search.data import Prepared, search_view
from pdf_search.errors import TrialError
from pdf_search.kernels import forget_frames, out_of_memory
from pdf_search.records import (
    METRICS,
    EpochReport,
    Metric,
    Phase,
    ReplicateEpoch,
    State,
    TrialOutcome,
)
from pdf_search.training.artifacts.checkpoint import identity, load_checkpoint, save_checkpoint
from pdf_search.training.artifacts.excerpt import Excerpt
from pdf_search.training.artifacts.facts import ModelFacts
from pdf_search.training.artifacts.predictions import prediction_table, write_predictions
from pdf_search.training.build_trainers import build_groups
from pdf_search.training.device import (
    keep_freed_memory,
    peak_megabytes,
    reset_peak,
    use_device,
    use_precision,
)
from pdf_search.training.groups import Groups
from pdf_search.training.importance.recorded import trial_importance, write_importance
from pdf_search.training.metrics import evaluate
from pdf_search.training.replicates import ReplicateSplits
from pdf_search.training.schedules import learning_rate
from pdf_search.training.selection import Predictions, Selection
from pdf_search.wording import counted

Save = Callable[[Path], None]
Report = Callable[[EpochReport, Save], None]


def run_trial(
    config: TrialConfig, data: Prepared, report: Report, resume: Path | None = None
) -> TrialOutcome:
    """Train a configuration and report every epoch.

    ``report`` gets the epoch and a function that saves a checkpoint into a folder, and when
    confirming the predictions too. It may raise to stop the trial. ``resume``: a folder that this
    function saved; training continues after its epoch. If a loss or a metric is not finite, the
    trial ends after that epoch as diverged.

    Raises:
        TrialError: the trial cannot be trained as configured, for instance for lack of memory.
        ResourceError: the device does not exist.
    """
    _check_listed(config)
    try:
        with closing(_Trial.start(config, search_view(data, config))) as trial:
            return trial.run(report, resume)
    except (RuntimeError, MemoryError) as error:
        cause = out_of_memory(error)
        if cause is None:
            raise
        forget_frames(error)
        raise TrialError(_out_of_memory(config, cause)) from error


def _check_listed(config: TrialConfig) -> None:
    if config.basis.select == "compact":
        raise TrialError(
            "basis.select is compact, and a trial needs its bases listed: resolve them first, with "
            "pdf_search.data.CompactBases(data, config).resolved(config)"
        )


@dataclass
class _Trial:
    """A trial in training: its data, its trainers and its selection of an epoch.

    ``current`` is the configuration that the trainers were built with, that of an epoch.
    """

    config: TrialConfig
    current: TrialConfig
    data: Prepared
    metric: Metric
    splits: ReplicateSplits
    groups: Groups
    selection: Selection
    device: torch.device
    epoch: int = 0

    @classmethod
    def start(cls, config: TrialConfig, data: Prepared) -> _Trial:
        """Set up the device, the splits and the trainers."""
        device = use_device(config.device)
        use_precision(config.precision, device)
        keep_freed_memory()
        reset_peak(device)
        splits = ReplicateSplits.of(config, data)
        metric = METRICS[config.data.metric or data.info.metric]
        current = config.at(1)
        groups = build_groups(current, data, splits, device)
        selection = Selection(config.protocol, metric, len(splits.replicates))
        return cls(config, current, data, metric, splits, groups, selection, device)

    def run(self, report: Report, resume: Path | None) -> TrialOutcome:
        """Train and report every epoch, after those of the checkpoint in ``resume``."""
        epoch = self.restore(resume) if resume is not None else 0
        while epoch < self.config.epochs:
            epoch += 1
            epoch_report, diverged = self.run_epoch(epoch)
            report(epoch_report, self.save)
            if diverged:
                return TrialOutcome(State.DIVERGED, epoch, diverged)
        return TrialOutcome(State.COMPLETE, epoch)

    def close(self) -> None:
        """Free the trainers at once, also where an exception still refers to the trial."""
        self.groups.close()

    def run_epoch(self, epoch: int) -> tuple[EpochReport, str]:
        """Train and evaluate one epoch; the text says why the trial diverged, if it did."""
        started = time.perf_counter()
        self._change_to(self.config.at(epoch))
        rate = learning_rate(self.current.training, epoch)
        last = epoch >= self.config.epochs
        losses = self.groups.train_epoch(epoch, rate, last).tolist()
        seconds = {"train": time.perf_counter() - started}
        predictions: Predictions = {}
        for part in ("valid", "test"):
            if part in self.splits.parts:
                begun = time.perf_counter()
                predictions[part] = self.groups.predict(part)
                seconds[part] = time.perf_counter() - begun
        values = {part: self._values(part, rows) for part, rows in predictions.items()}
        replicates = tuple(
            ReplicateEpoch(
                loss, *(values[p][r] if p in values else None for p in ("valid", "test"))
            )
            for r, loss in enumerate(losses)
        )
        report = EpochReport(
            epoch,
            rate,
            replicates,
            time.perf_counter() - started,
            peak_megabytes(self.device),
            seconds,
        )
        self.epoch = epoch
        if self.config.phase is Phase.CONFIRM:
            self.selection.see(report, predictions, self.groups.model_state())
        return report, _divergence(report)

    def _change_to(self, config: TrialConfig) -> None:
        """Build the trainers anew, with their weights and moments, if settings change now."""
        if config == self.current:
            return
        model, optimizer = self.groups.model_state(), self.groups.optimizer_state()
        self.groups.close()
        self.groups = build_groups(config, self.data, self.splits, self.device)
        self.groups.load_states(model, optimizer)
        self.current = config

    def _values(self, part: str, predictions: list[Tensor]) -> list[float | None]:
        """The metric of each replicate's predictions for a part; None where it is undefined."""
        targets = self.data.graphs.targets
        return [
            evaluate(self.metric.name, targets[numbers], rows.numpy())
            for numbers, rows in zip(self.splits.parts[part], predictions, strict=True)
        ]

    def save(self, folder: Path) -> None:
        """Write a checkpoint, what it needs to be used alone, and predictions when confirming."""
        # Predictions first: nothing would write them again after a checkpoint of the last epoch.
        if self.config.phase is Phase.CONFIRM:
            table = prediction_table(self.data, self.splits, self.selection.selected())
            write_predictions(folder, table)
            if self.epoch == self.config.epochs:
                self._write_importance(folder)
        if self.excerpt is not None:
            self.excerpt.write(folder)
        save_checkpoint(
            folder,
            {
                **identity(self.config, self.data.fingerprint),
                "facts": self.facts,
                "epoch": self.epoch,
                "changes": self._changes(self.epoch),
                "model": self.groups.model_state(),
                "optimizer": self.groups.optimizer_state(),
                "selection": self.selection.state_dict(),
            },
        )

    def _write_importance(self, folder: Path) -> None:
        found = trial_importance(self.config, self.groups, self.selection.weights)
        if found is not None:
            write_importance(folder, found)

    def _changes(self, epoch: int) -> list[dict[str, Any]]:
        """The changes that held in the epochs up to ``epoch``, as plain data."""
        changes = self.config.training.changes
        return [change.model_dump() for change in changes if change.after < epoch]

    @cached_property
    def facts(self) -> dict[str, Any]:
        """The facts of the training data, as the checkpoint carries them."""
        return ModelFacts.of(self.config, self.data, self.splits).state()

    @cached_property
    def excerpt(self) -> Excerpt | None:
        """Graphs for ``pdf-search explain``; None for GIN, which it cannot explain."""
        return (
            Excerpt.of(self.config, self.data) if self.config.model.architecture == "pdf" else None
        )

    def restore(self, folder: Path) -> int:
        """Load a checkpoint; returns the epoch after which training continues.

        Raises:
            TrialError: it is of another configuration or data set, or was trained with other
                changes before its epoch.
        """
        state = load_checkpoint(folder, identity(self.config, self.data.fingerprint))
        was, now = state.get("changes", []), self._changes(int(state["epoch"]))
        if was != now:
            raise TrialError(
                f"{folder}: saved with the changes {was} before its epoch {state['epoch']}, but "
                f"now they are {now}. Restore training.changes, or start the trial anew."
            )
        self.groups.load_states(state["model"], state["optimizer"])
        self.selection.load_state_dict(state["selection"])
        self.epoch = int(state["epoch"])
        return self.epoch


def _divergence(report: EpochReport) -> str:
    """Why the trial diverged in this epoch; empty if all values are finite."""
    for r, replicate in enumerate(report.replicates):
        for name in ("train_loss", "valid", "test"):
            value = getattr(replicate, name)
            if value is not None and not isfinite(value):
                return f"{name} of replicate {r} is {value} in epoch {report.epoch}"
    return ""


def _out_of_memory(config: TrialConfig, error: BaseException) -> str:
    model, training = config.model, config.training
    bases = counted(config.basis.size, "basis", "bases")
    return (
        f"out of memory: hidden {model.hidden}, {counted(model.layers, 'layer')}, "
        f"batch {training.batch_size}, "
        f"{counted(len(config.replicates), 'replicate')}, {bases}. Use a smaller batch or "
        f"model, fewer replicates at once, or hop support ({str(error).splitlines()[0]})"
    )
