"""A run folder is enough: the model predicts and explains without data and cache."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pdf_search.data import Prepared
from pdf_search.errors import ConfigError
from pdf_search.inference.explanation.explain import explain
from pdf_search.inference.explanation.plain_data import summary
from pdf_search.inference.load import (
    NeedsDataError,
    Trained,
    load_trained,
    read_config,
    with_excerpt,
)
from pdf_search.inference.molecules import predict_molecules
from pdf_search.inference.predict import predictions
from tests.graphs.makers import random_set
from tests.inference.old import OLD_RUN
from tests.inference.test_molecules import SMILES, prepared, table
from tests.training.trials import made, run, trial

CONFIG = trial(data={"name": "made"}, phase="confirm", seeds=(3, 5), training={"epochs": 2})


@pytest.fixture(scope="module")
def data() -> Prepared:
    graphs = random_set(3, 40)
    graphs = replace(graphs, targets=graphs.targets * np.float32(3) + np.float32(5000))
    return made(graphs, list(range(24)), list(range(24, 32)), list(range(32, 40)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, data: Prepared) -> Path:
    trained_in = tmp_path_factory.mktemp("run") / "trained"
    run(CONFIG, data, folder=trained_in, save_at=2)
    return Path(shutil.move(trained_in, trained_in.with_name("moved")))


def alone(folder: Path, replicate: int | None = None) -> Trained:
    return with_excerpt(load_trained(folder, CONFIG, None, replicate), folder)


@pytest.mark.parametrize("replicate", [None, 1])
def test_it_predicts_as_with_its_data(folder: Path, data: Prepared, replicate: int | None) -> None:
    graphs = data.graphs.subset(np.arange(32, 40))
    expected = predictions(load_trained(folder, CONFIG, data, replicate), graphs)
    found = predictions(load_trained(folder, CONFIG, None, replicate), graphs)
    assert np.array_equal(found, expected)
    assert abs(found - 5000).max() < 100  # the scale of the targets came along


@pytest.mark.parametrize("graph", [None, 27])
def test_it_explains_as_with_its_data(folder: Path, data: Prepared, graph: int | None) -> None:
    expected = summary(explain(load_trained(folder, CONFIG, data, 1), graph))
    assert summary(explain(alone(folder, 1), graph)) == expected
    assert expected["response_graphs"] == 8


def test_a_graph_that_is_not_kept(folder: Path, data: Prepared) -> None:
    trained = alone(folder)
    assert [trained.knows(g) for g in (None, 24, 31, 3, 32)] == [True, True, True, False, False]
    with pytest.raises(ConfigError, match=r"graphs \[3\] are not kept with the model"):
        explain(trained, 3)
    with pytest.raises(ConfigError, match=r"graphs 0\.\.39"):
        explain(trained, 40)
    assert explain(load_trained(folder, CONFIG, data), 3).graph == 3
    without = load_trained(folder, CONFIG)
    assert not without.knows(None)
    with pytest.raises(ConfigError, match=r"no graphs\.npz"):
        explain(without)


def test_a_checkpoint_of_an_older_version_asks_for_its_data() -> None:
    config = read_config(OLD_RUN / "runs" / "m")
    with pytest.raises(NeedsDataError) as refused:
        load_trained(OLD_RUN / "runs" / "m", config)
    assert len(refused.value.fingerprint) == 64


@pytest.fixture(scope="module")
def molecules(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Trained:
    """A model of targets about 5000 whose file is gone."""
    folder = tmp_path_factory.mktemp("molecules")
    data = prepared(folder, cache, {"boiling": np.linspace(4900, 5300, 80).tolist()})
    config = trial("csv", fraction=1.0, phase="confirm", seeds=(0, 1), training={"epochs": 2})
    run(config, data, folder=folder, save_at=2)
    (folder / "molecules.csv").unlink()
    return load_trained(folder, config)


def boiling(trained: Trained, smiles: list[str]) -> np.ndarray:
    return predict_molecules(trained, table(smiles), "smiles").table["predicted_boiling"].to_numpy()


def test_a_prediction_depends_on_its_molecule_alone(molecules: Trained) -> None:
    whole = boiling(molecules, SMILES)
    assert abs(whole - 5100).max() < 400  # in the unit of the file
    assert boiling(molecules, SMILES[::-1])[::-1] == pytest.approx(whole, abs=0.01)
    assert boiling(molecules, ["no molecule", *SMILES * 20])[1:11] == pytest.approx(whole, abs=0.01)
    for number in (0, 3, 9):
        assert boiling(molecules, [SMILES[number]]) == pytest.approx(whole[number], abs=0.01)


def test_molecules_are_read_as_those_it_was_trained_on(molecules: Trained) -> None:
    enantiomers = ["N[C@@H](C)C(=O)O", "C[C@H](N)C(=O)O"]  # two spellings of one
    newer = replace(molecules, facts=replace(molecules.facts, featuriser=2))
    one, other = boiling(newer, enantiomers)
    assert one == pytest.approx(other, abs=0.01)
    as_spelt = replace(molecules, facts=replace(molecules.facts, featuriser=1))
    one, other = boiling(as_spelt, enantiomers)
    assert abs(one - other) > 0.01
