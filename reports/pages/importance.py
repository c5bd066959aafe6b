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
from pdf_search.wording import counted
from reports.entry import Entry
from reports.grid.numbers import format_parameter
from reports.sweep_data import SweepData

FEWEST_TRIALS = 12
LEFT_OUT = "left out: "
SHUFFLES = 2000
NOISE_LEVEL = 0.95
ROUNDING = 1e-12  # of a share

Floats = NDArray[np.float64]
Scored = tuple[Entry, float]  # a trial and the validation value by which it is compared


@dataclass(frozen=True)
class Importance:
    """How much of the ranks one parameter explains, over the ``n`` trials that sampled it."""

    path: str
    share: float  # of the variance of ranks, 0..1
    noise: float  # 95 % quantile of the share over shuffles
    n: int
    chance: float = 1.0  # p value: how often shuffled ranks explain as much

    @property
    def meaningful(self) -> bool:
        """Whether the parameter explains more than chance."""
        return self.share > self.noise


@dataclass(frozen=True)
class ImportanceReport:
    """The parameters by descending share.

    ``basis`` says which values of which trials were compared. If too few trials can be compared,
    there are no rows, and ``basis`` is the reason. ``left_out`` says of each sampled parameter that
    has no row why it has none.
    """

    rows: tuple[Importance, ...]
    basis: str
    left_out: tuple[tuple[str, str], ...] = ()

    def left_out_text(self) -> str:
        """The parameters that are left out, by their reason; empty if there are none."""
        reasons: dict[str, list[str]] = {}
        for path, reason in self.left_out:
            reasons.setdefault(reason, []).append(path)
        named = (f"{', '.join(paths)} ({reason})" for reason, paths in reasons.items())
        text = "; ".join(named)
        return f"Parameters left out: {text}." if text else ""


def importance(data: SweepData) -> ImportanceReport:
    """Measure importance over trials that can be compared.

    These are the complete trials. If there are fewer than ``FEWEST_TRIALS`` of them, pruned trials
    join, and all are compared at the last epoch that every one reached.
    """
    scored, basis = comparable(data)
    if len(scored) < FEWEST_TRIALS:
        count = counted(len(scored), "comparable trial")
        reason = f"{LEFT_OUT}{count}, at least {FEWEST_TRIALS} are needed"
        return ImportanceReport((), reason)
    paths = dict.fromkeys(path for entry, _ in scored for path in entry.trial.params)
    left_out = tuple((path, why) for path in paths if (why := _why_left_out(path, scored)))
    rows = [_of_parameter(path, scored) for path in paths if path not in dict(left_out)]
    rows.sort(key=lambda row: -row.share)
    return ImportanceReport(tuple(rows), basis, left_out)


def comparable(data: SweepData) -> tuple[list[Scored], str]:
    """The trials that can be compared at equal epochs, and in words which values these are.

    They are the complete trials if there are enough of them, else all trials at the last epoch
    that every one reached.
    """
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


def _why_left_out(path: str, scored: Sequence[Scored]) -> str:
    """Why a parameter has no importance; empty if it has one."""
    values = [e.trial.params[path] for e, _ in scored if path in e.trial.params]
    if len({format_parameter(v) for v in values}) < 2:
        return "the same in all of these trials"
    if len(values) < FEWEST_TRIALS:
        return f"sampled in fewer than {FEWEST_TRIALS} of these trials"
    return ""


def _of_parameter(path: str, scored: Sequence[Scored]) -> Importance:
    active = [(e.trial.params[path], value) for e, value in scored if path in e.trial.params]
    values = [value for value, _ in active]
    target = _ranks(np.array([score for _, score in active]))
    design = _design(values)
    shuffled = np.random.default_rng(0).permuted(np.tile(target, (SHUFFLES, 1)), axis=1)
    shares, own = _shares(design, shuffled), float(_shares(design, target[None])[0])
    noise = float(np.quantile(shares, NOISE_LEVEL))
    as_much = int((shares >= own - ROUNDING).sum())
    return Importance(path, own, noise, len(active), (1 + as_much) / (1 + SHUFFLES))


def _design(values: Sequence[Any]) -> Floats:
    """Orthonormal columns that span the centred ranks of numbers, or indicators of categories."""
    if all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
        columns = _ranks(np.array(values, dtype=float))[:, None]
    else:
        names = [format_parameter(value) for value in values]
        columns = np.array([[float(n == c) for c in sorted(set(names))] for n in names])
    basis, singular, _ = np.linalg.svd(columns - columns.mean(axis=0), full_matrices=False)
    return np.asarray(basis[:, singular > 1e-9], dtype=np.float64)


def _shares(basis: Floats, targets: Floats) -> Floats:
    """For each row of ``targets``, the share of its variance that the basis explains."""
    centred = targets - targets.mean(axis=1, keepdims=True)
    total = np.square(centred).sum(axis=1)
    explained = np.square(centred @ basis).sum(axis=1)
    return np.asarray(explained / np.where(total > 0, total, 1.0), dtype=np.float64)


def _ranks(values: Floats) -> Floats:
    """Ranks from 1; equal values get the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[inverse], dtype=np.float64)
