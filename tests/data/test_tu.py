"""The TU collection: the real sets, and the traps of its file format."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pdf_search.config import DataConfig
from pdf_search.data import Prepared, load_prepared, prepare, statistics
from pdf_search.data.published_sizes import size_notes
from pdf_search.data.raw.tu import read_tu
from pdf_search.errors import DataError
from tests.data.conftest import Load, edges_of

# Graphs, mean nodes, mean edges, node attributes: the paper's table of data sets. It prints 32.39
# edges for NCI1; the set's own files and the collection's page have 32.30.
PAPER = {
    "mutag": (188, 17.93, 19.79, False),
    "nci1": (4110, 29.87, 32.30, False),
    "nci109": (4127, 29.68, 32.13, False),
    "enzymes": (600, 32.63, 62.14, True),
    "ptc_mr": (344, 14.29, 14.69, False),
    "proteins": (1113, 39.06, 72.82, True),
    "imdb-binary": (1000, 19.77, 96.53, False),
    "reddit-binary": (2000, 429.63, 497.75, False),
}


@pytest.mark.parametrize("name", PAPER)
def test_the_papers_counts(load_whole: Load, name: str) -> None:
    found = statistics(load_whole(name))
    counts = (found["graphs"], found["nodes"], found["edges"], found["node_attributes"])
    assert counts == PAPER[name]
    assert found["edge_attributes"] is False
    assert min(found["classes"]) > 0
    assert sum(found["classes"]) == found["graphs"]


def test_labels_count_from_zero_in_the_order_of_the_raw_values(load: Load, data_root: Path) -> None:
    mutag = load("mutag")
    raw = (data_root / "TUDataset/MUTAG/raw/MUTAG_graph_labels.txt").read_text().split()
    assert mutag.class_names == ("-1", "1")
    assert statistics(mutag)["classes"] == [raw.count("-1"), raw.count("1")]
    assert mutag.graphs.targets[:3, 0].tolist() == [1, 0, 0]


@pytest.mark.parametrize("name", ["mutag", "enzymes", "proteins"])
def test_node_input_is_that_of_the_authors_code(load: Load, golden_root: Path, name: str) -> None:
    graphs = load(name).graphs
    ours = {part.tobytes() for part in np.split(graphs.nodes, graphs.node_ptr[1:-1])}
    with np.load(golden_root / f"tu_{name}.npz") as golden:
        nodes, count = golden["input/x"].astype(np.float32), golden["input/node_count"]
    theirs = np.split(nodes, np.cumsum(count)[:-1])
    assert len(theirs) > 1
    assert all(np.ascontiguousarray(part).tobytes() in ours for part in theirs)


def test_sets_without_labels_get_ten_ones(load: Load) -> None:
    nodes = load("imdb-binary").graphs.nodes
    assert nodes.shape[1] == 10
    assert nodes.dtype == np.float32
    assert (nodes == 1).all()


def write_tu(
    root: Path, edges: str, indicator: str, labels: str, node_labels: str | None = None
) -> Path:
    """MUTAG's files with the given lines; node labels cover 0..6 as the real set's do."""
    raw = root / "TUDataset" / "MUTAG" / "raw"
    raw.mkdir(parents=True)
    parts = {"A": edges, "graph_indicator": indicator, "graph_labels": labels}
    parts["node_labels"] = node_labels or " ".join(
        str(i % 7) for i in range(len(indicator.split()))
    )
    for part, text in parts.items():
        lines = text.split(";") if part == "A" else text.split()
        (raw / f"MUTAG_{part}.txt").write_text("".join(f"{line}\n" for line in lines if line))
    return root


def prepared(root: Path) -> Prepared:
    return load_prepared(prepare(DataConfig(name="mutag"), root, root / "cache"))


def test_edgeless_graphs_survive_also_as_the_last(tmp_path: Path) -> None:
    write_tu(tmp_path, "1, 2;2, 1;4, 5", "1 1 2 3 3 3 4 4 4 4", "-1 1 -1 1")
    data = prepared(tmp_path)
    assert data.graphs.node_count.tolist() == [2, 1, 3, 4]
    assert np.diff(data.graphs.edge_ptr).tolist() == [2, 0, 2, 0]
    assert statistics(data)["edgeless"] == 2


def test_a_set_without_any_edge(tmp_path: Path) -> None:
    data = prepared(write_tu(tmp_path, "", "1 1 1 1 2 2 2", "0 1"))
    assert data.graphs.edges.shape == (2, 0)
    assert len(data.graphs) == 2


def test_nodes_in_mixed_order_belong_to_the_graph_of_the_indicator_file(tmp_path: Path) -> None:
    # Nodes 1, 3, 4, 7 are graph 1, nodes 2, 5, 6 graph 2. Edges 1-3, 4-7 and 5-6.
    data = prepared(write_tu(tmp_path, "1,3;5,6;7,4", "1 2 1 1 2 2 1", "1 2"))
    assert data.graphs.node_count.tolist() == [4, 3]
    assert edges_of(data, 0) == {(0, 1), (1, 0), (2, 3), (3, 2)}
    assert edges_of(data, 1) == {(1, 2), (2, 1)}
    assert np.argmax(data.graphs.nodes, axis=1).tolist() == [0, 2, 3, 6, 1, 4, 5]


def test_doubled_edges_and_self_loops_count_once_and_never(tmp_path: Path) -> None:
    write_tu(tmp_path, "1,2;2,1;1,2;2,2;3,2;5,5", "1 1 1 2 2 2 2", "0 1")
    data = prepared(tmp_path)
    assert edges_of(data, 0) == {(0, 1), (1, 0), (1, 2), (2, 1)}
    assert np.diff(data.graphs.edge_ptr).tolist() == [4, 0]


@pytest.mark.parametrize(
    ("edges", "indicator", "labels", "message"),
    [
        ("1,2;3,5", "1 1 1 1 2 2 2", "0 1", "A.txt, line 2: an edge joins graph 1 with graph 2"),
        ("1,2;3,9", "1 1 1 1 2 2 2", "0 1", "A.txt, line 2: no such node; there are 7"),
        ("1,2", "1 1 1 1 3 3 3", "0 1", "indicator.txt, line 5: graph 3, but .* 2 graphs"),
        ("1,2", "1 1 1 1 3 3 3", "0 1 0", "graph 2 has a label but no nodes"),
        ("1,x", "1 1 1 1 2 2 2", "0 1", "A.txt, line 1: 'x' is not a whole number"),
        ("1,2,3", "1 1 1 1 2 2 2", "0 1", "A.txt: lines hold 3 numbers, not 2"),
    ],
)
def test_contradictions_are_errors_with_their_line(
    tmp_path: Path, edges: str, indicator: str, labels: str, message: str
) -> None:
    write_tu(tmp_path, edges, indicator, labels)
    with pytest.raises(DataError, match=message):
        prepared(tmp_path)


def test_files_of_another_set_are_refused(tmp_path: Path) -> None:
    write_tu(tmp_path, "1,2", "1 1 2", "0 1", node_labels="0 1 2")
    with pytest.raises(DataError, match="3 node features, this data set has 7"):
        prepared(tmp_path)


@pytest.mark.parametrize("label", [1_000_000_000, -1_000_000_000, 2**63 - 1])
def test_a_node_label_that_is_no_kind_of_node(tmp_path: Path, label: int) -> None:
    write_tu(tmp_path, "1,2", "1 1 2", "0 1", node_labels=f"0 {label} 2")
    with pytest.raises(DataError, match=f"node_labels.txt, line 2: node label {label};"):
        prepared(tmp_path)


def test_node_attributes_out_of_range(tmp_path: Path) -> None:
    write_tu(tmp_path, "1,2", "1 1 2", "0 1")
    raw = tmp_path / "TUDataset" / "MUTAG" / "raw"
    (raw / "MUTAG_node_attributes.txt").write_text("0.5\n1e300\n1\n")
    with pytest.raises(DataError, match=r"attributes\.txt, line 2: a value is not finite"):
        prepared(tmp_path)


def test_node_labels_that_do_not_cover_the_nodes(tmp_path: Path) -> None:
    write_tu(tmp_path, "1,2", "1 1 2", "0 1", node_labels="0 6")
    with pytest.raises(DataError, match="2 lines, the indicator file 3"):
        prepared(tmp_path)


def part(root: Path, name: str) -> Path:
    return root / "TUDataset" / "MUTAG" / "raw" / f"MUTAG_{name}.txt"


CUT = "188 graphs are published, these files hold 2: published numbers are of the 188"
EVERY_LABEL = "1 1 1 2 2 2 2"  # nodes of two graphs; their labels are 0..6


@pytest.mark.parametrize(
    ("edges", "notes"),
    [
        ("1,2;2,1;4,5;5,4", ()),
        (
            "1,2;2,3;4,5;5,4",
            ("2 of 3 edges are listed in one direction only; here all edges run both ways",),
        ),
        (
            "1,2;2,1;1,2;4,5;5,4;5,4;6,6",
            (
                "2 repeated listings of edges left out",
                "1 edge from a node to itself left out",
            ),
        ),
        ("", ()),
    ],
)
def test_edges_that_are_not_used_as_listed_are_counted(
    tmp_path: Path, edges: str, notes: tuple[str, ...]
) -> None:
    data = prepared(write_tu(tmp_path, edges, EVERY_LABEL, "0 1"))
    assert data.notes == (CUT, *notes)
    assert statistics(data)["notes"] == data.notes


def test_made_up_input_is_said(load: Load) -> None:
    assert "no node labels: every node has ten ones" in load("imdb-binary").notes
    nci1 = load("nci1")
    assert nci1.notes == tuple(size_notes("nci1", len(nci1.graphs)))


@pytest.mark.parametrize("file", ["edge_labels", "edge_attributes"])
def test_edges_cut_off_are_seen_by_the_lines_about_edges(tmp_path: Path, file: str) -> None:
    write_tu(tmp_path, "1,2;2,1", "1 1 2", "0 1")
    part(tmp_path, file).write_text("0\n0\n1\n1\n\n")
    with pytest.raises(DataError, match=f"MUTAG_{file}.txt has 4 lines, MUTAG_A.txt 2: one line"):
        read_tu(part(tmp_path, "A").parent, "MUTAG")


def test_files_that_are_not_used_are_named(tmp_path: Path) -> None:
    write_tu(tmp_path, "1,2;2,1", "1 1 2", "0 1", node_labels="0 1 6")
    part(tmp_path, "edge_labels").write_text("0\n0\n")
    folder = part(tmp_path, "A").parent
    assert read_tu(folder, "MUTAG").notes == (
        "4 of the node labels 0 to 6 do not occur",
        "not used: edge labels",
    )
    part(tmp_path, "node_attributes").write_text("0.5,1\n1,2\n1e3,-4\n")
    part(tmp_path, "graph_attributes").write_text("1\n2\n")
    raw = read_tu(folder, "MUTAG")
    assert raw.notes == ("not used: node labels, edge labels, graph attributes",)
    assert next(iter(raw.runs)).nodes.tolist() == [[0.5, 1], [1, 2], [1000, -4]]


def test_classes_that_are_not_those_of_the_set(tmp_path: Path) -> None:
    write_tu(tmp_path, "1,2;2,1", "1 1 2 3 4 5 5", "-1 1 1 -1 2")
    with pytest.raises(
        DataError, match=r"labels\.txt names 3 classes, the data set has 2: .* 2, .* in line 5"
    ):
        prepared(tmp_path)
    part(tmp_path, "graph_labels").write_text("1\n" * 5)
    with pytest.raises(DataError, match=r"labels\.txt: every graph is of class 1: there is"):
        prepared(tmp_path)
    folder = part(tmp_path, "A").parent
    part(tmp_path, "graph_labels").write_text("1\n2\n5\n1\n2\n")
    raw = read_tu(folder, "MUTAG", classes=6)
    assert raw.notes == ("the labels name 3 of the data set's 6 classes",)
    assert raw.class_names == ("1", "2", "5")


@pytest.mark.parametrize(
    ("edges", "indicator", "message"),
    [
        ("0,1;1,0", "1 1 2 2 2 2 2", "A.txt, line 1: no such node; .*names node 0; .*count from 1"),
        ("1,2", "0 0 1 1 1 1 1", "indicator.txt, line 1: graph 0, but .*count from 1"),
        ("1,2;2,-1", "1 1 2 2 2 2 2", "A.txt, line 2: no such node; .*names node -1$"),
    ],
)
def test_files_that_count_from_zero_are_told_so(
    tmp_path: Path, edges: str, indicator: str, message: str
) -> None:
    write_tu(tmp_path, edges, indicator, "0 1")
    with pytest.raises(DataError, match=message):
        prepared(tmp_path)


def test_a_second_column_of_labels_is_not_passed_over(tmp_path: Path) -> None:
    write_tu(tmp_path, "1,2", EVERY_LABEL, "0 1")
    part(tmp_path, "graph_labels").write_text("0,1\n1,0\n")
    with pytest.raises(DataError, match=r"graph_labels\.txt: lines hold 2 numbers, not 1"):
        prepared(tmp_path)


@pytest.mark.parametrize("file", ["graph_labels", "node_labels"])
def test_labels_that_differ_in_spelling_only_are_not_merged(tmp_path: Path, file: str) -> None:
    write_tu(tmp_path, "1,2", "1 1 1 2 2 3 3", "1 0 1", node_labels="1 0 2 3 4 5 1")
    lines = part(tmp_path, file).read_text().split()
    part(tmp_path, file).write_text("\n".join([*lines[:-1], "1.0"]) + "\n")
    refused = rf"{file}\.txt, line {len(lines)}: '1.0' is the number '1' of line 1 in another"
    with pytest.raises(DataError, match=refused):
        prepared(tmp_path)


def test_a_blank_line_shifts_nothing(tmp_path: Path) -> None:
    write_tu(tmp_path, "1,2", EVERY_LABEL, "0 1")
    part(tmp_path, "node_labels").write_text("0\n1\n\n3\n4\n5\n6\n6\n")
    with pytest.raises(DataError, match=r"node_labels\.txt, line 3: blank"):
        prepared(tmp_path)


def test_files_of_other_systems_are_read_alike(tmp_path: Path) -> None:
    write_tu(tmp_path / "a", "1,2;2,1;4,5;5,4", EVERY_LABEL, "-1 1")
    write_tu(tmp_path / "b", "1,2;2,1;4,5;5,4", EVERY_LABEL, "-1 1")
    for path in part(tmp_path / "b", "A").parent.iterdir():
        text = path.read_text().replace("\n", "\r\n")
        path.write_text("\ufeff" + text + "\r\n\r\n", newline="")
    assert prepared(tmp_path / "b").fingerprint == prepared(tmp_path / "a").fingerprint


def test_same_graphs_as_pygs_reader(data_root: Path) -> None:
    from torch_geometric.io import read_tu_data  # noqa: PLC0415

    folder = data_root / "TUDataset" / "ENZYMES" / "raw"
    theirs, slices, _ = read_tu_data(str(folder), "ENZYMES")
    (ours,) = read_tu(folder, "ENZYMES").runs
    np.testing.assert_allclose(ours.nodes, theirs.x[:, :18].numpy())
    np.testing.assert_array_equal(ours.targets[:, 0], theirs.y.numpy())
    np.testing.assert_array_equal(ours.node_count, slices["x"].diff().numpy())


def test_classes_that_are_there_are_counted_by_name(tmp_path: Path) -> None:
    raw = tmp_path / "TUDataset" / "ENZYMES" / "raw"
    raw.mkdir(parents=True)
    row = ",".join("1" * 18) + "\n"
    lines = {"A": "1,2\n2,1\n", "graph_indicator": "1\n1\n2\n3\n", "graph_labels": "4\n6\n6\n"}
    for name, text in {**lines, "node_attributes": row * 4}.items():
        (raw / f"ENZYMES_{name}.txt").write_text(text)
    data = load_prepared(prepare(DataConfig(name="enzymes"), tmp_path, tmp_path / "cache"))
    found = statistics(data)
    assert (found["class_names"], found["classes"]) == (["4", "6"], [1, 2])
