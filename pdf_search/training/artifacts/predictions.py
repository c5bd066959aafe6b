"""Predictions of a confirmed trial as a table: one row per split, graph, task and replicate."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from pdf_search.atomic import whole_file
from pdf_search.data import Prepared
from pdf_search.records import PREDICTIONS, Task
from pdf_search.training.replicates import ReplicateSplits
from pdf_search.training.selection import Predictions, probabilities


def prediction_table(
    data: Prepared, splits: ReplicateSplits, predictions: Predictions
) -> pd.DataFrame:
    """Build a table with the columns split, index, task, replicate, target, prediction.

    ``index`` counts from 0: the row of the user's file if the data have rows, else the graph. For
    multi-class data ``task`` is a class, ``prediction`` its probability, and ``target`` the number
    of the true class.
    """
    task, targets = data.info.task, data.graphs.targets
    index = np.arange(len(data.graphs)) if data.rows is None else np.asarray(data.rows)
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
                        "index": np.repeat(index[numbers], tasks),
                        "task": np.tile(np.arange(tasks), len(numbers)),
                        "replicate": replicate,
                        "target": truth.reshape(-1),
                        "prediction": values.reshape(-1),
                    }
                )
            )
    return pd.concat(frames, ignore_index=True)


def write_predictions(folder: Path, table: pd.DataFrame) -> None:
    """Write the table as Parquet into ``folder``, replacing an earlier one."""
    with whole_file(folder / PREDICTIONS) as path:
        table.to_parquet(path, index=False)
