"""Makes notes on several targets: the metric is their mean, and their scales may differ."""

from __future__ import annotations

import numpy as np

from pdf_search.config import TrialConfig
from pdf_search.data.prepared.folder import Prepared
from pdf_search.records import METRICS, Task

WIDE = 100.0  # ratio of the largest to the smallest standard deviation that leads to a note
_SHOWN = 5


def averaged_note(data: Prepared) -> tuple[str, ...]:
    """Return a note that the metric is a mean over targets; nothing for a single target."""
    count = len(data.target_names)
    if count < 2 or data.info.task is Task.MULTICLASS:
        return ()
    label = METRICS[data.info.metric].label
    each = "each in its own unit and " if data.info.task is Task.REGRESSION else "each "
    rest = f" and {count - _SHOWN} more" if count > _SHOWN else ""
    named = f"{', '.join(data.target_names[:_SHOWN])}{rest}"
    return (f"{label} is the mean over {count} targets, {each}counted once: {named}",)


def scale_notes(data: Prepared, config: TrialConfig) -> list[str]:
    """Return a note if the standard deviations of regression targets are very different.

    The targets of the largest scale then decide the metric, and also the loss unless the targets
    are standardised.
    """
    if data.info.task is not Task.REGRESSION or len(data.target_names) < 2:
        return []
    targets = np.asarray(data.graphs.targets, np.float64)
    spread = np.array([np.nanstd(c) if (~np.isnan(c)).any() else 0.0 for c in targets.T])
    told = np.flatnonzero(spread > 0)
    if len(told) < 2 or spread[told].max() < WIDE * spread[told].min():
        return []
    low, high = told[spread[told].argmin()], told[spread[told].argmax()]
    scales = (
        f"standard deviations from {spread[low]:.3g} ({data.target_names[low]}) to "
        f"{spread[high]:.3g} ({data.target_names[high]})"
    )
    if config.training.standardise_targets:
        loss = "the loss counts them alike, each standardised by its own mean and deviation"
    else:
        loss = "the loss too (training.standardise_targets: true counts them alike there)"
    return [f"targets of very different scales decide the metric: {scales}; {loss}"]
