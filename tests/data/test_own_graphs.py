"""Graphs of one's own that are no molecules: PyG lists, their files, and folders in TU format."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric.data import Batch, Data, InMemoryDataset
from torch_geometric.loader import DataLoader

from pdf_search import Dataset
from pdf_search.config import CategoricalInput, DataConfig, LinearInput, NoInput
from pdf_search.data import Asked, Prepared, load_prepared, lookup, prepare
from pdf_search.errors import DataError
from pdf_search.records import Task
from pdf_search.space import load_space
from tests.data.conftest import edges_of


def graph(number: int, **values: Any) -> Data:
    """A path of 3 to 6 nodes, its edges in one direction."""
    n = 3 + number % 4
    edges = torch.stack([torch.arange(n - 1), torch.arange(1, n)])
    given = {"edge_index": edges, "num_nodes": n, "y": torch.tensor(number % 2), **values}
    return Data(**{k: v for k, v in given.items() if v is not None})


EDGES = torch.tensor([[1], [2], [1], [1], [1]])


def load(path: Path, cache: Path, **keys: object) -> Prepared:
    config = DataConfig.model_validate({"name": "graphs", "path": str(path), **keys})
    return load_prepared(prepare(config, cache=cache))


def saved(graphs: list[Data], folder: Path, **keys: Any) -> Path:
    return Dataset.from_pyg(graphs, **keys).save(folder / "mine.npz")


def test_a_list_and_its_two_files_are_one_data_set(tmp_path: Path) -> None:
    graphs = [graph(i) for i in range(20)]
    torch.save(graphs, tmp_path / "mine.pt")
    found = load(saved(graphs, tmp_path), tmp_path / "cache")
    assert found.fingerprint == load(tmp_path / "mine.pt", tmp_path / "cache").fingerprint
    assert (found.info.title, found.info.task, found.info.metric) == (
        "mine",
        "multiclass",
        "accuracy",
    )
    assert found.class_names == ("0", "1")
    assert found.graphs.targets[:, 0].tolist() == [i % 2 for i in range(20)]
    assert found.graphs.node_count.tolist() == [3 + i % 4 for i in range(20)]
    assert edges_of(found, 0) == {(0, 1), (1, 0), (1, 2), (2, 1)}
    assert found.info.shape is not None
    assert found.info.shape.edges == NoInput()
    assert "no node features: every node has ten ones" in found.notes
    assert any("edges are listed in one direction only" in note for note in found.notes)
    again = Dataset.load(tmp_path / "mine.npz")
    assert (len(again), again.target_names) == (20, ("y",))
    assert repr(again) == "Dataset(20 graphs, targets: y)"


def test_features_are_codes_or_numbers_by_their_type(tmp_path: Path) -> None:
    def made(i: int) -> Data:
        n = 3 + i % 4
        x = torch.arange(n)[:, None].repeat(1, 2) % torch.tensor([2, 5])
        return graph(i, x=x, edge_attr=torch.arange(n - 1) % 3, pos=torch.zeros(n, 3))

    codes = load(saved([made(i) for i in range(20)], tmp_path), tmp_path / "cache")
    shape = codes.info.shape
    assert shape is not None
    assert shape.nodes == CategoricalInput(sizes=(2, 5))
    assert shape.edges == CategoricalInput(sizes=(5,))
    assert "not used: pos" in codes.notes
    # No edge, a node's pair with itself, and the three codes, each with a row of its own.
    assert np.asarray(codes.graphs.edge_types).tolist() == [[0], [1], [2], [3], [4]]
    real = [
        graph(i, x=torch.ones(3 + i % 4, 3), edge_attr=torch.ones(2 + i % 4, 2)) for i in range(20)
    ]
    found = load(saved(real, tmp_path), tmp_path / "cache").info.shape
    assert found is not None
    assert (found.nodes, found.edges) == (LinearInput(features=3), LinearInput(features=2))


@pytest.mark.parametrize(
    ("target", "asked", "task", "outputs"),
    [
        (lambda i: torch.tensor(i % 3 + 5), None, Task.MULTICLASS, 3),
        (lambda i: torch.tensor([i % 3]), "regression", Task.REGRESSION, 1),
        (lambda i: torch.tensor([i / 7]), None, Task.REGRESSION, 1),
        (lambda i: torch.tensor([[i / 7, i / 3]]), None, Task.REGRESSION, 2),
        (lambda i: torch.tensor([float(i % 2), float("nan")]), None, Task.MULTILABEL, 2),
        (lambda i: torch.tensor([[i % 2, i % 3 == 0]]), None, Task.MULTILABEL, 2),
        (lambda i: torch.tensor(float(i % 2)), "multiclass", Task.MULTICLASS, 2),
    ],
)
def test_the_task_follows_type_and_values(
    tmp_path: Path, target: Callable[[int], Any], asked: str | None, task: Task, outputs: int
) -> None:
    path = saved([graph(i, y=target(i)) for i in range(20)], tmp_path)
    info = lookup(DataConfig.model_validate({"name": "graphs", "path": str(path), "task": asked}))
    assert info.shape is not None
    assert (info.task, info.shape.outputs) == (task, outputs)


def test_targets_are_chosen_by_name_and_graphs_without_one_left_out(tmp_path: Path) -> None:
    values = [[i / 3, float("nan") if i in (4, 7) else i / 2] for i in range(20)]
    graphs = [graph(i, y=torch.tensor([v])) for i, v in enumerate(values)]
    path = saved(graphs, tmp_path, target_names=["energy", "gap"])
    assert len(load(path, tmp_path / "cache").graphs) == 20
    found = load(path, tmp_path / "cache", targets=["gap"])
    assert "2 graphs without a target left out: 4, 7 (from 0)" in found.notes
    kept = [i for i in range(20) if i not in (4, 7)]
    assert found.graphs.targets[:, 0].tolist() == [i / 2 for i in kept]
    assert found.graphs.node_count.tolist() == [3 + i % 4 for i in kept]
    with pytest.raises(DataError, match=r"no target size .* the graphs have energy, gap"):
        load(path, tmp_path / "cache", targets=["size"])


def test_the_graphs_may_give_the_split(tmp_path: Path) -> None:
    parts = ["train", "val", "test", "train"]
    graphs = [graph(i, split=parts[i % 4]) for i in range(20)]
    torch.save(graphs, tmp_path / "mine.pt")
    found = load(tmp_path / "mine.pt", tmp_path / "cache", split_column="split")
    assert found.official is not None
    assert found.official["valid"].tolist() == list(range(1, 20, 4))
    plain = [graph(i) for i in range(20)]
    path = saved(plain, tmp_path, split=[parts[i % 4] for i in range(20)])
    assert load(path, tmp_path / "cache", split_column="split").official is not None
    assert load(path, tmp_path / "cache").official is None
    with pytest.raises(DataError, match=r"attribute 'split' .*which these have not"):
        load(saved(plain, tmp_path), tmp_path / "cache", split_column="split")


def test_a_folder_in_tu_format(data_root: Path, tmp_path: Path) -> None:
    folder = data_root / "TUDataset" / "MUTAG"
    own = load(folder, tmp_path / "cache")
    named = load_prepared(prepare(DataConfig(name="mutag"), data_root, tmp_path / "cache"))
    assert (own.info.title, own.class_names) == ("MUTAG", named.class_names)
    for name in ("node_ptr", "edge_ptr", "edges", "targets"):
        assert np.array_equal(getattr(own.graphs, name), getattr(named.graphs, name))
    codes = np.asarray(own.graphs.nodes)[:, 0].astype(int)
    assert np.array_equal(np.eye(7)[codes], np.asarray(named.graphs.nodes))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"edge_index": torch.tensor([[0], [9]])}, "graph 1 has 4 nodes, but an edge with node 9"),
        (
            {"edge_index": torch.tensor([[0.5], [1.0]])},
            "graph 1: edge_index is float32 .2, 1., not",
        ),
        ({"x": torch.ones(2, 3)}, r"graph 1: x has shape \[2, 3\], not \[4, 3\]"),
        ({"x": torch.full((4, 3), float("inf"))}, "graph 1: x holds a value that is not finite"),
        ({"x": torch.ones(4, 3, dtype=torch.long)}, "x holds integers in some graphs and real"),
        ({"x": None}, "graph 1 has no x, others have"),
        ({"y": None}, "graph 1 has no y, others have"),
        ({"y": torch.arange(4.0)}, r"graph 1: y has shape \[4\], not \[1, 1\]"),
        ({"y": torch.tensor(float("inf"))}, "graph 1: y is not finite"),
        ({"edge_attr": torch.ones(3, 1)}, "graph 0 has no edge_attr, others have"),
        ({"num_nodes": 0, "x": None}, "graph 1 has no nodes"),
    ],
)
def test_a_graph_that_cannot_be_used_is_named(change: dict[str, Any], said: str) -> None:
    graphs = [graph(i, x=torch.ones(3 + i % 4, 3), y=torch.tensor(1.0)) for i in range(4)]
    graphs[1] = graph(1, **{"x": torch.ones(4, 3), "y": torch.tensor(1.0), **change})
    with pytest.raises(DataError, match=said):
        Dataset.from_pyg(graphs)


def test_other_things_that_cannot_be_used(tmp_path: Path) -> None:
    plain = [graph(i) for i in range(4)]
    with pytest.raises(DataError, match="holds no graphs"):
        Dataset.from_pyg([])
    with pytest.raises(DataError, match="graph 0 is a dict, not a torch_geometric"):
        Dataset.from_pyg([{"x": 1}])
    with pytest.raises(DataError, match="give a list of graphs, not a single one"):
        Dataset.from_pyg(plain[0])
    with pytest.raises(DataError, match="graph 0: x has no columns; leave it out"):
        Dataset.from_pyg([graph(0, x=torch.empty(3, 0))])
    assert len(Dataset.from_pyg(each for each in plain)) == 4
    twice = graph(0, edge_index=torch.tensor([[0, 0, 0, 1], [1, 1, 1, 2]]), edge_attr=EDGES[:4])
    more = [graph(i, edge_attr=EDGES[: 2 + i % 4]) for i in range(1, 12)]
    notes = load(saved([twice, *more], tmp_path), tmp_path / "cache").notes
    assert "2 repeated listings of edges left out, 1 of them with other features" in notes
    big = graph(0, x=torch.full((3, 1), 10**6))
    with pytest.raises(DataError, match=r"integer 1000000; .*convert numbers with \.float"):
        Dataset.from_pyg([big])
    with pytest.raises(DataError, match=r"ends in .npz"):
        Dataset.from_pyg(plain).save(tmp_path / "mine.bin")
    for y, said in ((1.5, "is the same: nothing to learn"), (None, "have no targets")):
        path = saved(
            [graph(i, y=None if y is None else torch.tensor(y)) for i in range(4)], tmp_path
        )
        with pytest.raises(DataError, match=said):
            lookup(DataConfig(name="graphs", path=str(path)))
    numbers = saved([graph(i, y=torch.tensor(i)) for i in range(20)], tmp_path)
    with pytest.raises(DataError, match=r"20 classes in 20 graphs: .*--task regression"):
        lookup(DataConfig(name="graphs", path=str(numbers)))


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a", "b"], "target_names: a, b: not 1 different names"),
        ([3], "target_names: 3 is no name: write a text"),
        (["  "], "target_names: '  ' is no name: write a text"),
        ("energy", "target_names: 'energy' is no list: give a list of names"),
        (3, "target_names: 3 is no list: give a list of names"),
    ],
)
def test_names_of_targets_are_checked(names: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        Dataset.from_pyg([graph(i) for i in range(4)], target_names=names)


def test_names_may_be_an_array_and_hold_commas(tmp_path: Path) -> None:
    graphs = [graph(i, y=torch.tensor([[i / 3, i / 5]])) for i in range(20)]
    path = saved(graphs, tmp_path, target_names=np.array(["a,b", "c"]))
    assert load_space(str(path), asked=Asked(targets=("a,b",))).definition["data"]["targets"] == [
        "a,b"
    ]


def test_a_batch_is_not_taken_for_one_graph() -> None:
    batch = Batch.from_data_list([graph(i) for i in range(10)])
    loader = DataLoader([graph(i) for i in range(6)], batch_size=3)
    with pytest.raises(DataError, match=r"not a batch of them: .*batch.to_data_list\(\)"):
        Dataset.from_pyg(batch)
    with pytest.raises(DataError, match="item 1 of the list is a batch of 10 graphs, not a single"):
        Dataset.from_pyg([graph(0), batch])
    for batches in (list(loader), loader):
        with pytest.raises(DataError, match="item 0 of the list is a batch of 3 graphs"):
            Dataset.from_pyg(batches)
    assert len(Dataset.from_pyg(batch.to_data_list())) == 10
    assert len(Dataset.from_pyg([graph(0, num_graphs=7)])) == 1  # an attribute makes no batch


class Harm:
    """A pickle of it, once executed, makes a folder."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (os.environ["HARM"],)


