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


def smoothed_values(values: Iterable[float | None]) -> Iterator[float | None]:
    """The mean of the last ``WINDOW`` finite values; None at an epoch whose own is not finite.

    While there are fewer it is the mean of all.
    """
    recent: deque[float] = deque(maxlen=WINDOW)
    for value in values:
        if value is None or not isfinite(value):
            yield None
        else:
            recent.append(value)
            yield fmean(recent)


def best_smoothed(values: Iterable[float | None], metric: Metric) -> float | None:
    """The best mean of consecutive epochs; None if no value is finite."""
    return metric.best(mean for mean in smoothed_values(values) if mean is not None)
