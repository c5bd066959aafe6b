from __future__ import annotations

import os
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch

from pdf_search.config import DataConfig
from pdf_search.data import Prepared, load_prepared, prepare, statistics
from pdf_search.errors import DataError
from tests.data.conftest import Load

SPLITS = ("train", "val", "test")


@pytest.fixture(scope="module")
def zinc(load: Load) -> Prepared:
    return load("zinc")


@pytest.mark.usefixtures("whole_data")
def test_counts_parts_and_first_targets(zinc: Prepared) -> None:
    found = statistics(zinc)
    assert (found["graphs"], round(found["nodes"], 1), round(found["edges"], 1)) == (
        12000,
        23.2,
        24.9,
    )
    assert found["node_attributes"]
    assert found["edge_attributes"]
    assert found["parts"] == {"train": 10000, "valid": 1000, "test": 1000}
    assert zinc.official is not None
    first = zinc.graphs.targets[zinc.official["test"][:3], 0]
    np.testing.assert_allclose(first, [1.997326, 0.686039, 0.774164], atol=1e-6)


def test_self_pairs_share_the_type_of_single_bonds(zinc: Prepared) -> None:
    assert zinc.graphs.edge_types.tolist()[:2] == [[0], [1]]
    assert zinc.graphs.self_type == 1
    assert sorted(zinc.graphs.edge_types[:, 0].tolist()) == [0, 1, 2, 3]
    assert (np.asarray(zinc.graphs.edge_type) > 0).all()


def test_graphs_equal_an_independent_copy(zinc: Prepared, data_root: Path) -> None:
    graphs = zinc.graphs
    with np.load(data_root / "ZINC" / "zinc12k.npz") as copy:
        atoms, targets, edges, bonds = (
            np.concatenate([copy[f"{split}_{key}"] for split in SPLITS], axis=-1)
            for key in ("x", "y", "edge_index", "edge_attr")
        )
    np.testing.assert_array_equal(graphs.nodes[:, 0], atoms)
    np.testing.assert_array_equal(graphs.targets[:, 0], targets)
    np.testing.assert_array_equal(graphs.edges, edges)
    np.testing.assert_array_equal(graphs.edge_types[graphs.edge_type, 0], bonds)


def molecule(target: float) -> dict[str, object]:
    bonds = torch.tensor([[0, 1, 0], [1, 0, 2], [0, 2, 0]], dtype=torch.int8)
    return {
        "num_atom": 3,
        "atom_type": torch.tensor([0, 1, 2], dtype=torch.int8),
        "bond_type": bonds,
        "logP_SA_cycle_normalized": torch.tensor([target]),
    }


def write_zinc(root: Path, index: str = "2,0\n") -> Path:
    raw = root / "ZINC" / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    for i, split in enumerate(SPLITS):
        with (raw / f"{split}.pickle").open("wb") as file:
            pickle.dump([molecule(10 * i + j) for j in range(3)], file)
        (raw / f"{split}.index").write_text(index)
    return raw


def test_the_index_files_choose_the_subset(tmp_path: Path) -> None:
    write_zinc(tmp_path)
    data = load_prepared(prepare(DataConfig(name="zinc"), tmp_path, tmp_path / "cache"))
    assert data.graphs.targets[:, 0].tolist() == [2, 0, 12, 10, 22, 20]
    assert data.graphs.edges[:, :4].tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    types = data.graphs.edge_types[data.graphs.edge_type[:4], 0]
    assert types.tolist() == [1, 1, 2, 2]


def test_an_index_of_the_full_set_on_subset_pickles_is_explained(tmp_path: Path) -> None:
    write_zinc(tmp_path, index="5,0\n")
    with pytest.raises(DataError, match=r"3 molecules.*already a subset"):
        prepare(DataConfig(name="zinc"), tmp_path, tmp_path / "cache")


class Harmful:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, ("harm-was-done",)


def test_a_pickle_cannot_run_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (write_zinc(tmp_path) / "val.pickle").write_bytes(pickle.dumps([Harmful()]))
    with pytest.raises(DataError, match=r"val\.pickle cannot be read: .*only tensors"):
        prepare(DataConfig(name="zinc"), tmp_path, tmp_path / "cache")
    assert not Path("harm-was-done").exists()


def test_an_incomplete_folder_names_the_missing_file(tmp_path: Path) -> None:
    raw = write_zinc(tmp_path)
    (raw / "test.index").unlink()
    with pytest.raises(DataError, match=r"incomplete: test\.index missing"):
        prepare(DataConfig(name="zinc"), tmp_path, tmp_path / "cache")


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ("0,x\n", r"train\.index, line 1: 'x' is not a molecule's number"),
        ("0\n1.0\n", r"train\.index, line 2: '1\.0' is not a molecule's number"),
        ("0,-1\n", r"train\.index, line 1: '-1' is not a molecule's number"),
        ("\n", r"train\.index names no molecule"),
    ],
)
def test_an_index_that_names_no_molecule(tmp_path: Path, index: str, message: str) -> None:
    write_zinc(tmp_path, index)
    with pytest.raises(DataError, match=message):
        prepare(DataConfig(name="zinc"), tmp_path, tmp_path / "cache")


def cut(graphs: int) -> str:
    return (
        f"12,000 graphs are published, these files hold {graphs}: published numbers are of the "
        "12,000"
    )


def test_a_molecule_that_is_named_again_is_counted(tmp_path: Path) -> None:
    raw = write_zinc(tmp_path)
    (raw / "val.index").write_text("0,1,0,1\r\n")
    data = load_prepared(prepare(DataConfig(name="zinc"), tmp_path, tmp_path / "cache"))
    assert data.notes == (cut(8), "val.index names 2 molecules again: counted again")
    assert data.graphs.targets[:, 0].tolist() == [2, 0, 10, 11, 10, 11, 22, 20]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([(1, 2)] * 3, r"val\.pickle: molecule 2 has no atom_type"),
        ([{"smiles": "C"}] * 3, r"val\.pickle: molecule 2 has no atom_type"),
        ({"a": 1}, r"val\.pickle holds no list of molecules"),
        ([{**molecule(1.0), "atom_type": torch.zeros(2)}] * 3, r"molecule 2 has 2 atoms, bonds"),
        (
            [{**molecule(1.0), "bond_type": torch.full((3, 3), 1.5)}] * 3,
            r"codes that are not whole",
        ),
        ([molecule(float("nan"))] * 3, r"molecule 2 has 3 atoms, .* the target nan"),
    ],
)
def test_a_pickle_of_something_else(tmp_path: Path, content: object, message: str) -> None:
    raw = write_zinc(tmp_path)
    (raw / "val.pickle").write_bytes(pickle.dumps(content))
    with pytest.raises(DataError, match=message):
        prepare(DataConfig(name="zinc"), tmp_path, tmp_path / "cache")


def test_bonds_in_one_direction_are_counted(tmp_path: Path) -> None:
    raw = write_zinc(tmp_path)
    bent = molecule(1.0)
    bent["bond_type"] = torch.tensor([[2, 1, 0], [1, 0, 2], [0, 0, 0]], dtype=torch.int8)
    (raw / "val.pickle").write_bytes(pickle.dumps([bent] * 3))
    data = load_prepared(prepare(DataConfig(name="zinc"), tmp_path, tmp_path / "cache"))
    assert data.notes == (
        cut(len(data.graphs)),
        "2 of 12 edges are listed in one direction only; here all edges run both ways",
        "2 edges from a node to itself left out",
    )
