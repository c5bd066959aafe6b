"""The planted tasks: which bases, which molecules, which targets.

A target is a sum over nodes of sin(1.5 z_i) for each planted basis S_i and of tanh(z_i) tanh(z_j)
for each two of them, with z_i = S_i h standardised over all nodes, h a random number for each
element, and noise of 2 % of the target's deviation. In task C, z_2 is orthogonalised against z_1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pdf_search.config import BasisConfig, CategoricalInput, DataConfig, InputShape, NoInput
from pdf_search.data import Prepared, load_prepared, prepare
from pdf_search.graphs import GraphSet, exact_pairs
from pdf_search.records import Task

Point = tuple[float, int]
Floats = NDArray[np.float64]

SET = "ogbg-molhiv"
MOLECULES, LARGEST = 600, 25  # at most so many atoms each
PARTS = {"train": 400, "valid": 100, "test": 100}
NOISE = 0.02
ELEMENTS = 119
FULL: tuple[Point, ...] = tuple((-e / 10, k) for e in range(6) for k in range(1, 7))
PLANTED: dict[str, tuple[Point, ...]] = {
    "A": ((-0.5, 1),),
    "B": ((-0.1, 4),),
    "C": ((-0.1, 3), (-0.5, 3)),
    "D": ((-0.5, 1), (-0.1, 4)),
    "E": ((-0.5, 1), (-0.1, 4), (-0.3, 6)),
}
RANDOM = "R"  # one basis, drawn from the whole grid by the seed


@dataclass(frozen=True)
class PlantedTask:
    """A task-seed; the seed decides h, the noise and the split."""

    name: str
    seed: int

    @property
    def planted(self) -> tuple[Point, ...]:
        if self.name == RANDOM:
            source = np.random.default_rng([20_261_129, ord(RANDOM), self.seed, 1])
            return (FULL[int(source.integers(len(FULL)))],)
        return PLANTED[self.name]

    def data(self, data_root: Path | None) -> Prepared:
        """The molecules with the planted targets and the split of this task-seed."""
        molecules = planted_molecules(data_root)
        source = np.random.default_rng([20_261_129, ord(self.name), self.seed])
        target = self._target(molecules.graphs, source)
        order = source.permutation(MOLECULES)
        ends = np.cumsum(list(PARTS.values()))
        lists = [np.sort(part) for part in np.split(order, ends[:-1])]
        graphs = replace(molecules.graphs, targets=target[:, None].astype(np.float32))
        return replace(molecules, graphs=graphs, official=dict(zip(PARTS, lists, strict=True)))

    def _target(self, graphs: GraphSet, source: np.random.Generator) -> Floats:
        h = source.normal(size=ELEMENTS)[graphs.nodes[:, 0]]
        z = [standardised(signal) for signal in propagated(graphs, self.planted, h)]
        if self.name == "C":
            z[1] = standardised(z[1] - z[0] * (z[0] @ z[1]) / (z[0] @ z[0]))
        nothing = np.zeros_like(h)
        alone: Floats = sum((np.sin(1.5 * zi) for zi in z), nothing)
        both = (np.tanh(a) * np.tanh(b) for a, b in combinations(z, 2))
        total = np.add.reduceat(alone + sum(both, nothing), graphs.node_ptr[:-1])
        return np.asarray(total + NOISE * total.std() * source.normal(size=len(total)))


def propagated(graphs: GraphSet, planted: Sequence[Point], h: Floats) -> list[Floats]:
    """S_i h for each planted basis, over all nodes."""
    basis = BasisConfig(pairs=tuple(planted))
    (graph, target, source, rows), _ = exact_pairs(graphs, basis)
    start = graphs.node_ptr[:-1][graph]
    places = [1 + basis.grid.index(point) for point in planted]
    weighted = [rows[:, place] * h[start + source] for place in places]
    return [np.bincount(start + target, w, minlength=len(h)).astype(np.float64) for w in weighted]


def standardised(values: Floats) -> Floats:
    return np.asarray((values - values.mean()) / values.std())


@cache
def planted_molecules(data_root: Path | None) -> Prepared:
    """600 molecules of the set: element alone as node input, no edge types, targets 0."""
    data = load_prepared(prepare(DataConfig(name=SET), data_root, progress=print))
    small = np.flatnonzero(data.graphs.node_count <= LARGEST)
    chosen = np.sort(np.random.default_rng(20_261_129).permutation(small)[:MOLECULES])
    graphs = data.graphs.subset(chosen)
    graphs = replace(
        graphs,
        nodes=np.ascontiguousarray(graphs.nodes[:, :1]),
        edge_type=np.zeros_like(graphs.edge_type),
        edge_types=np.zeros((1, 0), np.float32),
        self_type=0,
        targets=np.zeros((MOLECULES, 1), np.float32),
    )
    shape = InputShape(
        nodes=CategoricalInput(sizes=(ELEMENTS,)), edges=NoInput(), outputs=1, task=Task.REGRESSION
    )
    info = replace(data.info, name="planted", title="planted", shape=shape, metric="rmse")
    info = replace(info, task=Task.REGRESSION)
    return replace(
        data,
        info=info,
        graphs=graphs,
        fingerprint=graphs.fingerprint(),
        target_names=("planted",),
        class_names=(),
        part_hashes={},
        rows=None,
        molecules=None,
    )
