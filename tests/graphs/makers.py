"""Small graph sets for tests: named shapes, random graphs, and an independent basis in numpy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from pdf_search.config import (
    BasisConfig,
    CategoricalInput,
    Hops,
    InputShape,
    LinearInput,
    NoInput,
)
from pdf_search.graphs.bank import Bank
from pdf_search.graphs.graph_set import GraphSet
from pdf_search.records import Task

quick = settings(max_examples=25, deadline=None)

Bonds = Sequence[tuple[int, int]]
Graph = tuple[int, Bonds]  # number of nodes, undirected bonds

SINGLE: Graph = (1, ())
EDGELESS: Graph = (4, ())
ISOLATED: Graph = (5, ((0, 1), (1, 3)))  # nodes 2 and 4 have no bond
PATH: Graph = (6, tuple((i, i + 1) for i in range(5)))
RING: Graph = (7, tuple((i, (i + 1) % 7) for i in range(7)))
STAR: Graph = (6, tuple((0, i) for i in range(1, 6)))
COMPLETE: Graph = (5, tuple((i, j) for i in range(5) for j in range(i)))
TWO_PARTS: Graph = (7, ((0, 1), (1, 2), (3, 4), (4, 5), (5, 6), (6, 3)))
SHAPES: tuple[Graph, ...] = (
    SINGLE, EDGELESS, ISOLATED, PATH, RING, STAR, COMPLETE, TWO_PARTS, EDGELESS
)  # fmt: skip

EDGE_TYPES = np.array([[0], [1], [2], [3]])  # self pairs are of type 1


def graph_set(
    graphs: Iterable[Graph],
    edges: bool = True,
    categorical: bool = True,
    seed: int = 0,
    tasks: int = 1,
) -> GraphSet:
    """A set of these graphs with random node input, bond types 1..3 and targets."""
    graphs = list(graphs)
    rng = np.random.default_rng(seed)
    counts = np.array([n for n, _ in graphs])
    lists, types = [], []
    for _, bonds in graphs:
        pairs = np.array(sorted({(min(b), max(b)) for b in bonds}), np.int32).reshape(-1, 2)
        type_ = rng.integers(1, 4, len(pairs))
        both = np.concatenate([pairs, pairs[:, ::-1]]).T
        order = np.lexsort((both[1], both[0]))
        lists.append(both[:, order])
        types.append(np.tile(type_, 2)[order])
    nodes = (
        rng.integers(0, 5, (counts.sum(), 2)) if categorical else rng.normal(size=(counts.sum(), 3))
    )
    edge_type = np.concatenate(types).astype(np.int32)
    return GraphSet(
        node_ptr=np.concatenate([[0], np.cumsum(counts)]),
        nodes=nodes if categorical else nodes.astype(np.float32),
        edge_ptr=np.concatenate([[0], np.cumsum([len(t) for t in types])]),
        edges=np.concatenate(lists, 1),
        edge_type=edge_type if edges else np.zeros_like(edge_type),
        edge_types=EDGE_TYPES if edges else np.zeros((1, 0), np.int64),
        self_type=1 if edges else 0,
        targets=rng.normal(size=(len(graphs), tasks)).astype(np.float32),
    )


def shape_of(graphs: GraphSet, outputs: int = 1, task: Task = Task.REGRESSION) -> InputShape:
    """The input shape that a model needs for ``graph_set``'s sets."""
    categorical = graphs.nodes.dtype == np.int64
    nodes = (
        CategoricalInput(sizes=(5, 5))
        if categorical
        else LinearInput(features=graphs.nodes.shape[1])
    )
    edges = CategoricalInput(sizes=(4,)) if graphs.edge_types.shape[1] else NoInput()
    return InputShape(nodes=nodes, edges=edges, outputs=outputs, task=task)


def random_graph(rng: np.random.Generator, nodes: int, density: float = 0.3) -> Graph:
    upper = np.triu(rng.random((nodes, nodes)) < density, 1)
    return nodes, tuple((int(i), int(j)) for i, j in np.argwhere(upper))


