"""A model loaded from its checkpoint predicts what the run recorded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from pdf_search.config import TrialConfig
from pdf_search.data import Prepared
from pdf_search.data.splits.split_parts import split_for
from pdf_search.errors import ConfigError, TrialError
from pdf_search.inference.load import Trained, load_trained, read_config
from pdf_search.inference.predict import predictions
from tests.graphs.makers import random_set
from tests.training.trials import folded, made, run, trial

SMALL = {"data": {"name": "made"}, "phase": "confirm", "seeds": (3, 5)}


@pytest.fixture(scope="module")
def data() -> Prepared:
    graphs = random_set(3, 40)
    return made(graphs, list(range(24)), list(range(24, 32)), list(range(32, 40)))


@pytest.fixture(scope="module")
def config() -> TrialConfig:
    return trial(**SMALL, training={"epochs": 6})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, data: Prepared, config: TrialConfig) -> Path:
    path = tmp_path_factory.mktemp("run")
    run(config, data, folder=path, save_at=6)
    return path


def recorded(folder: Path, part: str, replicate: int) -> np.ndarray:
    table = pd.read_parquet(folder / "predictions.parquet")
    chosen = (table["split"] == part) & (table["replicate"] == replicate)
    return table[chosen].sort_values("index")["prediction"].to_numpy()


def test_all_replicates_predict_what_the_run_recorded(
    folder: Path, config: TrialConfig, data: Prepared
) -> None:
    trained = load_trained(folder, config, data)
    rows = predictions(trained, data.graphs.subset(np.arange(32, 40)))
    for replicate in range(2):
        assert rows[replicate, :, 0] == pytest.approx(recorded(folder, "test", replicate), rel=1e-5)
    assert trained.chosen == "best validation epoch"


@pytest.mark.parametrize("replicate", [0, 1])
def test_one_replicate(folder: Path, config: TrialConfig, data: Prepared, replicate: int) -> None:
    trained = load_trained(folder, config, data, replicate)
    assert trained.replicates == (config.replicates[replicate],)
    name, numbers = trained.part()
    assert name == "validation"
    rows = predictions(trained, data.graphs.subset(numbers))
    assert rows[0, :, 0] == pytest.approx(recorded(folder, "valid", replicate), rel=1e-5)


def test_each_fold_predicts_in_the_scale_of_its_own_targets(tmp_path: Path) -> None:
    graphs, numbers = random_set(3, 40), list(range(40))
    data = made(graphs, numbers[:24], numbers[24:32], numbers[32:])
    config = trial("made", fraction=1, protocol="inner", folds=3, phase="confirm")
    run(config, data, folder=tmp_path, save_at=4)
    whole = predictions(load_trained(tmp_path, config, data), graphs)
    for fold in range(3):
        alone = load_trained(tmp_path, config, data, fold)
        held_out = split_for(data, config, alone.replicates[0]).test
        rows = predictions(alone, graphs)[0]
        assert rows[held_out, 0] == pytest.approx(recorded(tmp_path, "test", fold), rel=1e-5)
        assert rows == pytest.approx(whole[fold], rel=1e-5)


def test_folds_without_validation_give_the_last_epoch(mutag: Prepared, tmp_path: Path) -> None:
    config = folded(phase="confirm", training={"epochs": 1}, fraction=1.0)
    run(config, mutag, folder=tmp_path, save_at=1)
    trained: Trained = load_trained(tmp_path, config, mutag, 4)
    assert (trained.chosen, trained.epochs) == ("last epoch", (1,))
    name, numbers = trained.part()
    assert name == "test"
    rows = predictions(trained, mutag.graphs.subset(numbers))
    assert rows.sum(-1) == pytest.approx(1)
    assert rows[0].reshape(-1) == pytest.approx(recorded(tmp_path, "test", 4), abs=1e-5)


def test_refused(folder: Path, config: TrialConfig, data: Prepared, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--replicate 2: the run has replicates 0\.\.1"):
        load_trained(folder, config, data, 2)
    with pytest.raises(TrialError, match="saved with data"):
        load_trained(folder, config, replace(data, fingerprint="other"))
    other = trial(**{**SMALL, "seeds": (3, 6)}, training={"epochs": 6})
    with pytest.raises(TrialError, match="saved with configuration"):
        load_trained(folder, other, data)
    with pytest.raises(TrialError, match="no checkpoint"):
        load_trained(tmp_path, config, data)
    (tmp_path / "checkpoint.pt").write_bytes((folder / "checkpoint.pt").read_bytes()[:1000])
    with pytest.raises(TrialError, match="damaged"):
        load_trained(tmp_path, config, data)


def test_a_configuration_that_cannot_be_read(tmp_path: Path, config: TrialConfig) -> None:
    with pytest.raises(ConfigError, match="no run of `pdf-search train`"):
        read_config(tmp_path)
    file = tmp_path / "config.yaml"
    for text, reason in [("- 1", "not a configuration"), ("{", "cannot be read"), ("a: 1", "a: ")]:
        file.write_text(text)
        with pytest.raises(ConfigError, match=reason):
            read_config(tmp_path)
    file.write_text(yaml.safe_dump(config.model_dump(mode="json")))
    assert read_config(tmp_path) == config
