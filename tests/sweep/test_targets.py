"""Each target's value comes from the predictions written, and the mean of them is the headline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pdf_search.config import InputShape, TrialConfig, newest, parse_trial
from pdf_search.data import load_prepared, prepare
from pdf_search.data.registry import molecule_shape
from pdf_search.records import PREDICTIONS, EpochReport, Phase, Protocol, State, SweepRecord, Task
from pdf_search.results import Store, summarise
from pdf_search.sweep.confirmed_predictions import record_measured
from pdf_search.sweep.samplers.jobs import Job
from pdf_search.sweep.trial_log.trial_log import TrialLog
from pdf_search.training.importance.recorded import write_importance
from pdf_search.training.metrics import by_target, evaluate
from pdf_search.training.trial import run_trial
from tests.sweep.helpers import SilentView


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(f"sqlite:///{tmp_path / 'results.db'}") as opened:
        yield opened


def file(path: Path, labels: bool) -> str:
    """Three targets: whole, with gaps, and the last of a value that hardly any molecule has."""
    lines = []
    for i in range(60):
        smiles = "C" * (i % 20 + 1) + "O" * (i // 20)
        a = i * 7 % 3 % 2 if labels else i / 7
        b = "" if i % 4 == 0 else (i // 3 % 2 if labels else 1000 - i * i / 3)
        c = (1 if i == 20 else 0) if labels else ("" if i != 20 else 3.5)
        lines.append(f"{smiles},{a},{b},{c}\n")
    path.write_text("smiles,a,b,c\n" + "".join(lines))
    return str(path)


def config(path: str, metric: str, protocol: str) -> TrialConfig:
    data = newest({"name": "csv", "path": path, "targets": ["a", "b", "c"], "metric": metric})
    if metric in ("mae", "rmse"):
        data["task"] = "regression"
    return parse_trial(
        {
            "data": data,
            "basis": {"eps": [-0.3], "k": 1},
            "model": {"hidden": 8, "layers": 1},
            "training": {"epochs": 3, "batch_size": 16},
            "protocol": protocol,
            "folds": None if protocol == "split" else 3,
            "phase": "confirm",
            "seeds": [0, 1] if protocol == "split" else [0],
            "device": "cpu",
        }
    )


@pytest.mark.parametrize("protocol", ["split", "inner", "gin-curve"])
@pytest.mark.parametrize("metric", ["mae", "rmse", "rocauc", "ap"])
def test_the_mean_of_the_targets_is_the_headline(
    store: Store, tmp_path: Path, metric: str, protocol: str
) -> None:
    labels = metric in ("rocauc", "ap")
    trial = config(file(tmp_path / "m.csv", labels), metric, protocol)
    data = load_prepared(prepare(trial.data, cache=tmp_path / "cache"))
    record = sweep(metric, protocol)
    store.create_sweep(record)
    trial_log = TrialLog(store, record.name, Phase.CONFIRM, shape(labels), SilentView(), print)
    trial_log.planned(Job(Phase.CONFIRM, 0, trial))
    folder = tmp_path / "trial"
    folder.mkdir()

    def report(epoch: EpochReport, save: object) -> None:
        trial_log.epoch(0, epoch, "cpu")
        if epoch.epoch == trial.epochs:
            save(folder)  # type: ignore[operator]

    run_trial(trial, data, report, None)
    trial_log.save(replace(trial_log.records[0], state=State.COMPLETE, checkpoint=str(folder)))
    record_measured(trial_log)
    (found,) = store.trials(record.name)
    assert found.by_target is not None
    summary = summarise(record, found, trial_log.curve(0))
    for part, headline in (("test", summary.test), ("valid", summary.valid)):
        if part == "valid" and protocol == "gin-curve":
            assert part not in found.by_target
            continue
        rows = found.by_target[part]["values"]
        assert len(rows) == len(headline) == len(trial.replicates)
        for values, whole in zip(rows, headline, strict=True):
            assert len(values) == 3
            defined = [value for value in values if value is not None]
            assert whole == pytest.approx(np.mean(defined), rel=1e-5)
    counts = np.array(found.by_target["test"]["n"])
    assert counts.shape == (len(trial.replicates), 3)
    assert (counts[:, 1] < counts[:, 0]).all()
    undefined = [values[2] for values in found.by_target["test"]["values"]]
    assert None in undefined


def test_a_single_target_and_classes_record_nothing(store: Store, tmp_path: Path) -> None:
    record = sweep("mae", "split")
    store.create_sweep(record)
    trial_log = TrialLog(store, record.name, Phase.CONFIRM, shape(False), SilentView(), print)
    trial = config(file(tmp_path / "m.csv", False), "mae", "split")
    trial_log.planned(Job(Phase.CONFIRM, 0, trial))
    columns = {"split": "test", "index": [0, 1], "task": 0, "replicate": 0}
    table = pd.DataFrame({**columns, "target": [1.0, 2.0], "prediction": [1.5, 2.5]})
    table.to_parquet(tmp_path / PREDICTIONS)
    trial_log.save(replace(trial_log.records[0], state=State.COMPLETE, checkpoint=str(tmp_path)))
    record_measured(trial_log)
    assert store.trials(record.name)[0].by_target is None


def test_by_target_leaves_out_what_is_undefined() -> None:
    target = np.array([[1, 0, np.nan], [0, 0, np.nan], [1, 0, np.nan]], np.float32)
    prediction = np.array([[0.9, 0.1, 0.5], [0.2, 0.3, 0.5], [0.1, 0.5, 0.5]], np.float32)
    assert by_target("rocauc", target, prediction) == [0.5, None, None]
    assert evaluate("rocauc", target, prediction) == 0.5
    assert by_target("mae", target, prediction)[2] is None


def shape(labels: bool) -> InputShape:
    return molecule_shape(3, Task.MULTILABEL if labels else Task.REGRESSION)


def sweep(metric: str, protocol: str) -> SweepRecord:
    return SweepRecord(
        name="night",
        space="freesolv",
        space_definition={},
        dataset="csv",
        fingerprint="f",
        split_hash="s",
        metric=metric,
        protocol=Protocol(protocol),
        method="random",
        seed=0,
        trials=1,
        epochs=3,
    )


def test_the_importance_map_beside_a_checkpoint_is_recorded_once(
    store: Store, tmp_path: Path
) -> None:
    record = sweep("mae", "split")
    store.create_sweep(record)
    trial_log = TrialLog(store, record.name, Phase.CONFIRM, shape(False), SilentView(), print)
    trial = config(file(tmp_path / "m.csv", False), "mae", "split")
    for number in range(2):
        trial_log.planned(Job(Phase.CONFIRM, number, trial))
        folder = tmp_path / str(number)
        folder.mkdir()
        state = State.COMPLETE
        trial_log.save(replace(trial_log.records[number], state=state, checkpoint=str(folder)))
    found = {"grid": [[-0.3, 1], [-0.3, 2]], "replicates": []}
    write_importance(tmp_path / "1", found)
    record_measured(trial_log)
    write_importance(tmp_path / "1", {"grid": []})
    record_measured(trial_log)
    assert [trial.importance for trial in store.trials(record.name)] == [None, found]
