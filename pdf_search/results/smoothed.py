"""The value by which the trials of a search are ranked.

The best of many single epochs is partly luck, most of all on a small validation set. A search
therefore ranks by the means of consecutive epochs; that finds better configurations for the same
epochs (``benchmarks/search.py``). Tables and confirmation read the single best epoch, as published
protocols do.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from math import isfinite
from statistics import fmean

from pdf_search.records import Metric

WINDOW = 3  # epochs


class Smoothed:
    """The mean of the last ``WINDOW`` finite values of a curve; of all, while there are fewer."""

    def __init__(self) -> None:
        self.recent: deque[float] = deque(maxlen=WINDOW)

    def add(self, value: float | None) -> float | None:
        """Take in the next epoch's value and return the mean; None if the value is not finite."""
        if value is None or not isfinite(value):
            return None
        self.recent.append(value)
        return fmean(self.recent)


def best_smoothed(values: Iterable[float | None], metric: Metric) -> float | None:
    """The best mean of consecutive epochs; None if no value is finite."""
    curve = Smoothed()
    means = [mean for value in values if (mean := curve.add(value)) is not None]
    return (min if metric.mode == "min" else max)(means, default=None)
