"""OGB's sets: equal to OGB's own reader, and files of the layouts that are not at hand."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pdf_search.config import DataConfig
from pdf_search.data import Prepared, load_prepared, prepare, statistics
from pdf_search.data.raw import ogb_csv
from pdf_search.data.raw.ogb_package import import_ogb
from pdf_search.errors import DataError
from tests.data.conftest import Load, edges_of, write_gz

PARTS = ("train", "valid", "test")


@pytest.mark.parametrize("name", ["ogbg-molesol", "ogbg-molfreesolv"])
def test_graphs_equal_those_of_ogbs_reader(
    load: Load, data_root: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    graphs = load(name).graphs
    raw = data_root / "ogb" / name.replace("-", "_") / "raw"
    reader = import_ogb("ogb.io.read_graph_raw").read_csv_graph_raw
    theirs = reader(str(raw), add_inverse_edge=True)
    capsys.readouterr()
    labels = pd.read_csv(raw / "graph-label.csv.gz", header=None).to_numpy(np.float32)
    np.testing.assert_array_equal(graphs.targets, labels)
    np.testing.assert_array_equal(graphs.node_count, [g["num_nodes"] for g in theirs])
    np.testing.assert_array_equal(graphs.nodes, np.concatenate([g["node_feat"] for g in theirs]))
    for i, graph in enumerate(theirs):
        order = np.lexsort(graph["edge_index"][::-1])
        part = slice(*graphs.edge_ptr[i : i + 2])
        np.testing.assert_array_equal(graphs.edges[:, part], graph["edge_index"][:, order])
        types = graphs.edge_types[graphs.edge_type[part]]
        np.testing.assert_array_equal(types, graph["edge_feat"][order] + 1)


@pytest.mark.parametrize("name", ["ogbg-molesol", "ogbg-molbace", "ogbg-moltox21"])
def test_scaffold_splits_are_the_files(load: Load, data_root: Path, name: str) -> None:
    data = load(name)
    assert data.official is not None
    for part in PARTS:
        path = data_root / "ogb" / name.replace("-", "_") / "split" / "scaffold" / f"{part}.csv.gz"
        expected = sorted(pd.read_csv(path, header=None)[0])
        assert data.official[part].tolist() == expected


def test_edge_types_are_the_combinations_that_occur(load: Load) -> None:
    graphs = load("ogbg-molesol").graphs
    rows = graphs.edge_types.tolist()
    assert rows[:2] == [[0, 0, 0], [1, 1, 1]]
    assert graphs.self_type == 1
    assert len({tuple(row) for row in rows}) == len(rows)
    assert set(np.unique(graphs.edge_type).tolist()) | {0, 1} == set(range(len(rows)))
    assert (graphs.edge_types[1:] > 0).all()


def test_missing_labels_and_task_names(load: Load) -> None:
    tox = load("ogbg-moltox21")
    assert tox.target_names[:2] == ("NR-AR", "NR-AR-LBD")
    assert tox.graphs.targets.shape == (len(tox.graphs), 12)
    missing = np.isnan(tox.graphs.targets)
    assert 0.1 < missing.mean() < 0.3
    assert missing[0, 3]
    assert not missing[0, 2]


@pytest.mark.slow
def test_molhiv_positives(load_whole: Load) -> None:
    data = load_whole("ogbg-molhiv")
    assert data.official is not None
    positives = [int(data.graphs.targets[data.official[part]].sum()) for part in PARTS]
    assert positives == [1232, 81, 130]
    found = statistics(data)
    assert (found["graphs"], round(found["nodes"], 1), round(found["edges"], 1)) == (
        41127,
        25.5,
        27.5,
    )


def write_ogb(root: Path, name: str, split: str, targets: object, categorical: bool) -> Path:
    """Twelve graphs: paths of 1, 2 and 3 nodes in turn."""
    folder = root / "ogb" / name.replace("-", "_")
    nodes = [1 + i % 3 for i in range(12)]
    rng = np.random.default_rng(0)
    edges = [(j, j + 1) for n in nodes for j in range(n - 1)]
    write_gz(folder / "raw/num-node-list.csv.gz", nodes)
    write_gz(folder / "raw/num-edge-list.csv.gz", [n - 1 for n in nodes])
    write_gz(folder / "raw/edge.csv.gz", edges)
    write_gz(folder / "raw/graph-label.csv.gz", targets)
    if categorical:
        write_gz(folder / "raw/node-feat.csv.gz", rng.integers(0, 2, (sum(nodes), 9)))
        write_gz(folder / "raw/edge-feat.csv.gz", rng.integers(0, 2, (len(edges), 3)))
    else:
        features = np.arange(len(edges) * 7).reshape(-1, 7) % 5 / 1000
        write_gz(folder / "raw/edge-feat.csv.gz", features, "%.3f")
    for part, numbers in zip(PARTS, ([11, *range(8)], [8, 9], [10]), strict=True):
        write_gz(folder / "split" / split / f"{part}.csv.gz", numbers)
    return folder


def prepared(root: Path, name: str) -> Prepared:
    return load_prepared(prepare(DataConfig(name=name), root, root / "cache"))


def pcba_targets() -> np.ndarray:
    targets = np.random.default_rng(1).integers(0, 2, (12, 128)).astype(float)
    targets[np.random.default_rng(2).random((12, 128)) < 0.4] = np.nan
    return targets


def test_molpcbas_layout_has_128_tasks_with_missing_labels(tmp_path: Path) -> None:
    targets = pcba_targets()
    write_ogb(tmp_path, "ogbg-molpcba", "scaffold", targets, categorical=True)
    data = prepared(tmp_path, "ogbg-molpcba")
    np.testing.assert_array_equal(data.graphs.targets, targets.astype(np.float32))
    assert len(data.target_names) == 128
    assert statistics(data)["labelled"] == round(float((~np.isnan(targets)).mean()), 4)
    assert data.official is not None
    assert data.official["train"].tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 11]
    assert edges_of(data, 2) == {(0, 1), (1, 0), (1, 2), (2, 1)}
    assert edges_of(data, 3) == set()


def test_ppas_layout_has_no_node_features_and_real_edge_features(tmp_path: Path) -> None:
    write_ogb(tmp_path, "ogbg-ppa", "species", np.arange(12) * 3, categorical=False)
    data = prepared(tmp_path, "ogbg-ppa")
    graphs = data.graphs
    assert data.info.shape is not None
    assert data.info.shape.outputs == 37
    assert graphs.targets[:, 0].tolist() == (np.arange(12) * 3).tolist()
    assert graphs.nodes.shape == (24, 1)
    assert (graphs.nodes == 0).all()
    assert graphs.edge_types.dtype == np.float32
    assert graphs.edge_types[0].tolist() == [0] * 7
    assert graphs.edge_types[graphs.self_type].tolist() == [1] * 7
    first = np.array([0, 1, 2, 3, 4, 0, 1], np.float32) / np.float32(1000)
    np.testing.assert_allclose(graphs.edge_types[graphs.edge_type[:2]], [first, first], atol=1e-7)
    # Five different rows of features among twelve bonds, "no bond", and the self pairs' row.
    assert len(graphs.edge_types) == 7


def test_reading_in_runs_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_ogb(tmp_path, "ogbg-molpcba", "scaffold", pcba_targets(), categorical=True)
    config = DataConfig(name="ogbg-molpcba")
    whole = load_prepared(prepare(config, tmp_path, tmp_path / "whole"))
    monkeypatch.setattr(ogb_csv, "RUN_EDGES", 2)
    said: list[str] = []
    pieces = load_prepared(prepare(config, tmp_path, tmp_path / "pieces", progress=said.append))
    assert sum("reading graphs" in line for line in said) > 3
    assert pieces.fingerprint == whole.fingerprint


@pytest.mark.parametrize("file", ["edge", "node-feat", "edge-feat"])
def test_files_that_are_cut_off_or_too_long(tmp_path: Path, file: str) -> None:
    folder = write_ogb(tmp_path, "ogbg-molpcba", "scaffold", pcba_targets(), categorical=True)
    path = folder / "raw" / f"{file}.csv.gz"
    rows = pd.read_csv(path, header=None).to_numpy(float)
    write_gz(path, rows[:-1])
    with pytest.raises(DataError, match=rf"{file}\.csv\.gz ends after \d+ rows"):
        prepared(tmp_path, "ogbg-molpcba")
    write_gz(path, np.concatenate([rows, rows[:1]]))
    with pytest.raises(DataError, match=rf"{file}\.csv\.gz has more rows"):
        prepared(tmp_path, "ogbg-molpcba")
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(DataError, match=rf"{file}\.csv\.gz"):
        prepared(tmp_path, "ogbg-molpcba")


def test_labels_codes_edges_and_splits_are_checked(tmp_path: Path) -> None:
    folder = write_ogb(tmp_path, "ogbg-ppa", "species", np.full(12, 37), categorical=False)
    with pytest.raises(DataError, match=r"labels other than 0\.\.36"):
        prepared(tmp_path, "ogbg-ppa")
    write_gz(folder / "raw/graph-label.csv.gz", np.zeros(12))
    edges = pd.read_csv(folder / "raw/edge.csv.gz", header=None).to_numpy(float)
    edges[-1] = (2, 3)
    write_gz(folder / "raw/edge.csv.gz", edges)
    with pytest.raises(
        DataError, match=r"graph 11 .* has 3 nodes, but an edge between its nodes 2"
    ):
        prepared(tmp_path, "ogbg-ppa")
    write_gz(folder / "split/species/test.csv.gz", [3])
    with pytest.raises(DataError, match="names a graph twice"):
        prepared(tmp_path, "ogbg-ppa")
    folder = write_ogb(tmp_path, "ogbg-molesol", "scaffold", np.zeros(12), categorical=True)
    write_gz(folder / "raw/node-feat.csv.gz", np.full((24, 9), 6))
    with pytest.raises(DataError, match="node feature 1 has codes"):
        prepared(tmp_path, "ogbg-molesol")


def test_what_is_missing_from_ogbs_files_is_counted(tmp_path: Path) -> None:
    targets = pcba_targets()
    folder = write_ogb(tmp_path, "ogbg-molpcba", "scaffold", targets, categorical=True)
    missing = f"{int(np.isnan(targets).sum())} of 1,536 labels are missing"
    unnamed = "no mapping/mol.csv.gz: the tasks go by their numbers"
    cut = "437,929 graphs are published, these files hold 12: published numbers are of the 437,929"
    assert prepared(tmp_path, "ogbg-molpcba").notes == (cut, missing, unnamed)
    write_gz(folder / "split/scaffold/train.csv.gz", [11, *range(6)])
    idle = "2 of 12 graphs are in no part of the split and are not used"
    assert prepared(tmp_path, "ogbg-molpcba").notes == (cut, missing, idle, unnamed)


def test_edges_of_ogb_are_meant_both_ways_and_counted_where_listed_again(tmp_path: Path) -> None:
    folder = write_ogb(tmp_path, "ogbg-molesol", "scaffold", np.zeros(12), categorical=True)
    cut = "1,128 graphs are published, these files hold 12: published numbers are of the 1,128"
    assert prepared(tmp_path, "ogbg-molesol").notes == (cut,)
    # The third graph has the edges 0-1 and 1-2; here 1-2 is listed as 1-0, and another joins 1-1.
    edges = pd.read_csv(folder / "raw/edge.csv.gz", header=None).to_numpy(float)
    edges[2] = (1, 0)
    edges[-1] = (1, 1)
    write_gz(folder / "raw/edge.csv.gz", edges)
    data = prepared(tmp_path, "ogbg-molesol")
    assert data.notes == (
        cut,
        "1 repeated listing of edges left out",
        "1 edge from a node to itself left out",
    )
    assert edges_of(data, 2) == {(0, 1), (1, 0)}


def test_odd_labels_and_splits_are_named_with_their_line(tmp_path: Path) -> None:
    targets = np.zeros(12)
    targets[[4, 7]] = (2, -1)
    folder = write_ogb(tmp_path, "ogbg-molhiv", "scaffold", targets, categorical=True)
    with pytest.raises(
        DataError, match=r"labels other than 0\.\.1: 2 of them, the first 2 in line 5"
    ):
        prepared(tmp_path, "ogbg-molhiv")
    write_gz(folder / "raw/graph-label.csv.gz", np.arange(12) % 2)
    write_gz(folder / "split/scaffold/valid.csv.gz", [8, 12])
    with pytest.raises(DataError, match=r"valid\.csv\.gz, line 2, graph 12 of 0\.\.11"):
        prepared(tmp_path, "ogbg-molhiv")
    classes = np.where(np.arange(12) == 3, np.nan, 1.0)
    write_ogb(tmp_path, "ogbg-ppa", "species", classes, categorical=False)
    with pytest.raises(DataError, match="a graph has no class, the first in line 4"):
        prepared(tmp_path, "ogbg-ppa")


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("raw/edge", "src,dst\n0,1\n", r"edge\.csv\.gz .*line 1: 'src' is not a whole number"),
        ("raw/graph-label", "0.5\n\nabc\n", r"label\.csv\.gz .*line 3: 'abc' is not a number"),
        ("raw/graph-label", "0.5\n" * 11 + "1e300\n", r"label\.csv\.gz, line 12: .* not finite"),
        ("raw/graph-label", "\n" * 12, r"label\.csv\.gz holds no values"),
        ("split/scaffold/valid", "", r"valid\.csv\.gz holds no values"),
        ("split/scaffold/valid", "8\n9.5\n", r"line 2: '9\.5' is not a whole number"),
    ],
)
def test_cells_that_are_no_numbers_are_named(
    tmp_path: Path, file: str, text: str, message: str
) -> None:
    folder = write_ogb(tmp_path, "ogbg-molesol", "scaffold", np.zeros(12), categorical=True)
    (folder / f"{file}.csv.gz").write_bytes(gzip.compress(text.encode()))
    with pytest.raises(DataError, match=message):
        prepared(tmp_path, "ogbg-molesol")


def test_task_names_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    folder = write_ogb(tmp_path, "ogbg-molesol", "scaffold", np.zeros(12), categorical=True)
    (folder / "mapping").mkdir()
    (folder / "mapping/mol.csv.gz").write_text("not packed")
    with pytest.raises(DataError, match=r"mol\.csv\.gz is damaged"):
        prepared(tmp_path, "ogbg-molesol")
