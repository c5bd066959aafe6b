"""The predictor that looks at no graph."""

from __future__ import annotations

import numpy as np
import pytest

from pdf_search.data import Prepared, split_for
from pdf_search.records import Phase, Replicate, Task
from pdf_search.training.baseline import baseline_predictor
from tests.graphs.makers import random_set
from tests.training.trials import folded, made, trial, with_targets

CONFIRM = Phase.CONFIRM


def test_the_mean_of_freesolv(freesolv: Prepared) -> None:
    config = trial(fraction=1, phase=CONFIRM)
    report = baseline_predictor(config, freesolv)
    split = split_for(freesolv, config, Replicate(0))
    targets = freesolv.graphs.targets[:, 0].astype(float)
    mean = targets[split.train].mean()
    by_hand = np.sqrt(((targets[split.test] - mean) ** 2).mean())
    replicate = report.replicates[0]
    assert report.epoch == 0
    assert replicate.test == pytest.approx(by_hand, rel=1e-6)
    assert replicate.test == pytest.approx(3.35, abs=0.005)
    assert replicate.valid is not None


def test_the_majority_of_mutag(mutag: Prepared) -> None:
    report = baseline_predictor(folded(phase=CONFIRM), mutag)
    labels = mutag.graphs.targets[:, 0]
    tests = [split_for(mutag, folded(phase=CONFIRM), Replicate(0, f)).test for f in range(10)]
    majority = np.bincount(labels.astype(int)).argmax()
    expected = [(labels[test] == majority).mean() for test in tests]
    assert [r.test for r in report.replicates] == pytest.approx(expected)
    sizes = [len(test) for test in tests]  # type: ignore[arg-type]
    assert np.average(expected, weights=sizes) == pytest.approx(labels.mean())
    assert all(r.valid is None for r in report.replicates)


def test_search_has_no_test_value(freesolv: Prepared, mutag: Prepared) -> None:
    for config, data in ((trial(), freesolv), (folded(), mutag)):
        for replicate in baseline_predictor(config, data).replicates:
            assert replicate.test is None
            assert replicate.valid is not None


def test_a_constant_ranks_nothing() -> None:
    graphs = random_set(2, 20, tasks=2)
    targets = np.tile([[0, 1], [1, 0]], (10, 1)).astype(np.float32)
    targets[3, 1] = np.nan
    numbers = list(range(20))
    data = made(
        with_targets(graphs, targets),
        numbers[:10],
        numbers[10:15],
        numbers[15:],
        Task.MULTILABEL,
        "rocauc",
    )
    report = baseline_predictor(trial("made", fraction=1, phase=CONFIRM), data)
    assert report.replicates[0].valid == report.replicates[0].test == 0.5
