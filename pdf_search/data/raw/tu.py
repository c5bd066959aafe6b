"""Reads the TU collection's text files and checks them against the indicator file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pdf_search.data.raw.number_table import line_count, read_integers, read_labels, read_reals
from pdf_search.data.raw.raw_set import RawGraphs, RawSet
from pdf_search.errors import DataError
from pdf_search.wording import counted

_CONSTANT_FEATURES = 10  # width of the constant input if a data set has no node labels
_UNUSED = ("edge_labels", "edge_attributes", "graph_attributes")
_COUNTS_FROM_ONE = "; these files count from 1: if yours counts from 0, add 1 to each number"
_MOST_LABELS = 256  # limit in one column of node labels; the known data sets have at most 38


def required_files(name: str) -> tuple[str, ...]:
    """Return the names of the files that must be there."""
    return tuple(f"{name}_{part}.txt" for part in ("A", "graph_indicator", "graph_labels"))


def optional_files(name: str) -> tuple[str, ...]:
    """Return the names of the files that, if they exist, are read or noted as not used."""
    return tuple(f"{name}_{part}.txt" for part in ("node_attributes", "node_labels", *_UNUSED))


def read_tu(folder: Path, name: str, classes: int | None = None) -> RawSet:
    """Read ``NAME_A.txt`` and the other files of a data set.

    Nodes belong to the graphs that the indicator file names and may be listed in any order. Their
    input is their attributes if there are any, else their labels, one-hot, else ten ones.
    ``classes`` is the number of classes that the data set should have.

    Raises:
        DataError: The files contradict each other (the message names file and line), there are
            more than ``classes`` classes, or there is a single one.
    """
    indicator = folder / f"{name}_graph_indicator.txt"
    graph = read_integers(indicator, columns=1)[:, 0] - 1
    labels = read_labels(folder / f"{name}_graph_labels.txt", columns=1)[:, 0]
    node_count = _node_count(graph, len(labels), indicator)
    order = np.argsort(graph, kind="stable")
    local = np.empty(len(graph), np.int64)
    local[order] = np.arange(len(graph)) - np.repeat(np.cumsum(node_count) - node_count, node_count)
    edge_count, edges = _edges(folder / f"{name}_A.txt", graph, local, len(labels))
    _check_edges(folder, name, edges.shape[1])
    found, target = np.unique(labels, return_inverse=True)
    nodes, notes = _node_input(folder, name, len(graph))
    notes += _class_notes(labels, classes, folder / f"{name}_graph_labels.txt")
    run = RawGraphs(
        node_count=node_count,
        nodes=nodes[order],
        edge_count=edge_count,
        edges=edges,
        edge_features=None,
        targets=target.reshape(-1, 1).astype(np.float32),
    )
    names = tuple(str(label) for label in found)
    return RawSet([run], ("class",), class_names=names, notes=tuple(notes))


def _node_count(graph: NDArray[np.int64], graphs: int, path: Path) -> NDArray[np.int64]:
    """The number of nodes of each graph [g], from the graph of each node."""
    wrong = np.flatnonzero((graph < 0) | (graph >= graphs))
    if len(wrong):
        number = graph[wrong[0]] + 1
        hint = _COUNTS_FROM_ONE if number == 0 else ""
        raise DataError(
            f"{path}, line {wrong[0] + 1}: graph {number}, but the labels file has "
            f"{counted(graphs, 'graph')}{hint}"
        )
    count = np.bincount(graph, minlength=graphs).astype(np.int64)
    empty = np.flatnonzero(count == 0)
    if len(empty):
        raise DataError(
            f"{path}: graph {empty[0] + 1} has a label but no nodes: line {empty[0] + 1} of the "
            "labels file is about it, no line of this file is"
        )
    return count


def _edges(
    path: Path, graph: NDArray[np.int64], local: NDArray[np.int64], graphs: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The edge count of each graph [g], and the edges [2, e], ordered by graph, in local numbers.

    ``graph`` and ``local`` have the graph of each node and its number there.
    """
    listed = read_integers(path, columns=2) - 1
    wrong = np.flatnonzero(((listed < 0) | (listed >= len(graph))).any(axis=1))
    if len(wrong):
        pair = listed[wrong[0]] + 1
        number = pair[(pair < 1) | (pair > len(graph))][0]
        hint = _COUNTS_FROM_ONE if number == 0 else ""
        raise DataError(
            f"{path}, line {wrong[0] + 1}: no such node; there are {len(graph)}, it names node "
            f"{number}{hint}"
        )
    owner = graph[listed]
    across = np.flatnonzero(owner[:, 0] != owner[:, 1])
    if len(across):
        a, b = owner[across[0]] + 1
        raise DataError(f"{path}, line {across[0] + 1}: an edge joins graph {a} with graph {b}")
    order = np.argsort(owner[:, 0], kind="stable")
    count = np.bincount(owner[:, 0], minlength=graphs).astype(np.int64)
    return count, local[listed[order]].T


