"""The note on how a metric averages several targets."""

from __future__ import annotations

from pdf_search.records import METRICS
from reports.sweep_data import SweepData


def averaged(data: SweepData) -> list[str]:
    """A note that the metric is a mean over targets; empty for a single target or accuracy."""
    count, metric = len(data.target_names), METRICS[data.sweep.metric]
    if count < 2 or data.sweep.metric == "accuracy":
        return []
    each = "each in its own unit, " if metric.mode == "min" else ""
    return [
        f"{metric.label}: the mean of the values of {count} targets, {each}counted once, "
        "undefined ones left out."
    ]
