"""The transform PDFBases: its settings, and graphs that it takes or refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from pdf_search import Dataset
from pdf_search.config import DataConfig
from pdf_search.data import load_prepared, prepare
from pdf_search.errors import ConfigError, DataError
from pdf_search.graphs import build_bank
from pdf_search.nn import PDFBases


def edges(*pairs: tuple[int, int]) -> torch.Tensor:
    return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).T


@pytest.mark.parametrize(
    ("eps", "k", "more", "said"),
    [
        ([0.3], 4, {}, r"^PDFBases: eps = 0.3 is outside \[-0.5, 0\]: .*without bound$"),
        ([-0.3], 99, {}, r"^PDFBases: k = 99 is outside 1..16$"),
        ([-0.3], [1, 40], {}, r"^PDFBases: k = 40 is outside 1..16$"),
        ([-0.3], 0, {}, "^k: 0 does not fit: give a whole number, 1 or more$"),
        ([-0.3], 2.5, {}, "^k: 2.5 does not fit"),
        ([-0.3], True, {}, "^k: True does not fit"),
        ([-0.3], [], {}, r"^k: \[\] does not fit: give a list of numbers"),
        ([-0.3], "4", {}, "^k: '4' does not fit: give a list of numbers"),
        (-0.3, 4, {}, "^eps: -0.3 does not fit: give a list of numbers"),
        (["a"], 4, {}, r"^eps: \['a'\] does not fit: give a list of numbers"),
        ([float("nan")], 4, {}, r"^eps: \[nan\] does not fit: give a list of numbers"),
        ([-0.3], 4, {"hops": 0}, "^hops: 0 does not fit"),
        ([-0.3], 4, {"standardise": 1}, "^standardise: 1 does not fit: give True or False"),
    ],
)
def test_settings_outside_their_range_are_told_in_plain_words(
    eps: Any, k: Any, more: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        PDFBases(eps, k, **more)


def test_numbers_may_come_from_numpy() -> None:
    names = ("I", "(-0.1, 1)", "(-0.1, 2)", "(-0.3, 1)", "(-0.3, 2)")
    assert PDFBases([-0.1, -0.3], 2).names == names
    assert PDFBases(np.array([-0.1, -0.3]), np.int64(2)).names == names
    assert PDFBases([-0.1, -0.3], np.arange(1, 3)).names == names
    assert PDFBases([0], 2).names == ("I", "(0, 1)", "(0, 2)")


@pytest.mark.parametrize(
    "listed",
    [edges((0, 0)), edges((0, 0), (0, 1), (1, 0), (2, 2), (2, 2)), edges((2, 2), (1, 2), (2, 1))],
)
def test_a_self_loop_counts_as_little_as_in_a_data_set(
    listed: torch.Tensor, tmp_path: Path
) -> None:
    transform = PDFBases([-0.4, -0.1], 3)
    bases = transform(Data(edge_index=listed, num_nodes=3)).bases
    graphs = [Data(edge_index=listed, num_nodes=3, y=float(i)) for i in range(20)]
    path = Dataset.from_pyg(graphs).save(tmp_path / "mine.npz")
    data = load_prepared(prepare(DataConfig(name="graphs", path=str(path)), cache=tmp_path / "c"))
    bank = build_bank(data.graphs.subset(np.array([0])), transform.basis)
    assert np.array_equal(bases["rows"].numpy(), bank.rows)
    assert np.array_equal(bases["pair_index"].numpy(), np.stack([bank.target, bank.source]))
    assert np.array_equal(bases["pair_row"].numpy(), bank.row)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"edge_index": edges((0, 1), (1, 0), (1, 2))}, r"edge \(1, 2\) is there without its rev"),
        ({"edge_index": edges((0, 3), (3, 0))}, "has 3 nodes, but an edge with node 3"),
        ({"edge_index": edges((0, -1), (-1, 0))}, "has 3 nodes, but an edge with node -1"),
        ({}, r"edge_index is missing: give integers \[2, e\]"),
        ({"edge_index": edges((0, 1), (1, 0), (1, 2)).T}, r"is int64 \[3, 2\]: give integers"),
        ({"edge_index": edges((0, 1), (1, 0)).float()}, r"is float32 \[2, 2\]: give integers"),
        ({"num_nodes": 0, "edge_index": edges()}, "the graph has no nodes"),
    ],
)
def test_a_graph_that_cannot_be_used_is_refused(values: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=said):
        PDFBases([-0.3], 2)(Data(**{"num_nodes": 3, **values}))


@pytest.mark.parametrize("given", [3, None, [Data(num_nodes=3)]], ids=["int", "None", "list"])
def test_what_is_no_graph_is_refused_with_its_type(given: Any) -> None:
    kind = type(given).__name__
    with pytest.raises(DataError, match=f"of type {kind}: give a torch_geometric.data.Data"):
        PDFBases([-0.3], 2)(given)


def test_a_graph_without_edges_has_the_pairs_of_its_nodes() -> None:
    bases = PDFBases([-0.3], 2, hops=1)(Data(edge_index=edges(), num_nodes=2)).bases
    assert bases["pair_index"].tolist() == [[0, 1], [0, 1]]
