"""An exported model: the same numbers from its folder alone, without ray and optuna."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pdf_search
from pdf_search.api.refitting import refit, refit_config
from pdf_search.config import DataConfig
from pdf_search.data import Dataset, Prepared, load_prepared, prepare
from pdf_search.errors import ConfigError, DataError, FullDiskError
from pdf_search.inference import Model, Trained, load_trained
from pdf_search.inference.exported import write_model
from tests.inference.test_molecules import SMILES, prepared
from tests.inference.test_own_graphs import graphs
from tests.training.trials import folded, run, trial

BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("ray", "optuna", "torchmetrics"):  # the last is only slow
            raise ImportError(f"{name} is not installed")

sys.meta_path.insert(0, Blocked())
import pdf_search

found = pdf_search.load(sys.argv[1]).predict(["CCO", "nonsense", "c1ccccc1"])
found.to_csv(sys.stdout, index=False)
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    folder = tmp_path_factory.mktemp("data")
    return prepared(folder, folder / "cache", {"a": np.linspace(5, 9, 80).tolist()})


@pytest.fixture(scope="module")
def trained(data: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    config = trial("csv", fraction=1.0, phase="confirm", seeds=(3, 4), training={"epochs": 2})
    folder = tmp_path_factory.mktemp("run")
    run(config, data, folder=folder, save_at=2)
    return load_trained(folder, config)


@pytest.fixture(scope="module")
def folder(trained: Trained, tmp_path_factory: pytest.TempPathFactory) -> Path:
    first = tmp_path_factory.mktemp("exported") / "first"
    write_model(trained, first, "# card\n")
    return Path(shutil.move(first, first.with_name("moved")))


def test_it_predicts_the_same_from_its_folder(trained: Trained, folder: Path) -> None:
    model = pdf_search.load(folder)
    found, expected = model.predict(SMILES), Model(trained).predict(SMILES)
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
    assert found["predicted_a"].between(3, 11).all()  # in the unit of the file
    assert (model.targets, model.task, model.replicates) == (("a",), "regression", 2)
    assert "predicted_a" in repr(model)


def test_it_needs_neither_ray_nor_optuna(trained: Trained, folder: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", BLOCKED, str(folder)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = out.splitlines()
    ours = Model(trained).predict(["CCO", "nonsense", "c1ccccc1"])
    assert lines[0] == ",".join(ours.columns)
    numbers = [float(lines[i].split(",")[1]) for i in (1, 3)]
    assert numbers == pytest.approx(ours["predicted_a"][[0, 2]], rel=1e-6)
    assert "not a SMILES string" in lines[2]


def test_both_engines_give_the_same_numbers(folder: Path) -> None:
    fast = pdf_search.load(folder).predict(SMILES)
    file = folder / "config.json"
    text = file.read_text()
    try:
        file.write_text(text.replace('"engine": "fast"', '"engine": "reference"'))
        plain = pdf_search.load(folder).predict(SMILES)
    finally:
        file.write_text(text)
    numbers = ["predicted_a", "spread_a"]
    np.testing.assert_allclose(fast[numbers], plain[numbers], atol=2e-5)


def test_it_names_no_path_of_this_machine(folder: Path, data: Prepared) -> None:
    for file in folder.iterdir():
        text = file.read_bytes()
        assert str(data.folder).encode() not in text
        assert str(data.folder.parents[2]).encode() not in text
    assert json.loads((folder / "config.json").read_text())["data"]["name"] == "csv"


def test_others_may_read_it(folder: Path) -> None:
    modes = {file.name: file.stat().st_mode & 0o044 for file in [folder, *folder.iterdir()]}
    assert set(modes.values()) == {0o044}  # under the usual umask


def test_what_is_no_model_is_refused(trained: Trained, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no exported model"):
        pdf_search.load(tmp_path / "none")
    with pytest.raises(ConfigError, match="there already"):
        write_model(trained, folder, "")
    broken = shutil.copytree(folder, tmp_path / "broken")
    weights = broken / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-8])
    with pytest.raises(ConfigError, match="cannot be read"):
        pdf_search.load(broken)
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="/file is a file; name a new"):
        write_model(trained, tmp_path / "file" / "below", "")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["broken", "file"]
    with pytest.raises(DataError, match="a list of SMILES"):
        pdf_search.load(folder).predict("CCO")


def test_a_full_disk_leaves_nothing_and_has_a_remedy(
    trained: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    monkeypatch.setattr("pdf_search.full_disk.free_bytes", lambda _: 512)
    folder = tmp_path / "model"
    with pytest.raises(FullDiskError) as caught:
        write_model(trained, folder, "")
    assert str(caught.value) == (
        f"--to {folder}: the disk of {folder} is full (512 bytes are free). Make room, or name a "
        "folder on another disk"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_a_missing_smiles_is_a_row_with_a_reason(folder: Path, missing: Any) -> None:
    found = pdf_search.load(folder).predict(["CCO", missing, "CC"])
    assert found["smiles"].tolist() == ["CCO", "", "CC"]
    assert found["predicted_a"].isna().tolist() == [False, True, False]
    assert found["reason"].tolist() == ["", "the cell is empty", ""]
    column = pdf_search.load(folder).predict(pd.Series(["CCO", missing, "CC"], index=[3, 1, 2]))
    pd.testing.assert_frame_equal(column, found)


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        (["CCO", 3], r"item 1 of the list \(counted from 0\) is a int, not a SMILES"),
        (graphs(2), "item 0 .* is a Data, not a SMILES: .* give their SMILES"),
        (Dataset.from_pyg(graphs(2)), "give their SMILES, not graphs"),
        (pd.DataFrame({"smiles": ["CCO"]}), r"a DataFrame is no list: .*table\['smiles'\]"),
        ({"smiles": ["CCO"]}, "a dict is no list"),
        (5, "give a list of SMILES"),
    ],
)
def test_what_is_no_list_of_smiles_is_refused(folder: Path, inputs: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        pdf_search.load(folder).predict(inputs)


def test_graphs_of_ones_own(tmp_path: Path) -> None:
    file = Dataset.from_pyg(graphs()).save(tmp_path / "own.npz")
    data = load_prepared(prepare(DataConfig(name="graphs", path=str(file)), cache=tmp_path / "c"))
    config = trial("graphs", fraction=1.0, phase="confirm", training={"epochs": 1})
    run(config, data, folder=tmp_path / "run", save_at=1)
    trained = load_trained(tmp_path / "run", config)
    write_model(trained, tmp_path / "out", "")
    again = pdf_search.load(tmp_path / "out").predict(graphs())
    pd.testing.assert_frame_equal(again, Model(trained).predict(Dataset.from_pyg(graphs())))
    assert (again["calibrated"] == "no").all()
    assert {"familiar", "unlike"} <= set(again)
    with pytest.raises(DataError, match="graph 1 is a str, not a torch_geometric"):
        Model(trained).predict([graphs(1)[0], "CCO"])
    with pytest.raises(DataError, match="a DataFrame is no list"):
        Model(trained).predict(again)
    tagged = graphs(3)
    for number, graph in enumerate(tagged):
        graph.split = number  # an attribute that says nothing about a prediction
    assert len(Model(trained).predict(tagged)) == 3


def test_a_refit_trains_on_all_graphs(trained: Trained, data: Prepared, tmp_path: Path) -> None:
    config = refit_config(trained.config, 1)
    seen: list[int] = []
    refit(config, data, tmp_path, lambda epoch: seen.append(epoch.epoch))
    again = load_trained(tmp_path, config)
    assert seen == [1]
    assert (again.epochs, again.chosen) == ((1, 1), "last epoch")
    assert again.replicates == trained.replicates
    mean = data.graphs.targets.astype(np.float64).mean()
    assert again.facts.mean.flatten().tolist() == pytest.approx([mean] * 2, rel=1e-6)
    assert trained.facts.mean.flatten().tolist() != pytest.approx([mean] * 2, rel=1e-6)


def test_a_refit_of_folds_has_seeds_of_its_own() -> None:
    config = refit_config(folded(), 3)
    assert (config.folds, config.epochs, len(config.seeds)) == (None, 3, 4)
