"""Cuts the excerpts beside this file out of whole data sets: ``python make.py DATA_ROOT``.

DATA_ROOT holds ``TUDataset/NAME/raw``, ``ZINC/raw``, ``ZINC/zinc12k.npz`` and ``ogb/ogbg_NAME``.
The same files give the same excerpts: the first graphs of every class, and of every split.
"""

from __future__ import annotations

import gzip
import pickle
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent

# Graphs of each class in the order of their labels, and the most nodes of a graph.
TU = {
    "ENZYMES": ((5,) * 6, 60),
    "IMDB-BINARY": ((12, 12), 20),
    "MUTAG": ((20, 40), 40),
    "NCI1": ((10, 10), 40),
    "NCI109": ((10, 10), 40),
    "PROTEINS": ((15, 15), 60),
    "PTC_MR": ((20, 20), 40),
    "REDDIT-BINARY": ((10, 10), 60),
}
GOLDEN = {  # graphs of the golden vectors, taken whatever their size
    "ENZYMES": (0, 1, 2, 3, 596, 597, 598, 599),
    "MUTAG": (0, 1, 2, 3, 82, 121, 184, 185),
    "PROTEINS": (0, 1, 2, 3, 1106, 1109, 1110, 1112),
}
ZINC = {"train": 40, "val": 30, "test": 20}  # the first so many
OGB = ("molesol", "molfreesolv", "molbace", "molhiv", "moltox21")
OGB_PARTS = {"train": 24, "valid": 10, "test": 10}


def cut_tu(source: Path, target: Path, name: str) -> None:
    """Lines are kept as they are; graphs and nodes are numbered anew."""
    lines = {
        path.stem.removeprefix(f"{name}_"): path.read_text().splitlines()
        for path in source.glob(f"{name}_*.txt")
    }
    graph_of = np.array(lines["graph_indicator"], dtype=int) - 1
    graphs = _tu_graphs(name, lines, graph_of)
    nodes = np.flatnonzero(np.isin(graph_of, graphs))
    new_node = {old: new for new, old in enumerate(nodes.tolist(), 1)}
    new_graph = {old: new for new, old in enumerate(graphs, 1)}
    pairs = [tuple(int(cell) - 1 for cell in line.split(",")) for line in lines["A"]]
    edges = [i for i, (first, _) in enumerate(pairs) if first in new_node]
    kept = {
        "A": [f"{new_node[pairs[i][0]]}, {new_node[pairs[i][1]]}" for i in edges],
        "edge_labels": [lines["edge_labels"][i] for i in edges if "edge_labels" in lines],
        "graph_indicator": [str(new_graph[graph_of[node]]) for node in nodes],
        "graph_labels": [lines["graph_labels"][graph] for graph in graphs],
    }
    for part in lines.keys() & {"node_labels", "node_attributes"}:
        kept[part] = [lines[part][node] for node in nodes]
    target.mkdir(parents=True)
    for part in lines:
        (target / f"{name}_{part}.txt").write_text("".join(f"{line}\n" for line in kept[part]))


def _tu_graphs(name: str, lines: dict[str, list[str]], graph_of: np.ndarray) -> list[int]:
    """The first small graphs of every class, and the first that has a node label not yet seen."""
    a_class, most = TU[name]
    left = dict(zip(sorted(set(lines["graph_labels"]), key=int), a_class, strict=True))
    sizes = np.bincount(graph_of)
    labels: list[set[str]] = [set() for _ in sizes]
    for graph, label in zip(graph_of, lines.get("node_labels", ()), strict=False):
        labels[graph].add(label)
    graphs, seen = [], set()
    for graph, label in enumerate(lines["graph_labels"]):
        first_of_class = left[label] > 0 and sizes[graph] <= most
        if first_of_class or graph in GOLDEN.get(name, ()) or labels[graph] - seen:
            graphs.append(graph)
            left[label] -= first_of_class
            seen |= labels[graph]
    return graphs


