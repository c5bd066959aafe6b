"""The value of each target of confirmed trials, from the predictions that they wrote."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from pdf_search.records import Phase, State, TrialRecord
from pdf_search.sweep import checkpoints
from pdf_search.sweep.ledger import Ledger
from pdf_search.sweep.predictions import FILE


def record_targets(ledger: Ledger) -> None:
    """Record the targets' own values of COMPLETE trials with several targets that lack them."""
    metric = ledger.store.sweep(ledger.sweep).metric
    if ledger.phase is not Phase.CONFIRM or metric == "accuracy":  # of classes: one target
        return
    for record in list(ledger.records.values()):
        if record.by_target is None and record.checkpoint and record.state is State.COMPLETE:
            found = _values(record, metric)
            if found:
                ledger.save(replace(record, by_target=found))


def _values(record: TrialRecord, metric: str) -> dict[str, dict[str, list[list[Any]]]]:
    """Values and counts of each part, replicate and target; nothing for a single target."""
    with checkpoints.local_copy(record.checkpoint) as folder:
        if not (folder / FILE).is_file():
            return {}
        table = pd.read_parquet(folder / FILE)
    if table["task"].max() == 0:
        return {}
    found: dict[str, dict[str, list[list[Any]]]] = {}
    for (part, _), rows in table.groupby(["split", "replicate"], sort=True):
        values, counts = _of_replicate(rows, metric)
        lists = found.setdefault(str(part), {"values": [], "n": []})
        lists["values"].append(values)
        lists["n"].append(counts)
    return found


def _of_replicate(rows: pd.DataFrame, metric: str) -> tuple[list[float | None], list[int]]:
    from pdf_search.training.metrics import by_target  # noqa: PLC0415

    tasks = int(rows["task"].max()) + 1
    target, prediction = (
        rows[name].to_numpy().reshape(-1, tasks) for name in ("target", "prediction")
    )
    return by_target(metric, target, prediction), pd.DataFrame(target).count().tolist()
