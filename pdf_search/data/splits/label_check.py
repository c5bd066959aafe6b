"""Checks, before a sweep starts, that the metric is defined on each part of the split."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pdf_search.config import TrialConfig
from pdf_search.data.prepared.folder import Prepared
from pdf_search.data.splits.split_parts import Numbers, split_for
from pdf_search.data.splits.split_units import known_as
from pdf_search.data.splits.task_notes import tasks_counted
from pdf_search.errors import ConfigError
from pdf_search.records import Metric, Protocol, Replicate, Task
from pdf_search.wording import counted

RANKING = ("rocauc", "ap")  # undefined unless a task has graphs of both classes
BOTH_WANTED = "no task with graphs of both classes"
SEARCH_ALONE = ", or search without confirming: --top-k 0"


def check_labels(
    data: Prepared, metric: Metric, search: TrialConfig | None, confirm: TrialConfig | None
) -> None:
    """Check that each part that a sweep trains or evaluates on has the labels that it needs.

    ``search`` and ``confirm`` are a trial of each phase; None if the sweep has no such phase.

    Raises:
        ConfigError: A part lacks labels. The message names the part, the metric and the remedy.
    """
    for config in filter(None, (search, confirm)):
        splits = [split_for(data, config, replicate) for replicate in _distinct(config)]
        for part in ("train", "valid", "test"):
            folds = [graphs for s in splits if (graphs := getattr(s, part)) is not None]
            unused = part == "valid" and config is confirm and not any(map(len, folds))
            if folds and not unused:
                _check_part(data, metric, part, folds, config)


def _distinct(config: TrialConfig) -> tuple[Replicate, ...]:
    """One replicate for each different split: seeds share a split, each fold has its own."""
    one_for_each = {replicate.fold: replicate for replicate in config.replicates}
    return tuple(one_for_each.values())


def _check_part(
    data: Prepared, metric: Metric, part: str, folds: Sequence[Numbers], config: TrialConfig
) -> None:
    """Check one part, given its graphs in each split.

    A training part needs labels in every split. For another part, one split in which the metric is
    defined is enough.
    """
    lacks = [_lack(np.asarray(data.graphs.targets[graphs]), metric, part) for graphs in folds]
    bad = any(lacks) if part == "train" else all(lacks)
    if not bad:
        return
    where = "" if len(folds) == 1 else f" of fold {[bool(lack) for lack in lacks].index(True)}"
    several = len(folds) > 1
    size = counted(len(folds) if several else len(folds[0]), "fold" if several else "graph")
    tasks = counted(data.graphs.targets.shape[1], "task")
    chosen = config.protocol is not Protocol.SPLIT or data.official is None
    seed = f", or another --set data.split_seed (now {config.data.split_seed})" if chosen else ""
    raise ConfigError(
        f"{known_as(data, config)}: the {part} part{where} ({size}) has "
        f"{next(filter(None, lacks))}, so {metric.name} is undefined there (0 of {tasks}). Give a "
        f"larger data set{seed}{SEARCH_ALONE if part == 'test' else ''}"
    )


def _lack(targets: NDArray[np.generic], metric: Metric, part: str) -> str:
    """Say what targets [n, tasks] lack for the metric; "" if nothing."""
    if np.isnan(targets).all():
        return "no graph with a label"
    if metric.name in RANKING and part != "train":
        return "" if tasks_counted(Task.MULTILABEL, targets).any() else BOTH_WANTED
    return ""
