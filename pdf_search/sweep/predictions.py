"""Predictions of the confirmed trials, gathered into one file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from pdf_search.atomic import whole_file
from pdf_search.records import PREDICTIONS, State, TrialRecord
from pdf_search.sweep import checkpoints


def gather_predictions(trials: Iterable[TrialRecord], target: Path) -> bool:
    """Write the rows of every COMPLETE trial with its number in column ``trial``, atomically.

    Returns whether there was anything to write.
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
