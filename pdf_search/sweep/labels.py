"""Whether the labels of a split say anything: a metric that is undefined there ends no search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdf_search.config import TrialConfig
from pdf_search.data.prepared import Prepared
from pdf_search.data.splits import Numbers, split_for
from pdf_search.errors import ConfigError
from pdf_search.records import Metric, Protocol, Replicate

RANKING = ("rocauc", "ap")  # compare graphs of both classes


def check_labels(
    data: Prepared, metric: Metric, search: TrialConfig | None, confirm: TrialConfig | None
) -> None:
    """That every part that a sweep trains and evaluates on has the labels that it needs.

    ``search`` and ``confirm``: a trial of either phase; None where there is none.

    Raises:
        ConfigError: names the part, the metric and the remedy.
    """
    for config in filter(None, (search, confirm)):
        for replicate in _distinct(config):
            split = split_for(data, config, replicate)
            parts = {"train": split.train, "valid": split.valid, "test": split.test}
            for part, graphs in parts.items():
                unused = part == "valid" and config is confirm and not len(split.valid)
                if graphs is not None and not unused:
                    _check_part(data, metric, part, graphs, replicate, config)


def _distinct(config: TrialConfig) -> tuple[Replicate, ...]:
    """One replicate for each split: seeds of a fixed split share theirs, folds do not."""
    one_for_each = {replicate.fold: replicate for replicate in config.replicates}
    return tuple(one_for_each.values())


def _check_part(
    data: Prepared,
    metric: Metric,
    part: str,
    graphs: Numbers,
    replicate: Replicate,
    config: TrialConfig,
) -> None:
    targets = np.asarray(data.graphs.targets[graphs])
    if np.isnan(targets).all():
        lacks = "no graph with a label"
    elif metric.name in RANKING and part != "train" and not _both_classes(targets):
        lacks = "no task with graphs of both classes"
    else:
        return
    where = "" if replicate.fold is None else f" of fold {replicate.fold}"
    chosen = config.protocol is not Protocol.SPLIT or data.official is None
    seed = f", or another --set data.split_seed (now {config.data.split_seed})" if chosen else ""
    raise ConfigError(
        f"{data.info.title}: the {part} part{where} ({len(graphs)} graphs) has {lacks}, so "
        f"{metric.name} is undefined there. Give a larger data set{seed}"
    )


def _both_classes(targets: NDArray[np.generic]) -> bool:
    """Whether a task has a positive and a negative graph; ``targets`` [n, tasks]."""
    return bool(((targets == 1).any(0) & (targets == 0).any(0)).any())
