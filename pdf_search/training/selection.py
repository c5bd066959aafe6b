"""Which epoch's predictions a confirmed trial keeps, by protocol.

``split`` and ``inner`` keep those of each replicate's best validation epoch, with its weights.
``gin-curve`` keeps the held-out predictions of every epoch, because the best epoch of the mean
curve is known only at the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite, nan
from typing import Any

from torch import Tensor

from pdf_search.records import EpochReport, Metric, Protocol

Predictions = dict[str, list[Tensor]]  # part -> predictions [n, outputs] of each replicate
State = dict[str, Tensor]


class Selection:
    """Keeps what is needed to write the predictions of the selected epoch."""

    def __init__(self, protocol: Protocol, metric: Metric, replicates: int) -> None:
        self.protocol = protocol
        self.metric = metric
        self.best: list[float | None] = [None] * replicates
        self.best_epoch = [0] * replicates
        self.kept: Predictions = {}
        self.weights: State = {}
        self.curve: list[list[Tensor]] = []
        self.mean_curve: list[float] = []

    def see(
        self, report: EpochReport, predictions: Predictions, state: Mapping[str, Tensor]
    ) -> None:
        """Record an epoch: its report, its predictions and the model's state."""
        if self.protocol is Protocol.GIN_CURVE:
            self.curve.append(predictions["test"])
            values = [r.test for r in report.replicates if r.test is not None]
            self.mean_curve.append(sum(values) / len(values) if values else nan)
            return
        if not self.kept:
            self.kept = {part: list(rows) for part, rows in predictions.items()}
            self.weights = {name: value.detach().clone() for name, value in state.items()}
        for r, epoch in enumerate(report.replicates):
            never = self.best[r] is None and epoch.valid is None  # undefined: the latest stays
            if never or (epoch.valid is not None and self.metric.better(epoch.valid, self.best[r])):
                self.best[r], self.best_epoch[r] = epoch.valid, report.epoch
                for part, rows in predictions.items():
                    self.kept[part][r] = rows[r]
                for name, value in state.items():
                    self.weights[name][r].copy_(value[r])

    def selected(self) -> Predictions:
        """Predictions of the selected epoch of each replicate."""
        if self.protocol is not Protocol.GIN_CURVE:
            return self.kept
        best = 0 if any(map(isfinite, self.mean_curve)) else len(self.mean_curve) - 1
        for i, value in enumerate(self.mean_curve):
            if self.metric.better(value, self.mean_curve[best]):
                best = i
        return {"test": self.curve[best]}

    def state_dict(self) -> dict[str, Any]:
        """All that a checkpoint needs to continue the selection."""
        return {
            "best": self.best,
            "best_epoch": self.best_epoch,
            "kept": self.kept,
            "weights": self.weights,
            "curve": self.curve,
            "mean_curve": self.mean_curve,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore a state that ``state_dict`` returned."""
        for name in self.state_dict():
            setattr(self, name, state[name])


def probabilities(task: str, logits: Tensor) -> Tensor:
    """Turn logits into the predictions that are written, in float64.

    ``task``: a value of ``Task``. Classes and labels become probabilities; regression values stay.
    """
    if task == "multiclass":
        return logits.double().softmax(-1)
    return logits.double().sigmoid() if task == "multilabel" else logits.double()
