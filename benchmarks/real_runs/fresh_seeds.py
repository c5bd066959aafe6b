"""What a configuration is worth: trained on seeds that no search saw, all seeds and folds together.

Validation is the best epoch's of each seed and fold; test, for the final score alone, is that of
the same epoch.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from pdf_search.config import TrialConfig, parse_trial
from pdf_search.data import load_prepared, prepare
from pdf_search.errors import TrialError
from pdf_search.records import METRICS, EpochReport, Metric, Phase, Protocol, Replicate, State
from pdf_search.results import BestEpochs
from pdf_search.training import run_trial

SEEDS = tuple(range(9001, 9005))


@dataclass(frozen=True)
class Job:
    """A configuration, the folder of its prepared data, and the fresh seeds."""

    config: dict[str, Any]
    folder: Path
    seeds: tuple[int, ...]


def worths(
    configs: Sequence[TrialConfig],
    data_root: Path | None,
    seeds: tuple[int, ...] = SEEDS,
    processes: int = 2,
) -> list[pd.DataFrame]:
    """A frame for each configuration: a row a seed and fold, columns valid and test."""
    jobs = [Job(c.model_dump(mode="json"), prepare(c.data, data_root), seeds) for c in configs]
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        return pool.map(train, jobs, chunksize=1)


def train(job: Job) -> pd.DataFrame:
    """Train one configuration on its fresh seeds."""
    data = load_prepared(job.folder)
    config = parse_trial(job.config | {"phase": "confirm", "seeds": job.seeds, "device": "cpu"})
    reports: list[EpochReport] = []
    outcome = run_trial(config, data, lambda report, _save: reports.append(report))
    if outcome.state is not State.COMPLETE:
        raise TrialError(outcome.message)
    metric = METRICS[config.data.metric or data.info.metric]
    return best_epochs(reports, config.replicates, metric)


def best_epochs(
    reports: Sequence[EpochReport], replicates: Sequence[Replicate], metric: Metric
) -> pd.DataFrame:
    """Validation and test of each replicate at its best validation epoch; nan if it has none."""
    best = BestEpochs(metric, Protocol.SPLIT, Phase.CONFIRM)
    for report in reports:
        best.add(report)
    chosen = [(replicate, best.at(place)) for place, replicate in enumerate(replicates)]
    rows = [
        {"seed": r.seed, "fold": r.fold, "valid": at and at[1].valid, "test": at and at[1].test}
        for r, at in chosen
    ]
    return pd.DataFrame(rows).astype({"valid": float, "test": float})
