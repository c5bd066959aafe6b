"""How far values differ by chance: spread between replicates, and paired differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from pdf_search.records import Replicate
from reports.entry import Entry

LEVEL = 0.95  # of every interval
MOST_POOLED = 10  # configurations whose spreads are pooled: bad ones vary more

Values = dict[Replicate, float]


@dataclass(frozen=True)
class Noise:
    """Spread of a value between replicates of one configuration: a sample standard deviation.

    It has ``freedom`` degrees of freedom, from ``configurations`` of them. ``folds``: how many
    folds the replicates have, 0 for none. ``epochs``: for how many they were trained, where that
    is another length than that of the trials that it is for; else 0.
    """

    std: float
    freedom: int
    configurations: int
    folds: int
    epochs: int = 0

    def margin(self, replicates: int) -> float:
        """The least measurable difference between the means of two configurations.

        Means are over ``replicates`` each. By chance alone they differ by more in 5 of 100 cases.
        """
        return quantile(self.freedom) * sqrt(2) * self.std * share(replicates, self.folds)


@dataclass(frozen=True)
class Difference:
    """Mean of the paired differences of ``n`` replicates, its standard error, and its interval."""

    mean: float
    error: float
    low: float
    high: float
    n: int

    @property
    def measurable(self) -> bool:
        """Whether the interval leaves out zero."""
        return self.low > 0 or self.high < 0


def values_of(entry: Entry, split: str) -> Values:
    """The finite values of a trial by replicate; ``split`` is ``valid`` or ``test``."""
    values = entry.summary.test if split == "test" else entry.summary.valid
    pairs = zip(entry.trial.replicates, values, strict=False)
    return {replicate: v for replicate, v in pairs if v is not None and isfinite(v)}


def noise(entries: Sequence[Entry], split: str) -> Noise | None:
    """The spread between replicates, pooled over the first ``MOST_POOLED`` configurations.

    Configurations count that have the replicates of the first one. Each one's mean is taken off
    and, with folds, each fold's as well, since all are trained on the same folds. None where no
    degree of freedom is left.
    """
    found = [values for entry in entries if len(values := values_of(entry, split)) > 1]
    same = [values for values in found if values.keys() == found[0].keys()][:MOST_POOLED]
    if not same:
        return None
    table = np.array([[values[replicate] for replicate in same[0]] for values in same])
    folds = fold_count(same[0])
    left = table - table.mean(axis=1, keepdims=True)
    freedom = table.shape[0] * (table.shape[1] - 1)
    if folds:
        left = left - left.mean(axis=0)
        freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    return Noise(_std(left, freedom), freedom, len(same), folds) if freedom else None


def paired(own: Values, other: Values) -> Difference | None:
    """Compare two configurations on the replicates that both have; None for fewer than two."""
    shared = [replicate for replicate in own if replicate in other]
    if len(shared) < 2:
        return None
    differences = np.array([own[replicate] - other[replicate] for replicate in shared])
    freedom = len(shared) - 1
    error = _std(differences - differences.mean(), freedom)
    error *= share(len(shared), fold_count(shared))
    mean, reach = float(differences.mean()), quantile(freedom) * error
    return Difference(mean, error, mean - reach, mean + reach, len(shared))


def share(replicates: int, folds: int) -> float:
    """Standard error of a mean over replicates, as a share of their standard deviation.

    Folds share training graphs, so the error is larger than that of as many fresh samples:
    sqrt(1/n + 1/(folds - 1)), the correction of Nadeau and Bengio (2003).
    """
    return sqrt(1 / replicates + (1 / (folds - 1) if folds > 1 else 0))


def fold_count(replicates: Sequence[Replicate] | Values) -> int:
    """How many different folds there are; 0 for replicates without folds."""
    return len({r.fold for r in replicates if r.fold is not None})


def quantile(freedom: float) -> float:
    """Half the width of Student's t interval, in standard errors."""
    return float(stdtrit(freedom, (1 + LEVEL) / 2))


def _std(left: NDArray[Any], freedom: int) -> float:
    return sqrt(float(np.square(left).sum()) / freedom)
