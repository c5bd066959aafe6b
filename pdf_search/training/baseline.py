"""The predictor without a model: the mean of the training targets, or the majority class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdf_search.config import TrialConfig
from pdf_search.data import Prepared
from pdf_search.records import METRICS, EpochReport, Metric, ReplicateEpoch, Task
from pdf_search.training.metrics import evaluate
from pdf_search.training.replicates import ReplicateSplits

Values = NDArray[np.float32]


def baseline_predictor(config: TrialConfig, data: Prepared) -> EpochReport:
    """Score the constant prediction that each replicate's training part gives.

    It is the mean of the targets, or the majority class. The report is that of epoch 0, with a
    value for every part that the phase may see and a training loss of nan.
    """
    splits = ReplicateSplits.of(config, data)
    metric = METRICS[config.data.metric or data.info.metric]
    shape = data.info.shape
    assert shape is not None, "a prepared data set knows its input shape"
    targets = np.asarray(data.graphs.targets)
    replicates = []
    for r, train in enumerate(splits.parts["train"]):
        constant = _constant(shape.task, shape.outputs, targets[train])
        values = {
            part: _score(metric, targets[splits.parts[part][r]], constant)
            for part in ("valid", "test")
            if part in splits.parts
        }
        replicates.append(ReplicateEpoch(float("nan"), values.get("valid"), values.get("test")))
    return EpochReport(0, 0.0, tuple(replicates), 0.0, 0.0)


def _constant(task: Task, outputs: int, train: Values) -> Values:
    """The constant prediction, [outputs].

    For classes it holds their counts, of which the largest wins; else the means of the known
    targets, 0 where there is none.
    """
    if task is Task.MULTICLASS:
        return np.bincount(train[:, 0].astype(int), minlength=outputs).astype(np.float32)
    labelled = ~np.isnan(train)
    total = np.where(labelled, train, 0).sum(0, dtype=np.float64)
    mean: Values = (total / labelled.sum(0).clip(min=1)).astype(np.float32)
    return mean


def _score(metric: Metric, target: Values, constant: Values) -> float | None:
    prediction = np.broadcast_to(constant, (len(target), len(constant)))
    return evaluate(metric.name, np.asarray(target), np.array(prediction, np.float32))