def cut_zinc(source: Path, target: Path) -> None:
    """The first molecules of each split, in PyG's pickles and in the independent compact copy."""
    (target / "raw").mkdir(parents=True)
    copy: dict[str, Any] = {}
    with np.load(source / "zinc12k.npz") as whole:
        for split, count in ZINC.items():
            molecules = pickle.loads((source / "raw" / f"{split}.pickle").read_bytes())[:count]
            (target / "raw" / f"{split}.pickle").write_bytes(pickle.dumps(molecules, protocol=4))
            (target / "raw" / f"{split}.index").write_text(",".join(map(str, range(count))) + "\n")
            nodes, edges = (whole[f"{split}_{of}_ptr"][: count + 1] for of in ("node", "edge"))
            copy |= {f"{split}_node_ptr": nodes, f"{split}_edge_ptr": edges}
            for key, length in (("x", nodes[-1]), ("edge_attr", edges[-1]), ("y", count)):
                copy[f"{split}_{key}"] = whole[f"{split}_{key}"][:length]
            copy[f"{split}_edge_index"] = whole[f"{split}_edge_index"][:, : edges[-1]]
    np.savez_compressed(target / "zinc12k.npz", **copy)


def cut_ogb(source: Path, target: Path) -> None:
    """Rows are kept as they are; graphs are numbered anew, in the order of the whole set."""
    labels = _rows(source / "raw/graph-label.csv.gz")
    chosen = {part: _ogb_part(source, part, labels) for part in OGB_PARTS}
    graphs = sorted(graph for part in chosen.values() for graph in part)
    new = {old: place for place, old in enumerate(graphs)}
    for part, numbers in chosen.items():
        _write(target / f"split/scaffold/{part}.csv.gz", [str(new[graph]) for graph in numbers])
    _write(target / "raw/graph-label.csv.gz", [labels[graph] for graph in graphs])
    for counted, files in (("node", ["node-feat"]), ("edge", ["edge", "edge-feat"])):
        counts = _rows(source / f"raw/num-{counted}-list.csv.gz")
        ends = np.cumsum(np.array(counts, dtype=int))
        _write(target / f"raw/num-{counted}-list.csv.gz", [counts[graph] for graph in graphs])
        for file in files:
            rows = _rows(source / f"raw/{file}.csv.gz")
            parts = (rows[ends[graph] - int(counts[graph]) : ends[graph]] for graph in graphs)
            _write(target / f"raw/{file}.csv.gz", [row for part in parts for row in part])
    header, *molecules = _rows(source / "mapping/mol.csv.gz")
    _write(target / "mapping/mol.csv.gz", [header, *(molecules[graph] for graph in graphs)])
    shutil.copy(source / "RELEASE_v1.txt", target)


def _ogb_part(source: Path, part: str, labels: list[str]) -> list[int]:
    """The first graphs of a split: half of them of each value where labels are 0 and 1."""
    graphs = [int(row) for row in _rows(source / f"split/scaffold/{part}.csv.gz")]
    first = [labels[graph].split(",")[0] for graph in graphs]
    if not {"0", "1"} <= set(first):
        return graphs[: OGB_PARTS[part]]
    half = OGB_PARTS[part] // 2
    chosen = [
        graph
        for value in ("0", "1")
        for graph in [g for g, label in zip(graphs, first, strict=True) if label == value][:half]
    ]
    return [graph for graph in graphs if graph in chosen]


def _rows(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def _write(path: Path, rows: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("".join(f"{row}\n" for row in rows).encode(), mtime=0))


def main(root: Path) -> None:
    for folder in ("TUDataset", "ZINC", "ogb"):
        shutil.rmtree(HERE / folder, ignore_errors=True)
    for name in TU:
        place = Path("TUDataset") / name / "raw"
        cut_tu(root / place, HERE / place, name)
    cut_zinc(root / "ZINC", HERE / "ZINC")
    for name in OGB:
        cut_ogb(root / f"ogb/ogbg_{name}", HERE / f"ogb/ogbg_{name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
