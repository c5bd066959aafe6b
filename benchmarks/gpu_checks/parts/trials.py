"""Whole trials of ``run_trial``, and what they report."""

from __future__ import annotations

import time
from collections.abc import Sequence

import torch
from torch import Tensor

from gpu_checks.bench import Bench
from pdf_search.config import TrialConfig
from pdf_search.records import EpochReport
from pdf_search.training import run_trial


def train(bench: Bench, config: TrialConfig) -> tuple[list[EpochReport], float]:
    """Run a trial; returns its reports and the seconds that it took."""
    reports: list[EpochReport] = []
    began = time.perf_counter()
    run_trial(config, bench.data, lambda report, _: reports.append(report))
    return reports, time.perf_counter() - began


def curve(reports: Sequence[EpochReport]) -> Tensor:
    """Training loss, validation and test value, [epochs, R, 3]; a part that is not seen is 0."""
    return torch.tensor(
        [
            [[r.train_loss, r.valid or 0.0, r.test or 0.0] for r in report.replicates]
            for report in reports
        ],
        dtype=torch.float64,
    )
