"""Temperature scaling: the temperature that logits were multiplied by is found again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pdf_search.data import Prepared
from pdf_search.inference.calibration import Calibration, calibration_of, fitted
from pdf_search.inference.exported import load_exported, write_model
from pdf_search.inference.load import load_trained
from pdf_search.inference.molecules import predict_molecules
from pdf_search.records import Task
from tests.inference.test_molecules import SMILES, prepared, table
from tests.training.trials import run, trial

TOO_SURE = 3.0


def rows(truth: np.ndarray, each: list[np.ndarray]) -> pd.DataFrame:
    """Predictions of each replicate [n, C] for graphs of these classes or labels, as recorded."""
    frames = []
    for replicate, values in enumerate(each):
        count, tasks = values.shape
        targets = np.repeat(truth, tasks) if truth.ndim == 1 else truth.reshape(-1)
        frames.append(
            pd.DataFrame(
                {
                    "index": np.repeat(np.arange(count), tasks),
                    "task": np.tile(np.arange(tasks), count),
                    "replicate": replicate,
                    "target": targets.astype(float),
                    "prediction": values.reshape(-1),
                }
            )
        )
    return pd.concat(frames)


def labels(replicates: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 1.5, (4000, 2))
    truth = (rng.random(logits.shape) < 1 / (1 + np.exp(-logits))).astype(float)
    return rows(truth, [1 / (1 + np.exp(-TOO_SURE * logits))] * replicates)


def classes() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    logits = rng.normal(0, 1.5, (6000, 3))
    true = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    truth = (rng.random((6000, 1)) > true.cumsum(1)).sum(1)
    sure = np.exp(TOO_SURE * logits)
    return rows(truth, [sure / sure.sum(1, keepdims=True)])


def test_probabilities_that_are_too_sure_are_found() -> None:
    for table_, task in ((labels(), Task.MULTILABEL), (classes(), Task.MULTICLASS)):
        found = fitted(table_, task)
        assert found.temperature == pytest.approx(TOO_SURE, rel=0.1)
        assert found.after < 0.8 * found.before
        assert f"temperature {found.temperature:.3g}" in found.words
    assert fitted(labels(), Task.MULTILABEL).labels == 8000


def test_the_loss_is_that_of_the_mean_over_replicates() -> None:
    one, three = fitted(labels(), Task.MULTILABEL), fitted(labels(3), Task.MULTILABEL)
    assert three.temperature == pytest.approx(one.temperature)
    assert three.labels == one.labels
    truth = np.arange(60.0)[:, None] % 2
    right = np.where(truth == 1, 0.9, 0.1)
    uneven = rows(truth, [right, np.full((60, 1), 0.5)])
    mean = 0.7  # of the probabilities, not of their logits
    assert fitted(uneven, Task.MULTILABEL).before == pytest.approx(-np.log(mean))


def test_missing_labels_do_not_count() -> None:
    table_ = labels()
    table_.loc[table_["task"] == 1, "target"] = np.nan
    assert fitted(table_, Task.MULTILABEL).labels == 4000


@pytest.mark.parametrize(
    "change", [{"target": 1.0}, {"target": np.nan}], ids=["one kind", "no label"]
)
def test_too_little_to_fit_is_said(change: dict[str, float]) -> None:
    found = fitted(labels().assign(**change), Task.MULTILABEL)
    assert found.temperature == 1
    assert found.words.startswith("probabilities are not calibrated: it takes 50 validation labels")
    assert fitted(labels().head(40), Task.MULTILABEL).why_not


def test_probabilities_that_say_nothing_are_not_calibrated() -> None:
    table_ = labels()
    shuffled = table_.assign(target=np.random.default_rng(5).permutation(table_["target"]))
    found = fitted(shuffled, Task.MULTILABEL)
    assert "at no temperature is their log loss" in found.words
    assert found.temperature == 1


def test_weights_without_predictions_are_not_calibrated(tmp_path: Path) -> None:
    assert calibration_of(tmp_path, Task.REGRESSION, True) is None
    for best in (True, False):
        found = calibration_of(tmp_path, Task.MULTILABEL, best)
        assert found is not None
        assert "no validation predictions by these weights" in found.why_not


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Prepared]:
    """Eight columns of labels, so that eight validation molecules have 64."""
    folder = tmp_path_factory.mktemp("labels")
    rng = np.random.default_rng(0)
    often = {f"t{i}": 0.95 if i % 2 else 0.05 for i in range(8)}  # which the network learns
    columns = {name: (rng.random(80) < p).astype(int).tolist() for name, p in often.items()}
    return folder, prepared(folder, folder / "cache", columns)


def test_what_is_predicted_is_calibrated(several: tuple[Path, Prepared]) -> None:
    folder, data = several
    config = trial("csv", fraction=1.0, phase="confirm", seeds=(0, 1), training={"epochs": 15})
    run(config, data, folder=folder, save_at=15)
    trained = load_trained(folder, config)
    assert isinstance(trained.calibration, Calibration)
    assert trained.calibration.labels == 64
    found = predict_molecules(trained, table(SMILES * 8), "smiles")
    assert (found.table["calibrated"] == "yes").all()
    assert found.notes[0].startswith("probabilities are calibrated by the temperature")
    some = predict_molecules(trained, table(["CCO", "no molecule"]), "smiles").table
    assert list(some["calibrated"]) == ["yes", ""]
    write_model(trained, folder / "out", "")
    again = predict_molecules(load_exported(folder / "out"), table(SMILES * 8), "smiles")
    pd.testing.assert_frame_equal(again.table, found.table, check_exact=True)
    recorded = pd.read_parquet(folder / "predictions.parquet")
    recorded = recorded[recorded["split"] == "test"]
    odds = np.log(recorded["prediction"] / (1 - recorded["prediction"]))
    scaled = 1 / (1 + np.exp(-odds / trained.calibration.temperature))
    mean = recorded.assign(scaled=scaled).groupby(["index", "task"])["scaled"].mean().unstack()
    ours = found.table.loc[mean.index, [f"predicted_t{i}" for i in range(8)]]
    assert ours.to_numpy() == pytest.approx(mean.to_numpy(), abs=1e-5)
