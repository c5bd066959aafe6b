"""Predicting a table of molecules: the numbers of the run, and rows that cannot be read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from pdf_search.config import DataConfig
from pdf_search.data import Prepared, load_prepared, prepare
from pdf_search.data.molecules.elements import Kinds, unseen_notes
from pdf_search.data.molecules.smiles_table import Table
from pdf_search.errors import ConfigError, DataError
from pdf_search.inference.load import load_trained
from pdf_search.inference.molecules import NOT_FINITE, predict_molecules
from pdf_search.training.artifacts.facts import ModelFacts
from pdf_search.training.replicates import ReplicateSplits
from tests.graphs.makers import SHAPES, basis, graph_set
from tests.inference.conftest import new_model
from tests.training.trials import run, trial

SMILES = ["CCO", "c1ccccc1", "C", "CC(=O)N", "O=C=O", "CCN", "C#N", "CCl", "CO", "CS"]
ODD = ["C", "not a molecule", "C(C)(C)(C)(C)C", "", "[Na+].[Cl-]"]


def prepared(
    folder: Path, cache: Path, columns: dict[str, list[object]], **more: object
) -> Prepared:
    """A CSV file of our molecules, eight times, with these columns."""
    file = folder / "molecules.csv"
    pd.DataFrame({"smiles": SMILES * 8, **columns}).to_csv(file, index=False)
    config = DataConfig(name="csv", path=str(file), targets=tuple(columns), **more)  # type: ignore[arg-type]
    return load_prepared(prepare(config, cache=cache))


def table(smiles: list[str], **columns: list[str]) -> Table:
    rows = [list(row) for row in zip(smiles, *columns.values(), strict=True)]
    return Table(Path("new.csv"), ("smiles", *columns), rows, list(range(2, len(rows) + 2)))


TASKS = {
    "regression": ({"a": np.linspace(-1, 2, 80).tolist(), "b": np.arange(80.0).tolist()}, {}),
    "multilabel": ({"toxic": [0, 1] * 40}, {}),
    "multiclass": ({"kind": ["x", "y", "z", "y"] * 20}, {"task": "multiclass"}),
}


@pytest.mark.parametrize("task", TASKS)
def test_it_predicts_what_the_run_predicted(task: str, cache: Path, tmp_path: Path) -> None:
    columns, more = TASKS[task]
    data = prepared(tmp_path, cache, columns, **more)
    config = trial("csv", fraction=1.0, phase="confirm", seeds=(0, 1), training={"epochs": 2})
    run(config, data, folder=tmp_path, save_at=2)
    found = predict_molecules(load_trained(tmp_path, config, data), table(SMILES * 8), "smiles")
    recorded = pd.read_parquet(tmp_path / "predictions.parquet")
    recorded = recorded[recorded["split"] == "test"].groupby(["index", "task"])["prediction"]
    mean, spread = recorded.mean().unstack(), recorded.std(ddof=0).unstack()
    names = ["x", "y", "z"] if task == "multiclass" else list(columns)
    kind = "probability" if task == "multiclass" else "predicted"
    ours = found.table.loc[mean.index]
    assert ours[[f"{kind}_{n}" for n in names]].to_numpy() == pytest.approx(mean, abs=1e-5)
    assert ours[[f"spread_{n}" for n in names]].to_numpy() == pytest.approx(spread, abs=1e-5)
    if task == "multiclass":
        best = [names[i] for i in mean.to_numpy().argmax(1)]
        assert ours["predicted_class"].tolist() == best
    assert (found.table["reason"] == "").all()
    assert found.wrong == 0


def test_rows_that_cannot_be_read_say_why(cache: Path, tmp_path: Path) -> None:
    data = prepared(tmp_path, cache, {"a": np.arange(80.0).tolist()})
    config = trial("csv", fraction=1.0, phase="confirm", training={"epochs": 1})
    run(config, data, folder=tmp_path, save_at=1)
    trained = load_trained(tmp_path, config, data)
    found = predict_molecules(trained, table(ODD, id=list("abcde")), "smiles")
    assert found.table.columns.tolist() == [
        "smiles",
        "id",
        "predicted_a",
        "spread_a",
        "familiar",
        "unlike",
        "reason",
    ]
    assert found.table["predicted_a"].notna().tolist() == [True, False, False, False, True]
    assert (found.table["reason"] == "").tolist() == [True, False, False, False, True]
    assert "not a SMILES string" in found.table["reason"][1]
    assert found.table["spread_a"].isna().all()  # one replicate has no spread
    assert found.wrong == 3
    none = predict_molecules(trained, table(["?", ""]), "smiles")
    assert none.table["predicted_a"].isna().all()
    with pytest.raises(DataError, match="predicted_a; rename"):
        predict_molecules(trained, table(["C"], predicted_a=["1"]), "smiles")
    with pytest.raises(DataError, match="no column 'smile'"):
        predict_molecules(trained, table(["C"]), "smile")


def test_a_molecule_whose_output_is_not_finite_says_so(cache: Path, tmp_path: Path) -> None:
    data = prepared(tmp_path, cache, {"a": np.arange(80.0).tolist()})
    config = trial("csv", fraction=1.0, phase="confirm", training={"epochs": 1})
    run(config, data, folder=tmp_path, save_at=1)
    trained = load_trained(tmp_path, config)
    # The embedding of nitrogen, the one atomic number that only the second molecule has.
    encoders = [p for name, p in trained.model.named_parameters() if name.endswith("tables.0")]
    encoders[0].data[:, 6] = torch.inf
    found = predict_molecules(trained, table(["CCO", "CN", "?", "CC"]), "smiles")
    assert found.table["predicted_a"].notna().tolist() == [True, False, False, True]
    assert found.table["reason"].tolist()[:2] == ["", NOT_FINITE]
    assert found.wrong == 2


def test_what_no_training_molecule_has_is_said(cache: Path, tmp_path: Path) -> None:
    data = prepared(tmp_path, cache, {"a": np.arange(80.0).tolist()})
    config = trial("csv", fraction=1.0, phase="confirm", training={"epochs": 1})
    run(config, data, folder=tmp_path, save_at=1)
    trained = load_trained(tmp_path, config)

    def notes(smiles: list[str]) -> tuple[str, ...]:
        return predict_molecules(trained, table(smiles), "smiles").notes

    assert notes(SMILES) == ()
    marked = predict_molecules(trained, table(["CCO", "[Na+].[Br-]", "N->[Fe]"]), "smiles").table
    assert marked["unlike"].tolist() == [
        "",
        "element Na, element Br, 2 of 2 atoms unfamiliar",
        "element Fe, bond type misc, 2 of 2 atoms unfamiliar",
    ]
    assert marked["familiar"].tolist() == [1, 0, 0]
    assert notes(["CCO", "odd", "CBr", "[Na+].[Br-]", "CC"]) == (
        "2 rows have an element that no training molecule has: Na (line 5), Br (line 4 and 1 more)",
        "3 of 5 rows are unlike those of the training: see the column unlike",
    )
    assert notes(["N->[Fe]", "[13CH3]C"]) == (
        "1 row has an element that no training molecule has: Fe (line 2)",
        "1 row has a bond type that no training molecule has: misc (line 2)",
        "2 of 2 rows are unlike those of the training: see the column unlike",
        "1 row has isotope labels, which the model does not see: [13CH3]C on line 3",
    )
    many = notes(["[Li]", "[Be]", "B", "F", "[Na]", "[Mg]", "[Al]"])
    assert many[0].endswith(
        "Li (line 2), Be (line 3), B (line 4), F (line 5), Na (line 6) and 2 more"
    )
    older = replace(trained, facts=replace(trained.facts, seen=None))
    assert predict_molecules(older, table(["CBr"]), "smiles").notes[0] == (
        "the model does not record which elements and bond types its training data have"
    )


def test_what_only_other_parts_have_is_not_seen(cache: Path, tmp_path: Path) -> None:
    data = prepared(tmp_path, cache, {"a": np.arange(80.0).tolist()})
    only = np.flatnonzero([smiles == "CCl" for smiles in SMILES * 8])
    rest = np.setdiff1d(np.arange(80), only)
    config = trial("csv", fraction=1.0, phase="confirm", seeds=(0, 1))
    splits = ReplicateSplits.of(config, data)
    splits = replace(splits, parts={**splits.parts, "train": (rest[:40], rest[40:])})
    seen = ModelFacts.of(config, data, splits).seen
    assert seen is not None
    chlorine = data.graphs.subset(only[:1])
    (note,) = unseen_notes(chlorine, [9], seen)
    assert note == "1 row has an element that no training molecule has: Cl (line 9)"
    assert unseen_notes(chlorine, [9], Kinds.of(data.graphs, np.arange(80))) == []


def test_a_run_on_other_graphs_is_refused() -> None:
    with pytest.raises(ConfigError, match="not read from SMILES"):
        predict_molecules(new_model(graph_set(SHAPES), basis(((-0.5, 1),))), table(["C"]), "smiles")


def test_chunks_are_predicted_as_one_table(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = prepared(tmp_path, cache, {"a": np.arange(80.0).tolist()})
    config = trial("csv", fraction=1.0, phase="confirm", seeds=(0, 1), training={"epochs": 1})
    run(config, data, folder=tmp_path, save_at=1)
    trained = load_trained(tmp_path, config)
    smiles = [*ODD, *SMILES, "CBr", "?", "[13CH4]", "CBr"]
    whole = predict_molecules(trained, table(smiles), "smiles")
    said: list[str] = []
    monkeypatch.setattr("pdf_search.inference.molecules.CHUNK", 3)
    cut = predict_molecules(trained, table(smiles), "smiles", said.append)
    numbers = ["predicted_a", "spread_a"]
    np.testing.assert_allclose(cut.table[numbers], whole.table[numbers], atol=2e-5)
    pd.testing.assert_frame_equal(
        cut.table.drop(columns=numbers), whole.table.drop(columns=numbers)
    )
    assert (cut.wrong, cut.notes) == (whole.wrong, whole.notes)
    assert said[0] == "predicted 3 of 19 rows"
    assert said[-1] == "predicted 19 of 19 rows"
