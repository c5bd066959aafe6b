"""Turns a list of PyG ``Data`` into flat arrays, and refuses what it cannot use by its number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdf_search.data.own_graphs.own_graphs import CONSTANT_FEATURES, OwnGraphs
from pdf_search.errors import DataError
from pdf_search.graphs import Array

SPLIT = "split"  # the attribute that may name the part of the split of a graph
_READ = ("x", "edge_index", "edge_attr", "y", "num_nodes", SPLIT)
_UNBATCH = "give its graphs, batch.to_data_list(), or the data set in place of its DataLoader"
_MOST_CODES = 10_000  # a larger integer is an identifier, not a code with an embedding


def graphs_of(data: Iterable[Any], target_names: Sequence[str] = ()) -> OwnGraphs:
    """Turn a list of ``torch_geometric.data.Data`` into flat arrays.

    Read are ``x`` [n, F] (integers are codes; without it every node has ten ones), ``edge_index``
    [2, e], ``edge_attr`` [e, C], ``y`` (a number, or [T] or [1, T]; nan where a value is missing)
    and ``split`` (train, valid or test). ``target_names`` has a name for each target.

    Raises:
        DataError: There is no graph, a graph has no node, its arrays do not fit each other or those
            of the other graphs, or a value is not finite. The message names the graph, from 0.
    """
    data = _listed_graphs(data)
    counts = [_node_count(number, graph) for number, graph in enumerate(data)]
    edges = [_edges(i, graph, n) for i, (graph, n) in enumerate(zip(data, counts, strict=True))]
    edge_counts = [e.shape[1] for e in edges]
    nodes = _features(data, "x", counts, "nodes")
    notes = [] if nodes is not None else ["no node features: every node has ten ones"]
    targets, whole = _targets(data)
    names = _names(target_names, targets.shape[1])
    unused = sorted({key for graph in data for key in _keys(graph)} - set(_READ))
    notes += [f"not used: {', '.join(unused)}"] if unused else []
    return OwnGraphs(
        node_count=np.array(counts, np.int64),
        nodes=np.ones((sum(counts), CONSTANT_FEATURES), np.float32) if nodes is None else nodes,
        edge_count=np.array(edge_counts, np.int64),
        edges=np.concatenate(edges, axis=1),
        edge_features=_features(data, "edge_attr", edge_counts, "edges"),
        targets=targets,
        target_names=names,
        whole=whole,
        parts=_parts(data),
        notes=tuple(notes),
    )


def _listed_graphs(data: Iterable[Any]) -> list[Any]:
    """The graphs as a list, each of them a single ``Data``."""
    if _is_batch(data):
        raise DataError(f"give a list of graphs, not a batch of them: {_UNBATCH}")
    if hasattr(data, "edge_index"):
        raise DataError("give a list of graphs, not a single one: [graph]")
    graphs = items_of(data, "graphs", "graphs")
    if not graphs:
        raise DataError("the list holds no graphs")
    for number, graph in enumerate(graphs):
        if _is_batch(graph):
            raise DataError(
                f"item {number} of the list is a batch of {graph.num_graphs} graphs, not a single "
                f"one: {_UNBATCH}"
            )
        if not hasattr(graph, "edge_index") or not hasattr(graph, "num_nodes"):
            raise DataError(
                f"graph {number} is a {type(graph).__name__}, not a torch_geometric.data.Data"
            )
    return graphs


def _is_batch(value: Any) -> bool:
    """Whether a value is a PyG ``Batch``; what a user sets on a ``Data`` makes it none."""
    return hasattr(type(value), "num_graphs")


def items_of(given: Any, name: str, of: str) -> list[Any]:
    """Return the items of a list that was given as ``name``, a list ``of``; none if it is None.

    Raises:
        DataError: It is a text, or no list at all.
    """
    if given is None:
        return []
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise DataError(f"{name}: {given!r} is no list: give a list of {of}")
    return list(given)


def _keys(graph: Any) -> list[str]:
    return list(graph.keys()) if callable(graph.keys) else list(graph.keys)


def _array(number: int, name: str, value: Any) -> NDArray[Any]:
    """A tensor or array as numpy."""
    try:
        found = value.detach().cpu().numpy() if hasattr(value, "detach") else np.asarray(value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise DataError(f"graph {number}: {name} is no tensor of numbers: {error}") from None
    if found.dtype.kind not in "biuf":
        raise DataError(f"graph {number}: {name} is no tensor of numbers, but of {found.dtype}")
    return np.asarray(found)


def _node_count(number: int, graph: Any) -> int:
    count = graph.num_nodes
    if not count:
        raise DataError(f"graph {number} has no nodes: leave it out, or give its num_nodes")
    return int(count)


def _edges(number: int, graph: Any, nodes: int) -> NDArray[np.int64]:
    if graph.edge_index is None:
        return np.empty((2, 0), np.int64)
    edges = _array(number, "edge_index", graph.edge_index)
    if edges.ndim != 2 or edges.shape[0] != 2 or edges.dtype.kind not in "iu":
        raise DataError(
            f"graph {number}: edge_index is {edges.dtype} {list(edges.shape)}, not integers [2, e]"
        )
    if edges.size and not 0 <= edges.min() <= edges.max() < nodes:
        raise DataError(
            f"graph {number} has {nodes} nodes, but an edge with node "
            f"{edges.max() if edges.max() >= nodes else edges.min()}"
        )
    return edges.astype(np.int64)


def _features(data: Sequence[Any], name: str, counts: list[int], of: str) -> Array | None:
    """The features [n, F] of all graphs, int64 or float32; None if no graph has any."""
    values = [getattr(graph, name, None) for graph in data]
    given = [value is not None for value in values]
    if not any(given):
        return None
    if not all(given):
        raise DataError(f"graph {given.index(False)} has no {name}, others have: give all or none")
    arrays: list[NDArray[Any]] = []
    for number, (value, count) in enumerate(zip(values, counts, strict=True)):
        array = _array(number, name, value)
        array = array[:, None] if array.ndim == 1 else array
        width = arrays[0].shape[1] if arrays else array.shape[-1]
        if array.ndim == 2 and not array.shape[1]:
            raise DataError(f"graph {number}: {name} has no columns; leave it out: {name}=None")
        if array.ndim != 2 or array.shape != (count, width):
            raise DataError(
                f"graph {number}: {name} has shape {list(array.shape)}, not [{count}, {width}]: "
                f"it has {count} {of}, and as many features as graph 0"
            )
        arrays.append(array)
    whole = all(array.dtype.kind in "biu" for array in arrays)
    if not whole and any(array.dtype.kind in "biu" for array in arrays):
        raise DataError(f"{name} holds integers in some graphs and real numbers in others")
    _check_values(arrays, name, whole)
    return np.concatenate(arrays).astype(np.int64 if whole else np.float32)


def _check_values(arrays: list[NDArray[Any]], name: str, whole: bool) -> None:
    for number, array in enumerate(arrays):
        if not len(array):
            continue
        if whole and not 0 <= array.min() <= array.max() < _MOST_CODES:
            odd = array.min() if array.min() < 0 else array.max()
            raise DataError(
                f"graph {number}: {name} holds the integer {odd}; integers are codes from 0 to "
                f"{_MOST_CODES - 1}: convert numbers with .float()"
            )
        with np.errstate(over="ignore"):
            finite = whole or np.isfinite(array.astype(np.float32)).all()
        if not finite:
            raise DataError(f"graph {number}: {name} holds a value that is not finite")


def _targets(data: Sequence[Any]) -> tuple[NDArray[np.float64], bool]:
    """The targets [G, T], and whether they are whole numbers by type; T is 0 if there are none."""
    values = [getattr(graph, "y", None) for graph in data]
    if all(value is None for value in values):
        return np.empty((len(data), 0)), False
    rows: list[NDArray[Any]] = []
    for number, value in enumerate(values):
        if value is None:
            raise DataError(f"graph {number} has no y, others have: give nan where it is unknown")
        row = _array(number, "y", value)
        width = rows[0].shape[0] if rows else row.size
        if row.size != width or row.ndim > 2 or (row.ndim == 2 and row.shape[0] != 1):
            raise DataError(
                f"graph {number}: y has shape {list(row.shape)}, not [1, {width}]: one row of "
                "targets a graph, as many in each (targets of nodes are not for this program)"
            )
        if np.isinf(row).any():
            raise DataError(f"graph {number}: y is not finite; write nan for a missing value")
        rows.append(row.reshape(-1))
    return np.stack(rows).astype(np.float64), all(row.dtype.kind in "biu" for row in rows)


def _names(given: Sequence[str], count: int) -> tuple[str, ...]:
    names = items_of(given, "target_names", "names")
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise DataError(f"target_names: {name!r} is no name: write a text that is not empty")
    if names and (len(names) != count or len(set(names)) != count):
        raise DataError(f"target_names: {', '.join(names)}: not {count} different names")
    return tuple(names) or (("y",) if count == 1 else tuple(f"y{i}" for i in range(count)))


def _parts(data: Sequence[Any]) -> tuple[str, ...]:
    parts = [getattr(graph, SPLIT, None) for graph in data]
    given = [part is not None for part in parts]
    if any(given) and not all(given):
        raise DataError(f"graph {given.index(False)} has no {SPLIT}, others have: give all or none")
    return tuple(map(str, parts)) if any(given) else ()
