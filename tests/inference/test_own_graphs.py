"""Predicting graphs of one's own: the numbers of the run, and graphs that do not fit the model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from torch_geometric.data import Data

from pdf_search import Dataset
from pdf_search.config import DataConfig
from pdf_search.data import OwnGraphs, load_prepared, prepare, read_graphs
from pdf_search.errors import DataError
from pdf_search.inference import NOT_FINITE, Model, Trained, load_trained, predict_graphs
from tests.training.trials import run, trial


def graphs(count: int = 40, **values: Any) -> list[Data]:
    found = []
    for i in range(count):
        n = 3 + i % 5
        edges = torch.stack([torch.arange(n - 1), torch.arange(1, n)])
        given = {"x": torch.arange(n) % 3, "edge_attr": torch.ones(n - 1, 2) * (i % 2)}
        found.append(Data(edge_index=edges, y=torch.tensor(i % 2), **{**given, **values}))
    return found


@pytest.fixture
def trained(tmp_path: Path) -> Trained:
    path = Dataset.from_pyg(graphs()).save(tmp_path / "mine.npz")
    data = load_prepared(prepare(DataConfig(name="graphs", path=str(path)), cache=tmp_path / "c"))
    config = trial("graphs", fraction=1.0, phase="confirm", seeds=(0, 1), training={"epochs": 2})
    run(config, data, folder=tmp_path / "run", save_at=2)
    return load_trained(tmp_path / "run", config)


def own(tmp_path: Path, made: list[Data]) -> OwnGraphs:
    return read_graphs(Dataset.from_pyg(made).save(tmp_path / "new.npz"))


def test_it_predicts_what_the_run_predicted(
    trained: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = graphs()
    for graph in made:
        del graph.y
    found = predict_graphs(trained, own(tmp_path, made))
    recorded = pd.read_parquet(tmp_path / "run" / "predictions.parquet")
    test = recorded[recorded["split"] == "test"].groupby(["index", "task"])["prediction"]
    names = ["probability_0", "probability_1"]
    mean = test.mean().unstack()
    assert found.table.loc[mean.index][names].to_numpy() == pytest.approx(mean, abs=1e-5)
    spread = found.table.loc[mean.index][["spread_0", "spread_1"]].to_numpy()
    assert spread == pytest.approx(test.std(ddof=0).unstack(), abs=1e-5)
    assert found.table["graph"].tolist() == list(range(40))
    assert (found.replicates, found.wrong) == (2, 0)
    assert "not calibrated" in found.notes[0]
    said: list[str] = []
    monkeypatch.setattr("pdf_search.inference.own_graphs.CHUNK", 7)
    cut = predict_graphs(trained, own(tmp_path, made), said.append)
    np.testing.assert_allclose(cut.table[names], found.table[names], atol=2e-5)
    assert said[-1] == "predicted 40 of 40 graphs"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            {"x": None, "num_nodes": 3},
            "10 real node features, those of the training 1 integer node",
        ),
        ({"edge_attr": None}, "the graphs have no edge features, those of the training have"),
        ({"edge_attr": torch.ones(2, 3)}, "3 real edge features, those of the training 2 real"),
    ],
)
def test_graphs_with_other_features_are_refused(
    trained: Trained, tmp_path: Path, values: dict[str, Any], said: str
) -> None:
    with pytest.raises(DataError, match=said):
        predict_graphs(trained, own(tmp_path, graphs(1, **values)))


def test_a_code_that_the_training_has_not_is_named_with_its_graph(
    trained: Trained, tmp_path: Path
) -> None:
    made = [*graphs(3), *graphs(1, x=torch.tensor([0, 3, 1]))]
    with pytest.raises(DataError, match=r"1 graph \(3, counted from 0\) .* such as 3 in column 0"):
        predict_graphs(trained, own(tmp_path, made))


def test_edge_features_that_the_model_does_not_take_are_told(tmp_path: Path) -> None:
    plain = Dataset.from_pyg(graphs(edge_attr=None)).save(tmp_path / "plain.npz")
    data = load_prepared(prepare(DataConfig(name="graphs", path=str(plain)), cache=tmp_path / "c"))
    config = trial("graphs", fraction=1.0, phase="confirm", training={"epochs": 1})
    run(config, data, folder=tmp_path / "run", save_at=1)
    without = load_trained(tmp_path / "run", config)
    more = own(tmp_path, graphs())
    found = predict_graphs(without, more)
    assert found.notes[0] == "edge features are not used: the model was trained without any"
    same = predict_graphs(without, replace(more, edge_features=None))
    pd.testing.assert_frame_equal(found.table, same.table)


def test_an_infinite_output_is_no_certainty(trained: Trained, tmp_path: Path) -> None:
    last = [p for name, p in trained.model.named_parameters() if name.endswith("bias")][-1]
    last.data[0, ..., 0] = -torch.inf  # the softmax of one replicate would be exactly 0 and 1
    found = predict_graphs(trained, own(tmp_path, graphs(3)))
    assert found.table["reason"].tolist() == [NOT_FINITE] * 3
    assert found.wrong == 3


@pytest.mark.parametrize("y", [lambda i: i % 2, lambda i: i / 3, lambda i: [[i % 2, i / 2 % 2]]])
def test_a_graph_whose_output_is_not_finite_says_so(tmp_path: Path, y: Any) -> None:
    def made(large: int | None = None) -> list[Data]:
        found = graphs(12)
        for i, graph in enumerate(found):
            graph.x = torch.full((graph.num_nodes, 2), 1e38 if i == large else i / 12)
            graph.y = torch.tensor(y(i))
        return found

    path = Dataset.from_pyg(made()).save(tmp_path / "mine.npz")
    data = load_prepared(prepare(DataConfig(name="graphs", path=str(path)), cache=tmp_path / "c"))
    config = trial("graphs", fraction=1.0, phase="confirm", seeds=(0, 1), training={"epochs": 1})
    run(config, data, folder=tmp_path / "run", save_at=1)
    trained = load_trained(tmp_path / "run", config)
    whole, found = (predict_graphs(trained, own(tmp_path, made(i))) for i in (None, 7))
    assert whole.table["reason"].tolist() == [""] * 12
    assert found.table["reason"].tolist() == [""] * 7 + [NOT_FINITE] + [""] * 4
    assert (whole.wrong, found.wrong) == (0, 1)
    numbers = [name for name in found.table if name.startswith(("predicted_", "prob", "spread_"))]
    assert (found.table.loc[7, numbers].replace("", np.nan).isna()).all()
    columns = ["graph", *numbers, "reason"]
    pd.testing.assert_frame_equal(
        found.table.drop(index=7)[columns], whole.table.drop(index=7)[columns]
    )
    again = Model(trained).predict(made(7))
    assert again["reason"].tolist() == found.table["reason"].tolist()
