"""The value by which the trials of a search are ranked.

The best of many single epochs is partly luck, most of all on a small validation set. A search
therefore ranks by the means of consecutive epochs; that finds better configurations for the same
epochs (``benchmarks/search.py``). Tables and confirmation read the single best epoch, as published
protocols do.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from math import isfinite
from statistics import fmean

from pdf_search.records import Metric

WINDOW = 3  # epochs


class Smoother:
    """The mean of the last ``WINDOW`` finite values; while there are fewer, that of all."""

    def __init__(self) -> None:
        self._recent: deque[float] = deque(maxlen=WINDOW)

    def add(self, value: float | None) -> float | None:
        """Take in an epoch's value, and return the mean; None if the value is not finite."""
        if value is None or not isfinite(value):
            return None
        self._recent.append(value)
        return fmean(self._recent)


def smoothed_values(values: Iterable[float | None]) -> Iterator[float | None]:
    """The smoothed value after each of the values."""
    return map(Smoother().add, values)


def smoothed_words(epochs: int) -> str:
    """Say what the best smoothed value of so many epochs is; the first ones have fewer behind."""
    if epochs < 2:
        return "the value of the only epoch"
    count = {2: "two", WINDOW: "three"}[min(epochs, WINDOW)]
    return f"the best mean of up to {count} consecutive epochs"


def best_smoothed(values: Iterable[float | None], metric: Metric) -> float | None:
    """The best mean of consecutive epochs; None if no value is finite."""
    return metric.best(mean for mean in smoothed_values(values) if mean is not None)
