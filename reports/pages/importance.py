"""Importance of hyperparameters: which sampled values went with a better validation metric.

The importance of a parameter is the share of the variance of the trials' ranks that it explains
alone: the squared rank correlation for numbers, the between-group share for categories. Its noise
level is the 95 % quantile of the same share after shuffling the ranks. A share below its noise
level says nothing. Neither interactions nor causality are measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdf_search.records import State
from pdf_search.results import Stat
from reports.grid.numbers import format_parameter
from reports.sweep_data import Entry, SweepData

FEWEST_TRIALS = 12
SHUFFLES = 500
NOISE_LEVEL = 0.95

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Importance:
    """How much of the ranks one parameter explains, over the ``n`` trials that sampled it."""

    path: str
    share: float  # of the variance of ranks, 0..1
    noise: float  # 95 % quantile of the share over shuffles
    n: int

    @property
    def meaningful(self) -> bool:
        """Whether the parameter explains more than chance."""
        return self.share > self.noise


@dataclass(frozen=True)
class ImportanceReport:
    """The parameters by descending share.

    ``basis`` says which values of which trials were compared. If too few trials can be compared,
    there are no rows, and ``basis`` is the reason.
    """

    rows: tuple[Importance, ...]
    basis: str


def importance(data: SweepData) -> ImportanceReport:
    """Measure importance over trials that can be compared.

    These are the complete trials. If there are fewer than ``FEWEST_TRIALS`` of them, pruned trials
    join, and all are compared at the last epoch that every one reached.
    """
    scored, basis = _comparable(data)
    if len(scored) < FEWEST_TRIALS:
        reason = f"left out: {len(scored)} comparable trials, at least {FEWEST_TRIALS} are needed"
        return ImportanceReport((), reason)
    paths = dict.fromkeys(path for entry, _ in scored for path in entry.trial.params)
    rows = [row for path in paths if (row := _of_parameter(path, scored)) is not None]
    rows.sort(key=lambda row: -row.share)
    return ImportanceReport(tuple(rows), basis)


def _comparable(data: SweepData) -> tuple[list[tuple[Entry, float]], str]:
    complete = [e for e in data.search if e.trial.state is State.COMPLETE]
    scored = [(e, v) for e in complete if (v := e.summary.mean) is not None]
    if len(scored) >= FEWEST_TRIALS:
        return scored, f"best validation value of the {len(scored)} complete trials"
    states = (State.COMPLETE, State.PRUNED)
    reached = [e for e in data.search if e.trial.state in states and e.epochs]
    epoch = min((e.summary.epochs for e in reached), default=0)
    scored = [(e, v) for e in reached if (v := _valid_at(e, epoch)) is not None]
    text = f"validation value at epoch {epoch}, which all {len(scored)} trials reached"
    return scored, text + ("; what helps early need not help late" if scored else "")


def _valid_at(entry: Entry, epoch: int) -> float | None:
    report = next((r for r in entry.epochs if r.epoch == epoch), None)
    return None if report is None else Stat.of(r.valid for r in report.replicates).mean


def _of_parameter(path: str, scored: Sequence[tuple[Entry, float]]) -> Importance | None:
    active = [(e.trial.params[path], value) for e, value in scored if path in e.trial.params]
    values = [value for value, _ in active]
    if len(active) < FEWEST_TRIALS or len({format_parameter(v) for v in values}) < 2:
        return None
    target = _ranks(np.array([score for _, score in active]))
    design = _design(values)
    shuffled = np.random.default_rng(0)
    chance = [_share(design, shuffled.permutation(target)) for _ in range(SHUFFLES)]
    noise = float(np.quantile(chance, NOISE_LEVEL))
    return Importance(path, _share(design, target), noise, len(active))


def _design(values: Sequence[Any]) -> Floats:
    """Orthonormal columns that span the centred ranks of numbers, or indicators of categories."""
    if all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
        columns = _ranks(np.array(values, dtype=float))[:, None]
    else:
        names = [format_parameter(value) for value in values]
        columns = np.array([[float(n == c) for c in sorted(set(names))] for n in names])
    basis, singular, _ = np.linalg.svd(columns - columns.mean(axis=0), full_matrices=False)
    return np.asarray(basis[:, singular > 1e-9], dtype=np.float64)


def _share(basis: Floats, target: Floats) -> float:
    centred = target - target.mean()
    total = float(centred @ centred)
    return float(np.square(basis.T @ centred).sum()) / total if total else 0.0


def _ranks(values: Floats) -> Floats:
    """Ranks from 1; equal values get the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[inverse], dtype=np.float64)
