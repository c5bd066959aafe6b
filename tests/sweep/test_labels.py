"""Splits on which the metric is undefined are refused with the part, the metric and a remedy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pdf_search.config import DataConfig
from pdf_search.data.prepared.folder import Prepared, load_prepared
from pdf_search.data.prepared.prepare import prepare
from pdf_search.data.splits.label_check import check_labels
from pdf_search.data.splits.split_parts import Split, split_for
from pdf_search.errors import ConfigError
from pdf_search.records import METRICS, Phase, Protocol, Task
from pdf_search.space import Space
from pdf_search.sweep.samplers.trial_builder import TrialBuilder, example


@pytest.fixture(scope="module")
def data(cache: Path) -> Prepared:
    return load_prepared(prepare(DataConfig(name="freesolv"), cache=cache))


@pytest.fixture
def builder(space: Space) -> TrialBuilder:
    return TrialBuilder(space, 0, 2, 2, 2, "cpu")


def check(data: Prepared, builder: TrialBuilder, metric: str, confirm: bool = True) -> None:
    search = builder.search(example(builder.space))
    last = builder.confirm(search.model_dump(mode="json")) if confirm else None
    check_labels(data, METRICS[metric], search, last)


def parts(data: Prepared, builder: TrialBuilder) -> Split:
    search = builder.search(example(builder.space))
    config = builder.confirm(search.model_dump(mode="json"))
    return split_for(data, config, config.replicates[0])


def with_targets(data: Prepared, targets: np.ndarray, task: Task) -> Prepared:
    graphs = replace(data.graphs, targets=targets.astype(np.float32))
    return replace(data, graphs=graphs, info=replace(data.info, task=task))


@pytest.mark.parametrize("part", ["train", "valid", "test"])
def test_a_part_without_labels(data: Prepared, builder: TrialBuilder, part: str) -> None:
    check(data, builder, "rmse")
    targets = np.array(data.graphs.targets)
    targets[getattr(parts(data, builder), part)] = np.nan
    bare = with_targets(data, targets, Task.REGRESSION)
    with pytest.raises(ConfigError, match=f"the {part} part .*no graph with a label.*rmse.*seed"):
        check(bare, builder, "rmse")


@pytest.mark.parametrize("metric", ["rocauc", "ap"])
@pytest.mark.parametrize("part", ["valid", "test"])
def test_a_part_of_one_class(data: Prepared, builder: TrialBuilder, part: str, metric: str) -> None:
    two = np.stack([np.arange(len(data.graphs)) % 2, np.zeros(len(data.graphs))], axis=1)
    check(with_targets(data, two, Task.MULTILABEL), builder, metric)
    two[getattr(parts(data, builder), part), 0] = 0
    one = with_targets(data, two, Task.MULTILABEL)
    with pytest.raises(ConfigError, match=f"the {part} part .*both classes.*{metric}"):
        check(one, builder, metric)


def test_without_confirmation_the_test_part_is_not_looked_at(
    data: Prepared, builder: TrialBuilder
) -> None:
    targets = np.array(data.graphs.targets)
    targets[parts(data, builder).test] = np.nan
    check(with_targets(data, targets, Task.REGRESSION), builder, "rmse", confirm=False)


def test_what_is_undefined_in_some_folds_goes_on(data: Prepared, builder: TrialBuilder) -> None:
    rare = np.zeros((len(data.graphs), 1))
    rare[:4] = 1  # four graphs of the class: most folds have none
    some = with_targets(data, rare, Task.MULTILABEL)
    search = builder.search(example(builder.space))
    folds = search.model_copy(update={"protocol": Protocol.INNER, "folds": 10})
    confirm = folds.model_copy(update={"phase": Phase.CONFIRM})
    check_labels(some, METRICS["rocauc"], folds, confirm)
    none = with_targets(data, np.zeros((len(data.graphs), 1)), Task.MULTILABEL)
    with pytest.raises(ConfigError, match=r"the valid part .*10 folds.*rocauc .*0 of 1 task"):
        check_labels(none, METRICS["rocauc"], folds, confirm)


def test_an_undefined_test_part_names_the_search_alone(
    data: Prepared, builder: TrialBuilder
) -> None:
    targets = np.array(data.graphs.targets)
    targets[parts(data, builder).test] = np.nan
    bare = with_targets(data, targets, Task.REGRESSION)
    with pytest.raises(ConfigError, match=r"the test part .*\(0 of 1 task\).*--top-k 0"):
        check(bare, builder, "rmse")
