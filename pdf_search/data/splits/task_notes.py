"""Makes notes on tasks for which a part lacks labels; the metric there leaves these tasks out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pdf_search.data.prepared.folder import Prepared
from pdf_search.data.splits.split_parts import Numbers
from pdf_search.records import Task
from pdf_search.wording import counted

NEEDS = {
    Task.MULTILABEL: "graphs of both classes",
    Task.REGRESSION: "a graph with a value",
    Task.MULTICLASS: "a graph with a label",
}
SHOWN = 5  # tasks named one by one


def tasks_counted(task: Task, targets: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Return for which of T tasks the metric is defined on ``targets`` [n, T], as bool [T].

    Binary labels need graphs of both classes (ROC-AUC, AP); other targets need one value.
    """
    if task is Task.MULTILABEL:
        return np.asarray((targets == 1).any(0) & (targets == 0).any(0))
    return np.asarray(~np.isnan(targets).all(0))


def task_notes(data: Prepared, parts: Sequence[tuple[str, Sequence[Numbers]]]) -> list[str]:
    """Return a note on each part in which the metric is undefined for some task.

    ``parts`` has the name of each part and its graphs in each fold.
    """
    return [note for name, folds in parts if (note := _note(data, name, folds))]


def _note(data: Prepared, part: str, folds: Sequence[Numbers]) -> str:
    targets = np.asarray(data.graphs.targets)
    found = np.stack([tasks_counted(data.info.task, targets[graphs]) for graphs in folds])
    if found.all():
        return ""
    total = found.shape[1]
    least, most = int(found.sum(1).min()), int(found.sum(1).max())
    needs = NEEDS[data.info.task]
    one = f"{least}" if least == most else f"{least} to {most}"
    where = f"the {part} part" + (f" of {len(folds)} folds" if len(folds) > 1 else "")
    have = "has" if total == 1 else "have"
    said = f"in {where}, {one} of {counted(total, 'task')} {have} {needs}"
    if not most:
        return f"{said}: the metric is undefined there"
    empty = int((~found.any(1)).sum())
    undefined = f"; it is undefined in {empty} of {len(folds)} folds" if empty else ""
    return f"{said}; the metric is the mean of those{undefined}{_left_out(data, found)}"


def untrained_notes(data: Prepared, folds: Sequence[Numbers]) -> list[str]:
    """Return a note on tasks without any value in the training part of some fold.

    ``folds`` has the training graphs of each fold.
    """
    targets = np.asarray(data.graphs.targets)
    lacking = np.stack([np.isnan(targets[graphs]).all(0) for graphs in folds])
    if not lacking.any():
        return []
    names = _named(data, np.asarray(lacking.any(0)))
    where = f" of {lacking.any(1).sum()} of {len(folds)} folds" if len(folds) > 1 else ""
    return [f"no value in the training part{where}, so nothing is learned of it: {names}"]


def _left_out(data: Prepared, found: NDArray[np.bool_]) -> str:
    """The names of the tasks that are undefined in all folds, in parentheses; "" if none."""
    names = _named(data, np.asarray(~found.any(0)))
    return f" (left out: {names})" if names else ""


def _named(data: Prepared, tasks: NDArray[np.bool_]) -> str:
    """The names of the tasks that are true in the mask; of many the first few."""
    names = [data.target_names[i] for i in np.flatnonzero(tasks) if data.target_names]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
