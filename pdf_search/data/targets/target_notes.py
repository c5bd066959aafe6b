"""Makes notes on several targets: the metric is their mean, and their scales may differ."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdf_search.config import TrialConfig
from pdf_search.data.prepared.folder import Prepared
from pdf_search.data.registry import OWN
from pdf_search.records import METRICS, Task

RARE = 0.1  # share of the rarer label below which there is a note
LARGEST = 0.8  # share of the largest class from which there is one
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


def imbalance_notes(data: Prepared) -> list[str]:
    """Return a note on one's own classes or labels if they are of very unequal number.

    It says what the metric makes of it; of the named sets this is known. Of labels, those are
    named of which the rarer value is below ``RARE``; of classes, the largest if its share is
    ``LARGEST`` or more.
    """
    if data.info.name not in OWN:
        return []
    targets = np.asarray(data.graphs.targets, np.float64)
    if data.info.task is Task.MULTICLASS:
        return _unequal_classes(data, targets[~np.isnan(targets[:, 0]), 0])
    return _unequal_labels(data, targets) if data.info.task is Task.MULTILABEL else []


def _unequal_classes(data: Prepared, labels: NDArray[np.float64]) -> list[str]:
    counts = np.bincount(labels.astype(np.int64), minlength=1)
    share, largest = counts.max() / max(1, len(labels)), int(counts.argmax())
    if share < LARGEST or largest >= len(data.class_names):
        return []
    name = data.class_names[largest]
    return [
        f"classes are unequal: {share:.0%} of the graphs are of class {name}, so a model that "
        f"always says {name} has an accuracy of {share:.2f} (the row of the majority class)"
    ]


def _unequal_labels(data: Prepared, targets: NDArray[np.float64]) -> list[str]:
    known = np.maximum((~np.isnan(targets)).sum(axis=0), 1)
    ones = (targets == 1).sum(axis=0) / known
    rare = [
        f"{name} {share:.1%} ones"
        for name, share in zip(data.target_names, ones, strict=True)
        if 0 < min(share, 1 - share) < RARE
    ]
    if not rare:
        return []
    rest = f" and {len(rare) - _SHOWN} more" if len(rare) > _SHOWN else ""
    depends = "does not depend" if data.info.metric == "rocauc" else "depends"
    label = METRICS[data.info.metric].label
    return [
        f"labels are unequal: {', '.join(rare[:_SHOWN])}{rest}; {label} {depends} on their share"
    ]


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
