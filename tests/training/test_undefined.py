"""A part on which the metric is undefined: the trial goes on, without a value there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from pdf_search.config import DataConfig, TrialConfig
from pdf_search.data import Prepared, split_for
from pdf_search.records import METRICS, EpochReport, Phase, Protocol, ReplicateEpoch, State, Task
from pdf_search.training.baseline import baseline_predictor
from pdf_search.training.selection import Selection
from tests.training.trials import run, trial


@pytest.fixture
def config() -> TrialConfig:
    made = trial(phase=Phase.CONFIRM, training={"epochs": 2, "standardise_targets": False})
    return made.model_copy(
        update={"data": DataConfig(name="freesolv", train_fraction=0.1, metric="rocauc")}
    )


def two_tasks(data: Prepared, config: TrialConfig, **one_class: tuple[int, ...]) -> Prepared:
    """Labels of two tasks, of which those given have one class in a part."""
    labels = np.stack([np.arange(len(data.graphs)) % 2, np.arange(len(data.graphs)) // 2 % 2], 1)
    split = split_for(data, config, config.replicates[0])
    for part, tasks in one_class.items():
        for task in tasks:
            labels[getattr(split, part), task] = 0
    graphs = replace(data.graphs, targets=labels.astype(np.float32))
    assert data.info.shape is not None
    shape = data.info.shape.model_copy(update={"outputs": 2, "task": Task.MULTILABEL})
    info = replace(data.info, task=Task.MULTILABEL, metric="rocauc", shape=shape)
    return replace(data, graphs=graphs, info=info, target_names=("a", "b"))


def test_an_undefined_test_value_is_none_and_the_trial_is_complete(
    freesolv: Prepared, config: TrialConfig
) -> None:
    recorder, outcome = run(config, two_tasks(freesolv, config, test=(0, 1)))
    assert outcome.state is State.COMPLETE
    assert [r.replicates[0].test for r in recorder.reports] == [None, None]
    assert all(r.replicates[0].valid is not None for r in recorder.reports)


def test_a_task_of_one_class_is_left_out(freesolv: Prepared, config: TrialConfig) -> None:
    recorder, outcome = run(config, two_tasks(freesolv, config, test=(1,), valid=(0,)))
    assert outcome.state is State.COMPLETE
    for report in recorder.reports:
        assert 0 <= report.replicates[0].test <= 1  # type: ignore[operator]
        assert 0 <= report.valid <= 1  # type: ignore[operator]


def test_without_a_validation_value_no_epoch_is_chosen_and_the_last_model_is_kept(
    freesolv: Prepared, config: TrialConfig, tmp_path: Path
) -> None:
    data = two_tasks(freesolv, config, valid=(0, 1))
    recorder, outcome = run(config, data, folder=tmp_path, save_at=2)
    assert outcome.state is State.COMPLETE
    assert [report.valid for report in recorder.reports] == [None, None]
    state = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    assert state["selection"]["best_epoch"] == [2]
    kept, last = state["selection"]["weights"], state["model"]
    assert all(torch.equal(kept[name], last[name]) for name in kept)
    table = pd.read_parquet(tmp_path / "predictions.parquet")
    assert set(table["split"]) == {"valid", "test"}


def test_the_baseline_is_undefined_there_too(freesolv: Prepared, config: TrialConfig) -> None:
    report = baseline_predictor(config, two_tasks(freesolv, config, test=(0, 1)))
    assert report.replicates[0].test is None
    assert report.replicates[0].valid == pytest.approx(0.5)


@pytest.mark.parametrize(("values", "kept"), [((None, None, None), 2), ((None, 0.4, 0.7), 2)])
def test_the_curve_of_folds_passes_over_undefined_epochs(
    values: tuple[float | None, ...], kept: int
) -> None:
    selection = Selection(Protocol.GIN_CURVE, METRICS["rocauc"], 1)
    for epoch, value in enumerate(values):
        report = EpochReport(epoch + 1, 0.1, (ReplicateEpoch(1.0, None, value),), 0.1, 1.0)
        selection.see(report, {"test": [torch.full((1,), float(epoch))]}, {})
    assert selection.selected()["test"][0].item() == kept
