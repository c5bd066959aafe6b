"""Splits of few graphs and of rare classes: they run, or say why not, and say what is lacking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from pdf_search.config import TrialConfig
from pdf_search.data import Prepared, Split, split_for
from pdf_search.data.splits.split_notes import with_split_notes
from pdf_search.errors import DataError
from pdf_search.records import Phase, Replicate, Task
from tests.data.conftest import labelled, trial

Classes = Callable[..., Prepared]


def folds(count: int, protocol: str = "inner", **data: object) -> TrialConfig:
    phase = Phase.CONFIRM
    tree = {"name": "freesolv", **data}
    return trial(protocol=protocol, folds=count, phase=phase, data=tree)


@pytest.fixture
def classes(freesolv: Prepared) -> Classes:
    """A data set of classes, given the class of each graph."""

    def made(*labels: int) -> Prepared:
        info = replace(freesolv.info, task=Task.MULTICLASS)
        names = tuple("abcdefgh"[: max(labels) + 1])
        return replace(labelled(freesolv, labels), info=info, class_names=names)

    return made


def regression(freesolv: Prepared, graphs: int) -> Prepared:
    return labelled(freesolv, range(graphs))


def parts(data: Prepared, config: TrialConfig) -> list[Split]:
    assert config.folds is not None
    return [split_for(data, config, Replicate(0, fold)) for fold in range(config.folds)]


def check(data: Prepared, splits: list[Split]) -> None:
    """Nothing is empty, parts are disjoint, and each graph is held out once."""
    held_out = []
    for split in splits:
        assert split.test is not None
        assert len(split.train)
        assert len(split.valid)
        assert len(split.test)
        whole = np.concatenate([split.train, split.valid, split.test])
        assert sorted(whole.tolist()) == list(range(len(data.graphs)))
        held_out += split.test.tolist()
    assert sorted(held_out) == list(range(len(data.graphs)))


def test_two_folds_of_twenty_graphs_hold_out_what_the_classes_allow(classes: Classes) -> None:
    data = classes(*[0, 1] * 10)
    splits = parts(data, folds(2))
    check(data, splits)
    # Ten graphs train, five of each class: a fifth of them validates, one of each class.
    for split in splits:
        assert (len(split.train), len(split.valid)) == (8, 2)
        assert sorted(data.graphs.targets[split.valid, 0].tolist()) == [0, 1]
    notes = with_split_notes(data, folds(2)).notes
    assert notes == (
        "too few graphs to hold a tenth of a training part out: 2 of 10 validate in the search",
    )


def test_what_validates_is_said_where_it_is_a_seventh(classes: Classes) -> None:
    data = classes(*[0, 1] * 10)
    valid = {(len(split.train), len(split.valid)) for split in parts(data, folds(3))}
    assert valid == {(11, 2), (12, 2)}
    (note,) = with_split_notes(data, folds(3)).notes
    assert note.endswith("2 of 13 validate in the search")


def test_from_ten_graphs_of_a_class_on_a_tenth_is_held_out(classes: Classes) -> None:
    data = classes(*[0, 1] * 20)
    splits = parts(data, folds(2))
    check(data, splits)
    assert {len(split.valid) for split in splits} == {2}
    assert with_split_notes(data, folds(2)).notes == ()


@pytest.mark.parametrize("graphs", [3, 4, 5, 8, 11, 12])
@pytest.mark.parametrize("count", [2, 3])
def test_few_graphs_of_a_regression(freesolv: Prepared, graphs: int, count: int) -> None:
    data = regression(freesolv, graphs)
    if graphs == 3 and count == 2:
        with pytest.raises(DataError, match="3 graphs in 2 folds leave 1 to train on"):
            parts(data, folds(count))
        return
    check(data, parts(data, folds(count)))


def test_graphs_that_no_folds_can_hold(freesolv: Prepared, classes: Classes) -> None:
    with pytest.raises(DataError, match="2 graphs are too few for 3 folds"):
        parts(regression(freesolv, 2), folds(3))
    with pytest.raises(DataError, match="2 graphs in 2 folds leave 1 to train on"):
        parts(regression(freesolv, 2), folds(2))
    with pytest.raises(DataError, match=r"the largest class has 3, .* give at most 3 folds"):
        parts(classes(0, 0, 0, 1, 1, 1), folds(4))
    with pytest.raises(DataError, match="leave 2 to train on, too few to hold one out"):
        parts(classes(0, 0, 1, 1), folds(2))
    with pytest.raises(DataError, match="9 graphs are too few for a split of 80:10:10"):
        split_for(regression(freesolv, 9), trial(), Replicate(0))


def test_one_class_only_is_split(classes: Classes) -> None:
    data = classes(*[0] * 9)
    check(data, parts(data, folds(3)))


def test_a_class_with_fewer_graphs_than_folds_is_named_with_the_folds(classes: Classes) -> None:
    data = classes(*[0] * 40, *[1] * 4)
    for protocol in ("inner", "gin-curve"):
        (note,) = with_split_notes(data, folds(10, protocol)).notes
        assert note.startswith(
            "class b has 4 graphs, fewer than the 10 folds: none in the validation part of "
        )
        assert note.endswith(", the test part of 6 of 10 folds")
    assert with_split_notes(classes(*[0] * 40, *[1] * 10), folds(10)).notes == ()


def test_a_class_of_one_graph_is_missing_where_it_is_held_out(classes: Classes) -> None:
    (note,) = with_split_notes(classes(*[0] * 40, 1), folds(4)).notes
    assert note.startswith("class b has 1 graph, fewer than the 4 folds: none in the training part")
    assert note.endswith("the test part of 3 of 4 folds")


def test_many_rare_classes_are_counted(classes: Classes) -> None:
    notes = with_split_notes(classes(*[0] * 60, 1, 2, 3, 4, 5, 6, 7), folds(10)).notes
    assert len(notes) == 6
    assert notes[-1] == "and 2 more classes that some parts lack"


def test_a_class_that_a_random_split_leaves_out(classes: Classes) -> None:
    data, config = classes(*[0] * 40, 1), trial(phase=Phase.CONFIRM)
    split = split_for(data, config, Replicate(0))
    (note,) = with_split_notes(data, trial()).notes
    has = [40 in part for part in (split.train, split.valid, split.test)]
    lacking = [
        p for p, there in zip(("training", "validation", "test"), has, strict=True) if not there
    ]
    assert note == "class b has 1 graph: none in " + ", ".join(f"the {p} part" for p in lacking)


def test_a_fraction_that_leaves_one_graph_is_said(freesolv: Prepared) -> None:
    data = {"name": "freesolv", "train_fraction": 1e-6}
    (note,) = with_split_notes(freesolv, trial(data=data)).notes
    assert note == "data.train_fraction 1e-06 leaves one graph to train on"
    assert with_split_notes(freesolv, trial()).notes == ()
