"""Of how many tasks a part has what a metric needs is said, and which tasks are left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pdf_search.data import Prepared, split_for
from pdf_search.data.splits.split_notes import with_split_notes
from pdf_search.data.splits.task_notes import tasks_counted
from pdf_search.records import Phase, Replicate, Task
from tests.data.conftest import trial

NAN = np.nan


def tasks(data: Prepared, task: Task, count: int = 3) -> Prepared:
    labels = np.stack([np.arange(len(data.graphs)) // 2**t % 2 for t in range(count)], 1)
    graphs = replace(data.graphs, targets=labels.astype(np.float32))
    names = tuple("abcdefgh"[:count])
    info = replace(data.info, task=task)
    return replace(data, graphs=graphs, target_names=names, info=info, notes=())


def task_words(data: Prepared) -> tuple[str, ...]:
    """The notes on a split, but for the one on what the metric averages."""
    *notes, averaged = with_split_notes(data, trial()).notes
    assert "is the mean over" in averaged
    return tuple(notes)


def emptied(data: Prepared, part: str, value: float, *columns: int) -> Prepared:
    split = split_for(data, trial(phase=Phase.CONFIRM), Replicate(0))
    targets = np.array(data.graphs.targets)
    for column in columns:
        targets[getattr(split, part), column] = value
    return replace(data, graphs=replace(data.graphs, targets=targets))


def test_which_tasks_count() -> None:
    targets = np.array([[0, 1, NAN, NAN], [1, 1, 1, NAN], [1, NAN, 0, NAN]])
    assert tasks_counted(Task.MULTILABEL, targets).tolist() == [True, False, True, False]
    assert tasks_counted(Task.REGRESSION, targets).tolist() == [True, True, True, False]
    assert tasks_counted(Task.REGRESSION, targets[:0]).tolist() == [False] * 4


@pytest.mark.parametrize(
    ("part", "columns", "said"),
    [
        (
            "valid",
            (1,),
            "in the validation part, 2 of 3 tasks have graphs of both classes; the metric is the "
            "mean of those (left out: b)",
        ),
        (
            "test",
            (0, 1, 2),
            "in the test part, 0 of 3 tasks have graphs of both classes: the metric is undefined "
            "there",
        ),
    ],
)
def test_labels_of_one_class(
    freesolv: Prepared, part: str, columns: tuple[int, ...], said: str
) -> None:
    data = tasks(freesolv, Task.MULTILABEL)
    assert task_words(data) == ()
    assert task_words(emptied(data, part, 0, *columns)) == (said,)


def test_targets_without_values(freesolv: Prepared) -> None:
    data = emptied(tasks(freesolv, Task.REGRESSION, 2), "test", NAN, 0)
    (note,) = task_words(data)
    assert note == (
        "in the test part, 1 of 2 tasks have a graph with a value; the metric is the mean of those "
        "(left out: a)"
    )


def test_folds_say_in_how_many_it_is_undefined(freesolv: Prepared) -> None:
    data = tasks(freesolv, Task.MULTILABEL, 1)
    targets = np.zeros_like(np.array(data.graphs.targets))
    targets[:4] = 1  # four graphs of the class in ten folds
    data = replace(data, graphs=replace(data.graphs, targets=targets))
    config = trial(protocol="inner", folds=10, data={"name": "freesolv"})
    notes = with_split_notes(data, config).notes
    held_out = [
        split_for(data, with_phase, Replicate(0, fold)).test
        for fold, with_phase in (
            (fold, config.model_copy(update={"phase": Phase.CONFIRM})) for fold in range(10)
        )
    ]
    empty = sum(not (targets[part] == 1).any() for part in held_out)
    assert 6 <= empty < 10
    assert "the test part of 10 folds, 0 to 1 of 1 task has graphs of both classes" in notes[-1]
    assert f"it is undefined in {empty} of 10 folds" in notes[-1]


def test_many_tasks_are_cut(freesolv: Prepared) -> None:
    data = emptied(tasks(freesolv, Task.MULTILABEL, 8), "test", 0, *range(7))
    (note,) = task_words(data)
    assert note.endswith("(left out: a, b, c, d, e and 2 more)")
