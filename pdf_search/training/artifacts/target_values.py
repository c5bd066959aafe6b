"""The metric of each target of a run, from the predictions that it wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from pdf_search.records import PREDICTIONS

TargetValues = dict[str, dict[str, list[list[Any]]]]


def target_values(folder: Path, metric: str) -> TargetValues:
    """The metric of each target, and the number of graphs that have the target, by part.

    Returns ``{"test": {"values": [R][T], "n": [R][T]}, ...}``. A value is None where it is
    undefined. The result is empty for accuracy, for a single target, and where no predictions were
    written.
    """
    if metric == "accuracy" or not (folder / PREDICTIONS).is_file():
        return {}
    table = pd.read_parquet(folder / PREDICTIONS)
    if table["task"].max() == 0:
        return {}
    found: TargetValues = {}
    for (part, _), rows in table.groupby(["split", "replicate"], sort=True):
        values, counts = _of_replicate(rows, metric)
        lists = found.setdefault(str(part), {"values": [], "n": []})
        lists["values"].append(values)
        lists["n"].append(counts)
    return found


def _of_replicate(rows: pd.DataFrame, metric: str) -> tuple[list[float | None], list[int]]:
    from pdf_search.training.metrics import by_target  # noqa: PLC0415 - with torch

    tasks = int(rows["task"].max()) + 1
    target, prediction = (
        rows[name].to_numpy().reshape(-1, tasks) for name in ("target", "prediction")
    )
    return by_target(metric, target, prediction), pd.DataFrame(target).count().tolist()