def test_a_pickle_is_never_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARM", str(tmp_path / "harm"))
    torch.save([graph(0), Harm()], tmp_path / "mine.pt")
    with pytest.raises(DataError, match="without running code that it may hold"):
        load(tmp_path / "mine.pt", tmp_path / "cache")
    torch.save({"graphs": [graph(0)]}, tmp_path / "dict.pt")
    with pytest.raises(DataError, match=r"holds a dict, not a list .*Dataset.from_pyg"):
        load(tmp_path / "dict.pt", tmp_path / "cache")
    torch.save((*InMemoryDataset.collate([graph(0), graph(1)]), Data), tmp_path / "processed.pt")
    with pytest.raises(DataError, match="a processed data set is converted in Python"):
        load(tmp_path / "processed.pt", tmp_path / "cache")
    np.savez(tmp_path / "other.npz", a=np.array([Harm()], dtype=object))
    (tmp_path / "cut.npz").write_bytes((tmp_path / "other.npz").read_bytes()[:60])
    for name in ("other.npz", "cut.npz"):
        with pytest.raises(DataError, match=r"no file of graphs that `pdf_search.Dataset` saved"):
            load(tmp_path / name, tmp_path / "cache")
    assert not (tmp_path / "harm").exists()


def test_a_file_that_cannot_be_used_is_told_in_own_words(tmp_path: Path) -> None:
    path = saved([graph(i) for i in range(20)], tmp_path)
    whole = path.read_bytes()
    junk = [b"junk", whole[:200]]
    for place in range(0, len(whole), 7):  # in headers, names and packed arrays
        junk.append(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
    said = []
    for content in junk:
        path.write_bytes(content)
        with suppress(DataError):  # where no reader looks, any byte may stand
            Dataset.load(path)
            continue
        with pytest.raises(DataError) as caught:
            Dataset.load(path)
        said.append(str(caught.value))
    assert len(said) > len(junk) / 2
    (text,) = set(said)
    assert text.startswith(f"{path} is no file of graphs that `pdf_search.Dataset` saved")
    assert "pickle" not in text
    with pytest.raises(DataError, match=r"there is no file .*none\.npz$"):
        Dataset.load(tmp_path / "none.npz")
