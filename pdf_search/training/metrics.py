"""Metrics of a whole split, by OGB's and torchmetrics' code; the batch size does not matter.

Legend: n graphs, T tasks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import ModuleType

import numpy as np
import torch
from numpy.typing import NDArray

from pdf_search.data import import_ogb, tasks_counted
from pdf_search.imports import known_backend
from pdf_search.records import Task

Values = NDArray[np.float32] | NDArray[np.float64]
Measure = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


@cache
def torchmetrics() -> ModuleType:
    """Import torchmetrics' functions; that takes longer than torch, and predicting needs none."""
    with known_backend():
        from torchmetrics import functional  # noqa: PLC0415
    return functional


REGRESSION: dict[str, Measure] = {
    "mae": lambda guess, truth: torchmetrics().mean_absolute_error(guess, truth),
    "rmse": lambda guess, truth: torchmetrics().mean_squared_error(guess, truth, squared=False),
}
# These metrics need graphs of both classes; the others need one labelled graph.
TASKS = {"rocauc": Task.MULTILABEL, "ap": Task.MULTILABEL}


def evaluate(metric: str, target: Values, prediction: Values) -> float | None:
    """Compute a metric (a key of ``records.METRICS``); None where it is undefined.

    ``target`` [n, T] with nan for unlabelled; ``prediction`` [n, T], for accuracy [n, classes].
    With several tasks it is the mean of the tasks' values, as in OGB. It is undefined if no task
    has what the metric needs (both classes for ROC-AUC and AP). Non-finite predictions give nan.
    """
    if not np.isfinite(prediction).all():
        return float("nan")
    if not tasks_counted(TASKS.get(metric, Task.REGRESSION), target).any():
        return None
    if metric == "accuracy":
        classes = prediction.shape[1]
        truth = torch.from_numpy(target[:, 0]).long()
        guess = torch.from_numpy(prediction).argmax(1)
        accuracy = torchmetrics().classification.multiclass_accuracy
        return float(accuracy(guess, truth, num_classes=classes, average="micro"))
    if metric in ("rocauc", "ap"):
        return _ogb(metric, target, prediction)
    return _regression(REGRESSION[metric], target, prediction)


def by_target(metric: str, target: Values, prediction: Values) -> list[float | None]:
    """Compute the metric of each target alone, [T]; None where it is undefined.

    ``evaluate`` is the mean of the defined values.
    """
    columns = ((target[:, t : t + 1], prediction[:, t : t + 1]) for t in range(target.shape[1]))
    return [evaluate(metric, *column) for column in columns]


def _regression(measure: Measure, target: Values, prediction: Values) -> float:
    per_task = []
    for t in range(target.shape[1]):
        known = ~np.isnan(target[:, t])
        if known.any():
            truth = torch.from_numpy(target[known, t]).double()
            guess = torch.from_numpy(prediction[known, t]).double()
            per_task.append(float(measure(guess, truth)))
    return float(np.mean(per_task))


def _ogb(metric: str, target: Values, prediction: Values) -> float:
    name = "ogbg-molhiv" if metric == "rocauc" else "ogbg-molpcba"
    evaluator = import_ogb("ogb.graphproppred").Evaluator(name)
    evaluator.num_tasks = target.shape[1]
    return float(evaluator.eval({"y_true": target, "y_pred": prediction})[metric])
