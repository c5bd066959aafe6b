"""Predictions of a confirmed trial as a table: one row a split, graph, task and replicate."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from pdf_search.records import Task
from pdf_search.training.checkpoint import write_atomically
from pdf_search.training.replicates import ReplicateSplits
from pdf_search.training.selection import Predictions, probabilities

PREDICTIONS = "predictions.parquet"


def prediction_table(
    task: Task, splits: ReplicateSplits, targets: np.ndarray, predictions: Predictions
) -> pd.DataFrame:
    """Columns split, index (graph number), task, replicate, target, prediction.

    Multi-class: ``task`` is the class whose probability ``prediction`` is, ``target`` the class
    number. ``targets`` [G, tasks] of the whole data set.
    """
    frames = []
    for part, rows in predictions.items():
        for replicate, logits in enumerate(rows):
            numbers = splits.parts[part][replicate]
            values = probabilities(task, logits).numpy()
            truth = targets[numbers].astype(np.float64)
            truth = np.broadcast_to(truth, values.shape) if task is Task.MULTICLASS else truth
            tasks = values.shape[1]
            frames.append(
                pd.DataFrame(
                    {
                        "split": part,
                        "index": np.repeat(numbers, tasks),
                        "task": np.tile(np.arange(tasks), len(numbers)),
                        "replicate": replicate,
                        "target": truth.reshape(-1),
                        "prediction": values.reshape(-1),
                    }
                )
            )
    return pd.concat(frames, ignore_index=True)


def write_predictions(folder: Path, table: pd.DataFrame) -> None:
    write_atomically(folder / PREDICTIONS, lambda path: table.to_parquet(path, index=False))
