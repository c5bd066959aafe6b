"""Reader of the TU collection's text files, checked against the indicator file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdf_search.data.raw_set import RawGraphs, RawSet
from pdf_search.errors import DataError

_CONSTANT_FEATURES = 10  # width of the constant input where a set has no node labels
_MOST_LABELS = 256  # in one column of node labels; the known sets have 38 and fewer


def required_files(name: str) -> tuple[str, ...]:
    """Files without which a set cannot be read."""
    return tuple(f"{name}_{part}.txt" for part in ("A", "graph_indicator", "graph_labels"))


def optional_files(name: str) -> tuple[str, ...]:
    """Files that are read where they exist."""
    return tuple(f"{name}_{part}.txt" for part in ("node_attributes", "node_labels"))


def read_tu(folder: Path, name: str) -> RawSet:
    """Read ``NAME_A.txt`` and its companions.

    Nodes belong to the graph that the indicator file names, in whatever order they are listed.
    Node input: attributes if there are any, else one-hot labels, else ten ones.

    Raises:
        DataError: files that contradict each other, with file and line.
    """
    graph = _integers(folder / f"{name}_graph_indicator.txt")[:, 0] - 1
    labels = _integers(folder / f"{name}_graph_labels.txt")[:, 0]
    node_count = _node_count(graph, len(labels), folder / f"{name}_graph_indicator.txt")
    order = np.argsort(graph, kind="stable")
    local = np.empty(len(graph), np.int64)
    local[order] = np.arange(len(graph)) - np.repeat(np.cumsum(node_count) - node_count, node_count)
    edge_count, edges = _edges(folder / f"{name}_A.txt", graph, local, len(labels))
    classes, target = np.unique(labels, return_inverse=True)
    run = RawGraphs(
        node_count=node_count,
        nodes=_node_input(folder, name, len(graph))[order],
        edge_count=edge_count,
        edges=edges,
        edge_features=None,
        targets=target.reshape(-1, 1).astype(np.float32),
    )
    return RawSet([run], ("class",), class_names=tuple(str(label) for label in classes))


def _node_count(graph: NDArray[np.int64], graphs: int, path: Path) -> NDArray[np.int64]:
    wrong = np.flatnonzero((graph < 0) | (graph >= graphs))
    if len(wrong):
        raise DataError(
            f"{path}, line {wrong[0] + 1}: graph {graph[wrong[0]] + 1}, but the labels file has "
            f"{graphs} graphs"
        )
    count = np.bincount(graph, minlength=graphs).astype(np.int64)
    empty = np.flatnonzero(count == 0)
    if len(empty):
        raise DataError(f"{path}: graph {empty[0] + 1} has a label but no nodes")
    return count


def _edges(
    path: Path, graph: NDArray[np.int64], local: NDArray[np.int64], graphs: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    listed = _integers(path, columns=2) - 1
    wrong = np.flatnonzero(((listed < 0) | (listed >= len(graph))).any(axis=1))
    if len(wrong):
        raise DataError(f"{path}, line {wrong[0] + 1}: no such node; there are {len(graph)}")
    owner = graph[listed]
    across = np.flatnonzero(owner[:, 0] != owner[:, 1])
    if len(across):
        a, b = owner[across[0]] + 1
        raise DataError(f"{path}, line {across[0] + 1}: an edge joins graph {a} with graph {b}")
    order = np.argsort(owner[:, 0], kind="stable")
    count = np.bincount(owner[:, 0], minlength=graphs).astype(np.int64)
    return count, local[listed[order]].T


def _node_input(folder: Path, name: str, nodes: int) -> NDArray[np.float32]:
    path = folder / f"{name}_node_attributes.txt"
    if path.exists():
        listed: NDArray[Any] = _read(path, np.float64)
        with np.errstate(over="ignore"):  # found below, with its line
            values: NDArray[np.float32] = listed.astype(np.float32)
    else:
        path = folder / f"{name}_node_labels.txt"
        if not path.exists():
            return np.ones((nodes, _CONSTANT_FEATURES), np.float32)
        values = _one_hot(_integers(path), path)
    if len(values) != nodes:
        raise DataError(f"{path} has {len(values)} lines, the indicator file {nodes}")
    if not np.isfinite(values).all():
        raise DataError(f"{path}, line {_first_bad(values)}: a value is not finite")
    return values


def _one_hot(labels: NDArray[np.int64], path: Path) -> NDArray[np.float32]:
    """Labels [n, L] to one block of columns for each of the L label columns.

    Raises:
        DataError: no labels, or labels too far apart to number columns.
    """
    if not len(labels):
        raise DataError(f"{path} is empty")
    blocks = []
    for column in labels.T:
        low, high = int(column.min()), int(column.max())
        if high - low >= _MOST_LABELS:
            odd = int(np.abs(column - np.median(column)).argmax())
            raise DataError(
                f"{path}, line {odd + 1}: node label {column[odd]}; labels number the kinds of "
                f"nodes and may span {_MOST_LABELS}, here they go from {low} to {high}"
            )
        blocks.append(np.eye(high - low + 1, dtype=np.float32)[column - low])
    return np.concatenate(blocks, axis=1)


def _first_bad(values: NDArray[np.float32]) -> int:
    return int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0]) + 1


def _integers(path: Path, columns: int | None = None) -> NDArray[np.int64]:
    values = _read(path, np.int64)
    if columns is None:
        return values
    if not values.size:
        return np.empty((0, columns), np.int64)
    if values.shape[1] != columns:
        raise DataError(f"{path}: lines hold {values.shape[1]} numbers, not {columns}")
    return values


def _read(path: Path, dtype: type[np.generic]) -> NDArray[Any]:
    import pandas as pd  # noqa: PLC0415

    try:
        frame = pd.read_csv(path, header=None, dtype=dtype, skipinitialspace=True)
    except pd.errors.EmptyDataError:
        return np.empty((0, 1), dtype)
    except (ValueError, OverflowError) as error:  # pandas' parser errors are ValueErrors
        raise DataError(f"{path} is not a table of numbers: {error}") from None
    return frame.to_numpy()
