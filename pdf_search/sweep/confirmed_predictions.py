"""Collects predictions of confirmed trials in one file; records values by target, importance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pandas as pd

from pdf_search.atomic import whole_file
from pdf_search.records import PREDICTIONS, Phase, State, TrialRecord
from pdf_search.sweep.trial_log.trial_log import TrialLog
from pdf_search.sweep.tune import checkpoints


def gather_predictions(trials: Iterable[TrialRecord], target: Path) -> bool:
    """Write the predictions of every COMPLETE trial to one Parquet file, atomically.

    The column ``trial`` has the number of the trial. Returns False, and writes nothing, if there
    are no predictions.
    """
    frames = []
    for trial in trials:
        if trial.state is not State.COMPLETE or not trial.checkpoint:
            continue
        with checkpoints.local_copy(trial.checkpoint) as folder:
            if (folder / PREDICTIONS).is_file():
                frames.append(pd.read_parquet(folder / PREDICTIONS).assign(trial=trial.number))
    if not frames:
        return False
    with whole_file(target) as path:
        pd.concat(frames, ignore_index=True).to_parquet(path, index=False)
    return True


def record_measured(trial_log: TrialLog) -> None:
    """Record what lies beside the checkpoints of COMPLETE confirmed trials, where they lack it.

    It is the metric of each target, if there are several, and the importance map.
    """
    from pdf_search.training import read_importance, target_values  # noqa: PLC0415

    if trial_log.phase is not Phase.CONFIRM:
        return
    for record in list(trial_log.records.values()):
        metric = trial_log.sweeps[record.sweep].metric
        several = record.by_target is None and metric != "accuracy"  # of classes: one target
        lacks = several or record.importance is None
        if not (lacks and record.checkpoint and record.state is State.COMPLETE):
            continue
        with checkpoints.local_copy(record.checkpoint) as folder:
            targets = target_values(folder, metric) if several else None
            importance = record.importance or read_importance(folder)
        if targets or importance != record.importance:
            kept = targets or record.by_target
            trial_log.save(replace(record, by_target=kept, importance=importance))