def random_set(seed: int, count: int, **options: object) -> GraphSet:
    """``count`` random graphs of 1 to 9 nodes."""
    rng = np.random.default_rng(seed)
    graphs = [
        random_graph(rng, int(rng.integers(1, 10)), rng.uniform(0, 0.6)) for _ in range(count)
    ]
    return graph_set(graphs, seed=seed, **options)  # type: ignore[arg-type]


@st.composite
def graphs(draw: st.DrawFn, max_nodes: int = 8) -> Graph:
    nodes = draw(st.integers(1, max_nodes))
    pairs = [(i, j) for j in range(nodes) for i in range(j)]
    bonds = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return nodes, tuple(bonds)


@st.composite
def grids(draw: st.DrawFn) -> tuple[tuple[float, int], ...]:
    eps = st.sampled_from([0.0, -0.1, -0.25, -0.37, -0.5])
    points = draw(st.lists(st.tuples(eps, st.integers(1, 6)), min_size=1, max_size=5, unique=True))
    return tuple(points)


def basis(
    grid: Sequence[tuple[float, int]], hops: int | None = None, standardise: bool = False
) -> BasisConfig:
    support = "dense" if hops is None else Hops(hops=hops)
    return BasisConfig(pairs=tuple(grid), support=support, standardise=standardise)


def adjacency(graph: Graph) -> np.ndarray:
    """A~ = A + I, float64 [n, n]."""
    nodes, bonds = graph
    matrix = np.eye(nodes)
    for i, j in bonds:
        matrix[i, j] = matrix[j, i] = 1
    return matrix


def plain_bases(graph: Graph, grid: Sequence[tuple[float, int]]) -> np.ndarray:
    """[n, n, m] by definition: the identity, then each power from nothing but its step."""
    a = adjacency(graph)
    degree = [sum(row) for row in a]
    out = [np.eye(len(a))]
    for eps, k in grid:
        step = np.array(
            [
                [degree[v] ** eps * a[v, u] * degree[u] ** eps for u in range(len(a))]
                for v in range(len(a))
            ]
        )
        power = np.eye(len(a))
        for _ in range(k):
            power = np.einsum("ij,jk->ik", power, step)
        out.append(power)
    return np.stack(out, -1)


def distances(graph: Graph) -> np.ndarray:
    """Steps of the shortest walk between two nodes by breadth-first search; -1 where none."""
    nodes, bonds = graph
    neighbours: list[list[int]] = [[] for _ in range(nodes)]
    for i, j in bonds:
        neighbours[i].append(j)
        neighbours[j].append(i)
    out = np.full((nodes, nodes), -1)
    for start in range(nodes):
        out[start, start], front = 0, [start]
        while front:
            front = [
                j
                for i in front
                for j in neighbours[i]
                if out[start, j] < 0 and _mark(out, start, i, j)
            ]
    return out


def _mark(out: np.ndarray, start: int, i: int, j: int) -> bool:
    out[start, j] = out[start, i] + 1
    return True


def matrices_of(bank: Bank, graph: int) -> tuple[np.ndarray, np.ndarray]:
    """What the bank holds of one graph: bases [n, n, m], and which pairs are listed [n, n]."""
    n = int(bank.node_count[graph])
    far = bank.far_row[graph]
    row = np.full((n, n), far)
    first, last = bank.pair_ptr[graph : graph + 2]
    target, source = bank.target[first:last], bank.source[first:last]
    row[target, source] = bank.row[first:last]
    listed = np.zeros((n, n), bool)
    listed[target, source] = True
    values = bank.rows[row]
    if far < 0:
        values = np.where(listed[..., None], values, 0)
    return values, listed


def edge_types_of(bank: Bank, graph: int) -> np.ndarray:
    """Edge type of every listed pair, [n, n]; 0 elsewhere."""
    n = int(bank.node_count[graph])
    first, last = bank.pair_ptr[graph : graph + 2]
    out = np.zeros((n, n), int)
    out[bank.target[first:last], bank.source[first:last]] = bank.edge_type[first:last]
    return out
