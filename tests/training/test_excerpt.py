"""What is kept with a checkpoint: the facts of the training data, and a few graphs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from pdf_search.config import DataConfig
from pdf_search.errors import TrialError
from pdf_search.graphs.graph_set import GraphSet
from pdf_search.records import Task
from pdf_search.training.artifacts import excerpt
from pdf_search.training.artifacts.checkpoint import CHECKPOINT
from pdf_search.training.artifacts.excerpt import EXCERPT, Excerpt, read_excerpt, sample_size
from pdf_search.training.artifacts.facts import ModelFacts
from pdf_search.training.replicates import ReplicateSplits
from tests.graphs.makers import random_set
from tests.training.trials import made, run, trial

CONFIG = trial(data={"name": "made"}, phase="confirm", seeds=(3, 5), training={"epochs": 1})


def same(one: GraphSet, other: GraphSet) -> None:
    for name in excerpt._ARRAYS:
        ours, theirs = getattr(one, name), getattr(other, name)
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)
    assert one.self_type == other.self_type


@pytest.mark.parametrize(("name", "featuriser"), [("csv", 2), ("ogbg-molhiv", 1)])
def test_a_checkpoint_carries_what_the_model_needs(
    tmp_path: Path, name: str, featuriser: int
) -> None:
    graphs = random_set(3, 40)
    data = made(graphs, list(range(24)), [30, 25, 28], [35])
    data = replace(data, info=replace(data.info, name=name))
    config = CONFIG.model_copy(update={"data": DataConfig(name=name, featuriser=2)})
    run(config, data, folder=tmp_path, save_at=1)
    state = torch.load(tmp_path / CHECKPOINT, weights_only=True)
    facts = ModelFacts.read(state)
    assert facts is not None
    assert (facts.info, facts.target_names) == (data.info, data.target_names)
    assert (facts.featuriser, facts.graphs) == (featuriser, 40)
    assert (facts.fingerprint, facts.prepared) == (data.fingerprint, str(data.folder))
    train = graphs.targets[:24].astype(np.float64)
    for replicate in range(2):
        assert facts.mean[replicate, 0].numpy() == pytest.approx(train.mean(0), rel=1e-6)
        assert facts.std[replicate, 0].numpy() == pytest.approx(train.std(0), rel=1e-6)
    kept = read_excerpt(tmp_path)
    assert kept is not None
    assert [(name, numbers.tolist()) for name, numbers in kept.parts] == [
        ("validation", [30, 25, 28])
    ] * 2
    assert kept.numbers.tolist() == [25, 28, 30]
    same(kept.graphs, graphs.subset(np.array([25, 28, 30])))
    same(kept.subset(np.array([30, 25])), graphs.subset(np.array([30, 25])))
    assert np.isnan(kept.graphs.targets).all()


@pytest.mark.parametrize("standardise", [True, False])
def test_targets_that_were_not_standardised_have_scale_one(standardise: bool) -> None:
    graphs = random_set(3, 40)
    data = made(graphs, list(range(24)), list(range(24, 32)), list(range(32, 40)))
    config = trial(
        data={"name": "made"}, training={"epochs": 1, "standardise_targets": standardise}
    )
    facts = ModelFacts.of(config, data, ReplicateSplits.of(config, data))
    assert bool((facts.mean == 0).all() and (facts.std == 1).all()) is not standardise
    labels = replace(data, info=replace(data.info, task=Task.MULTILABEL))
    facts = ModelFacts.of(config, labels, ReplicateSplits.of(config, labels))
    assert bool((facts.mean == 0).all() and (facts.std == 1).all())


def test_as_many_graphs_as_hold_the_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excerpt, "SAMPLE_PAIRS", 100)
    assert sample_size(np.array([6, 8, 1])) == 2
    assert sample_size(np.array([6, 8, 1, 9])) == 2
    assert sample_size(np.array([11, 1])) == 1  # one at least


def test_graphs_of_real_features_and_large_numbers(tmp_path: Path) -> None:
    graphs = random_set(5, 12)
    nodes = np.asarray(graphs.nodes, np.float32) + np.float32(0.1)
    graphs = replace(graphs, nodes=nodes, edge_types=np.asarray(graphs.edge_types) - 300)
    data = made(graphs, list(range(8)), [8, 9], [10, 11])
    kept = Excerpt.of(CONFIG, data)
    kept.write(tmp_path)
    read = read_excerpt(tmp_path)
    assert read is not None
    same(read.graphs, graphs.subset(np.array([8, 9])))


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    assert read_excerpt(tmp_path) is None
    graphs = random_set(3, 40)
    Excerpt.of(CONFIG, made(graphs, list(range(24)), [30], [35])).write(tmp_path)
    whole = (tmp_path / EXCERPT).read_bytes()
    for content in (whole[: len(whole) // 2], b"", b"no archive"):
        (tmp_path / EXCERPT).write_bytes(content)
        with pytest.raises(TrialError, match=r"graphs\.npz: damaged"):
            read_excerpt(tmp_path)