def _check_edges(folder: Path, name: str, edges: int) -> None:
    """Check that the files about edges, though not used, have a line for each.

    Raises:
        DataError: One has more or fewer, as when a file was cut off on its way.
    """
    for part in ("edge_labels", "edge_attributes"):
        path = folder / f"{name}_{part}.txt"
        if path.is_file() and (lines := line_count(path)) != edges:
            raise DataError(
                f"{path} has {counted(lines, 'line')}, {name}_A.txt {edges}: one line an edge in "
                "both. Get the shorter one again, or remove this file, which is not used"
            )


def _class_notes(labels: NDArray[np.int64], classes: int | None, path: Path) -> list[str]:
    """Make a note if there are fewer classes than ``classes``.

    Raises:
        DataError: There is a single class, or there are more than ``classes``.
    """
    found, counts = np.unique(labels, return_counts=True)
    if classes is None or len(found) == classes or not len(found):
        return []
    if len(found) > classes:
        rare = found[counts.argmin()]
        line = int(np.flatnonzero(labels == rare)[0]) + 1
        raise DataError(
            f"{path} names {len(found)} classes, the data set has {classes}: the rarest is {rare}, "
            f"of {counted(int(counts.min()), 'graph')}, first in line {line}"
        )
    if len(found) == 1:
        raise DataError(
            f"{path}: every graph is of class {found[0]}: there is nothing to tell apart"
        )
    return [f"the labels name {len(found)} of the data set's {classes} classes"]


def _node_input(folder: Path, name: str, nodes: int) -> tuple[NDArray[np.float32], list[str]]:
    """The input of each node [n, F], and notes on it and on files that are not used."""
    unused = [part for part in _UNUSED if (folder / f"{name}_{part}.txt").is_file()]
    attributes, labels = (folder / f"{name}_node_{part}.txt" for part in ("attributes", "labels"))
    notes: list[str] = []
    if attributes.is_file():
        with np.errstate(over="ignore"):  # ``_check_nodes`` refuses infinite values, with the line
            values: NDArray[np.float32] = read_reals(attributes).astype(np.float32)
        unused = ["node_labels"] * labels.is_file() + unused
    elif labels.is_file():
        values, notes = _one_hot(read_labels(labels), labels)
    else:
        values = np.ones((nodes, _CONSTANT_FEATURES), np.float32)
        notes = ["no node labels: every node has ten ones"]
    _check_nodes(values, nodes, attributes if attributes.is_file() else labels)
    if unused:
        notes.append(f"not used: {', '.join(part.replace('_', ' ') for part in unused)}")
    return values, notes


def _check_nodes(values: NDArray[np.float32], nodes: int, path: Path) -> None:
    if len(values) != nodes:
        raise DataError(
            f"{path} has {counted(len(values), 'line')}, the indicator file {nodes}: one line "
            "a node in both"
        )
    if not np.isfinite(values).all():
        raise DataError(f"{path}, line {_first_bad(values)}: a value is not finite")


def _one_hot(labels: NDArray[np.int64], path: Path) -> tuple[NDArray[np.float32], list[str]]:
    """Encode labels [n, L] as L blocks of one-hot columns, and note labels that do not occur.

    A block has a column for each number from the lowest label to the highest.

    Raises:
        DataError: There are no labels, or a column's labels are too far apart for such a block.
    """
    if not len(labels):
        raise DataError(f"{path} is empty")
    blocks, notes = [], []
    for column in labels.T:
        low, high = int(column.min()), int(column.max())
        if high - low >= _MOST_LABELS:
            odd = int(np.abs(column - np.median(column)).argmax())
            raise DataError(
                f"{path}, line {odd + 1}: node label {column[odd]}; labels number the kinds of "
                f"nodes and may span {_MOST_LABELS}, here they go from {low} to {high}"
            )
        blocks.append(np.eye(high - low + 1, dtype=np.float32)[column - low])
        if gaps := high - low + 1 - len(np.unique(column)):
            notes.append(f"{gaps} of the node labels {low} to {high} do not occur")
    return np.concatenate(blocks, axis=1), notes


def _first_bad(values: NDArray[np.float32]) -> int:
    """The first line with a value that is not finite, counted from 1."""
    return int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0]) + 1
