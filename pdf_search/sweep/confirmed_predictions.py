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


def record_targets(trial_log: TrialLog) -> None:
    """Record the metric of each target for COMPLETE confirmed trials that lack it.

    Trials with a single target are left as they are.
    """
    from pdf_search.training import target_values  # noqa: PLC0415

    if trial_log.phase is not Phase.CONFIRM:
        return
    for record in list(trial_log.records.values()):
        metric = trial_log.sweeps[record.sweep].metric
        if metric == "accuracy":  # of classes: one target
            continue
        if record.by_target is None and record.checkpoint and record.state is State.COMPLETE:
            with checkpoints.local_copy(record.checkpoint) as folder:
                found = target_values(folder, metric)
            if found:
                trial_log.save(replace(record, by_target=found))


def record_importance(trial_log: TrialLog) -> None:
    """Record the importance map of each COMPLETE confirmed trial that made one and lacks it."""
    from pdf_search.training import read_importance  # noqa: PLC0415

    if trial_log.phase is not Phase.CONFIRM:
        return
    for record in list(trial_log.records.values()):
        if record.importance is None and record.checkpoint and record.state is State.COMPLETE:
            with checkpoints.local_copy(record.checkpoint) as folder:
                found = read_importance(folder)
            if found:
                trial_log.save(replace(record, importance=found))
