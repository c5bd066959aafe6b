"""Temperature scaling of class probabilities, on the predictions for validation graphs.

Source: C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger, On Calibration of Modern Neural Networks, 2017.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdf_search.records import PREDICTIONS, Task
from pdf_search.wording import counted

Floats = NDArray[np.float64]
LEAST_LABELS = 50  # below it a temperature would say more about chance than about the model
_SMALLEST = 1e-12  # probability, so that its logarithm is finite
_HIGHEST = 20.0  # temperature; the lowest is 1 / 20


@dataclass(frozen=True)
class Calibration:
    """The temperature that logits are divided by, fitted so that the log loss is least.

    The loss is that of the mean over replicates. ``labels``: values that it was fitted on, with the
    log loss ``before`` and ``after``. ``why_not``: why there is none; then the temperature is 1.
    """

    temperature: float = 1.0
    labels: int = 0
    before: float = math.nan
    after: float = math.nan
    why_not: str = ""

    @property
    def words(self) -> str:
        """A sentence for the reader of the probabilities."""
        if self.why_not:
            return f"probabilities are not calibrated: {self.why_not}"
        return (
            f"probabilities are calibrated by the temperature {self.temperature:.3g}, fitted on "
            f"{counted(self.labels, 'validation label')} (log loss {self.before:.3g}, then "
            f"{self.after:.3g})"
        )


def calibration_of(folder: Path, task: Task, of_best_epoch: bool) -> Calibration | None:
    """Fit the temperature of the model in ``folder``; None for a regression.

    ``of_best_epoch``: whether its weights are those that the validation predictions beside them
    come from.
    """
    if task is Task.REGRESSION:
        return None
    if not of_best_epoch or not (folder / PREDICTIONS).is_file():
        return Calibration(why_not="there are no validation predictions by these weights")
    table = pd.read_parquet(folder / PREDICTIONS)
    return fitted(table[table["split"] == "valid"], task)


def fitted(valid: pd.DataFrame, task: Task) -> Calibration:
    """Fit the temperature on the predictions of the validation part, as ``PREDICTIONS`` has them.

    Its columns ``index``, ``task``, ``replicate``, ``target`` and ``prediction`` are used.
    """
    from scipy.optimize import minimize_scalar  # noqa: PLC0415 - takes half a second

    truth, known = _table(valid, task)
    if len(truth) < LEAST_LABELS or len(np.unique(truth)) < 2:
        enough = f"it takes {LEAST_LABELS} validation labels of both kinds"
        return Calibration(why_not=f"{enough}, and there are {len(truth)}")

    def loss(log_temperature: float) -> float:
        return _log_loss(truth, known, math.exp(log_temperature), task)

    limit = math.log(_HIGHEST)
    found = minimize_scalar(loss, bounds=(-limit, limit), method="bounded")
    shares = np.unique(truth, return_counts=True)[1] / len(truth)
    constant = float(-(shares * np.log(shares)).sum())
    if found.fun >= constant:
        return Calibration(
            why_not=f"at no temperature is their log loss on validation labels ({found.fun:.3g}) "
            f"below that of the labels' frequencies ({constant:.3g})"
        )
    return Calibration(math.exp(found.x), len(truth), loss(0.0), float(found.fun))


def _table(valid: pd.DataFrame, task: Task) -> tuple[NDArray[np.int64], Floats]:
    """The true labels or classes [n], and the probabilities [n, R, C]; nan where R has none.

    C is 1 for labels, whose probability is that of label 1.
    """
    valid = valid[valid["target"].notna()]
    if valid.empty:
        return np.empty(0, np.int64), np.empty((0, 1, 1))
    columns = ["replicate", "task"] if task is Task.MULTICLASS else ["replicate"]
    rows = ["index"] if task is Task.MULTICLASS else ["index", "task"]
    wide = valid.pivot_table(index=rows, columns=columns, values="prediction", sort=True)
    truth = valid.groupby(rows, sort=True)["target"].first()
    replicates = valid["replicate"].nunique()
    values = wide.to_numpy().reshape(len(wide), replicates, -1)
    return truth.to_numpy().astype(np.int64), values


def _log_loss(truth: NDArray[np.int64], known: Floats, temperature: float, task: Task) -> float:
    """Log loss of the mean over replicates, each with its logits divided by the temperature."""
    log = np.log(known.clip(_SMALLEST, 1 - _SMALLEST)) / temperature
    if task is Task.MULTICLASS:
        scaled = np.exp(log - log.max(-1, keepdims=True))
        mean = np.nanmean(scaled / scaled.sum(-1, keepdims=True), axis=1)
        right = mean[np.arange(len(truth)), truth]
    else:
        other = np.log((1 - known).clip(_SMALLEST, 1 - _SMALLEST)) / temperature
        one = np.nanmean(1 / (1 + np.exp((other - log).clip(-700, 700))), axis=1)[:, 0]
        right = np.where(truth == 1, one, 1 - one)
    return float(-np.log(right.clip(_SMALLEST)).mean())
