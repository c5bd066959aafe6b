"""Writes files in OGB's layout, as large as a share of ogbg-molpcba or ogbg-ppa.

ogbg-molpcba: molecules of ogbg-molhiv, drawn with replacement, so a molecule's distinct basis rows
are fewer than the real set's. ogbg-ppa: graphs of neighbours on a ring, with the real set's average
of nodes and edges; ``kinds`` distinct rows of edge features.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np

PUBLISHED = {"ogbg-molpcba": 437_929, "ogbg-ppa": 158_100}  # graphs
SHARES = {"ogbg-molpcba": (0.8, 0.1), "ogbg-ppa": (0.495, 0.285)}  # of the parts train and valid
SPLITS = {"ogbg-molpcba": "scaffold", "ogbg-ppa": "species"}
TASKS, LABELLED, POSITIVE = 128, 0.4, 0.02  # of ogbg-molpcba, about
PPA_NODES, PPA_EDGES, CLASSES = 243.4, 2266.1, 37
MISSING = 0.7  # of the seven scores of an edge


def write(name: str, fraction: float, root: Path, molhiv: Path, kinds: int) -> Path:
    """Write the raw files below ``root``; ``molhiv``: the folder of the real ogbg-molhiv."""
    folder = root / "ogb" / name.replace("-", "_")
    (folder / "raw").mkdir(parents=True)
    graphs = round(PUBLISHED[name] * fraction)
    random = np.random.default_rng(0)
    if name == "ogbg-ppa":
        _write_ppa(folder / "raw", graphs, random, kinds)
    else:
        _write_molecules(folder / "raw", graphs, random, molhiv / "raw")
    split = folder / "split" / SPLITS[name]
    split.mkdir(parents=True)
    order = random.permutation(graphs)
    cuts = np.cumsum([round(graphs * share) for share in SHARES[name]])
    for part, numbers in zip(("train", "valid", "test"), np.split(order, cuts), strict=True):
        _write_lines(split / f"{part}.csv.gz", (b"%d\n" % n for n in np.sort(numbers)))
    return folder


def _write_lines(path: Path, lines: Iterable[bytes]) -> None:
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.writelines(lines)


def _lines(path: Path) -> list[bytes]:
    with gzip.open(path) as file:
        return file.readlines()


def _write_molecules(raw: Path, graphs: int, random: np.random.Generator, real: Path) -> None:
    picks = random.integers(0, len(_lines(real / "num-node-list.csv.gz")), graphs)
    for counts, files in (
        ("num-node-list", ("node-feat",)),
        ("num-edge-list", ("edge", "edge-feat")),
    ):
        each = [int(line) for line in _lines(real / f"{counts}.csv.gz")]
        _write_lines(raw / f"{counts}.csv.gz", (b"%d\n" % each[g] for g in picks))
        ends = list(accumulate(each))
        for name in files:
            lines = _lines(real / f"{name}.csv.gz")
            blocks = (b"".join(lines[ends[g] - each[g] : ends[g]]) for g in picks)
            _write_lines(raw / f"{name}.csv.gz", blocks)
    labels = [_label_line(random) for _ in range(2000)]
    chosen = random.integers(0, len(labels), graphs)
    _write_lines(raw / "graph-label.csv.gz", (labels[i] for i in chosen))


def _label_line(random: np.random.Generator) -> bytes:
    there, positive = random.random(TASKS) < LABELLED, random.random(TASKS) < POSITIVE
    cells = [str(int(p)) if t else "" for t, p in zip(there, positive, strict=True)]
    return (",".join(cells) + "\n").encode()


@dataclass(frozen=True)
class _Ring:
    """A graph of n nodes whose edges join nodes that are near each other on a ring."""

    nodes: int
    ends: np.ndarray  # [2, E], each edge once

    @classmethod
    def drawn(cls, random: np.random.Generator) -> _Ring:
        n = int(np.clip(random.normal(PPA_NODES, 45), 30, 300))
        wanted = round(n * PPA_EDGES / PPA_NODES)
        first = random.integers(0, n, 3 * wanted)
        second = (first + random.geometric(0.04, len(first))) % n
        low, high = np.minimum(first, second), np.maximum(first, second)
        codes = np.unique((low * n + high)[low < high])
        codes = np.sort(random.permutation(codes)[:wanted])
        return cls(n, np.stack([codes // n, codes % n]))


def _write_ppa(raw: Path, graphs: int, random: np.random.Generator, kinds: int) -> None:
    pool = np.array([_feature_line(random) for _ in range(kinds)], object)
    with (
        gzip.open(raw / "edge.csv.gz", "wb", 1) as edges,
        gzip.open(raw / "edge-feat.csv.gz", "wb", 1) as features,
    ):
        nodes, counts = [], []
        for ring in _rings(graphs, random):
            edges.write("".join(f"{a},{b}\n" for a, b in ring.ends.T.tolist()).encode())
            features.write(b"".join(pool[random.integers(0, kinds, ring.ends.shape[1])]))
            nodes.append(ring.nodes)
            counts.append(ring.ends.shape[1])
    _write_lines(raw / "num-node-list.csv.gz", (b"%d\n" % n for n in nodes))
    _write_lines(raw / "num-edge-list.csv.gz", (b"%d\n" % n for n in counts))
    classes = random.integers(0, CLASSES, graphs)
    _write_lines(raw / "graph-label.csv.gz", (b"%d\n" % c for c in classes))


def _rings(graphs: int, random: np.random.Generator) -> Iterator[_Ring]:
    return (_Ring.drawn(random) for _ in range(graphs))


def _feature_line(random: np.random.Generator) -> bytes:
    scores = np.where(random.random(7) < MISSING, 1, random.integers(1, 1000, 7)) / 1000
    return (",".join(map(str, scores)) + "\n").encode()
