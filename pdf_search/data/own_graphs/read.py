"""Reads graphs of one's own from their path, decides their task, and makes the raw data of both."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdf_search.config import DataConfig, InputShape
from pdf_search.data.option_words import TARGETS
from pdf_search.data.own_graphs.from_pyg import SPLIT, graphs_of
from pdf_search.data.own_graphs.own_graphs import SUFFIX, OwnGraphs
from pdf_search.data.own_graphs.pt_file import load_pt
from pdf_search.data.own_graphs.tu_folder import find_tu, read_tu_folder
from pdf_search.data.raw.raw_set import RawGraphs, RawSet
from pdf_search.data.splits.given_parts import graph_places, parts_named
from pdf_search.errors import DataError
from pdf_search.paths import expanded
from pdf_search.records import Task
from pdf_search.wording import counted

PT_SUFFIXES = (".pt", ".pth")
_LABELS = (0.0, 1.0)


@dataclass(frozen=True)
class OwnGraphSet:
    """Graphs of one's own with their task; ``guess`` says why it was chosen, "" if it was given."""

    graphs: OwnGraphs
    task: Task
    shape: InputShape
    guess: str = ""


def is_graph_file(path: Path) -> bool:
    """Whether a path is, or by its name may be, a file or folder of graphs of one's own."""
    if path.suffix.lower() in (SUFFIX, *PT_SUFFIXES):
        return True
    return expanded(path).is_dir() and find_tu(expanded(path)) is not None


def read_graphs(path: Path, option: str = "data.path") -> OwnGraphs:
    """Read graphs: a file of ``Dataset.save``, one of ``torch.save``, or a folder in TU format.

    ``option`` is the setting that named the path, for messages.

    Raises:
        DataError: There is no such file or folder, or it cannot be used.
    """
    path = expanded(path).absolute()
    if not path.exists():
        raise DataError(f"{option}: no file or folder {path}")
    return _read(path, graphs_identity(path))


def graphs_identity(path: Path) -> str:
    """Return a hash of the content of a file, or of the TU files of a folder."""
    path, digest = expanded(path), hashlib.sha256()
    if path.is_dir() and (found := find_tu(path)):
        files = sorted(found[0].glob(f"{found[1]}_*.txt"))
    else:
        files = [path]
    for file in files:
        try:
            digest.update(f"{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}".encode())
        except OSError as error:
            raise DataError(f"{file} cannot be read: {error.strerror}") from None
    return digest.hexdigest()


@lru_cache(maxsize=2)
def _read(path: Path, identity: str) -> OwnGraphs:  # noqa: ARG001  (of the cache: what was read)
    if path.is_dir():
        return read_tu_folder(path)
    if path.suffix.lower() in PT_SUFFIXES:
        graphs = load_pt(path)
        try:
            return graphs_of(graphs)
        except DataError as error:
            raise DataError(f"{path}: {error}") from None
    return OwnGraphs.load(path)


def graph_set(config: DataConfig) -> OwnGraphSet:
    """Read the graphs that ``config`` names, and decide their task.

    Raises:
        DataError: The graphs cannot be read, have no targets, or have targets that do not fit.
    """
    assert config.path is not None
    every = read_graphs(Path(config.path))
    try:
        graphs = _labelled(every.with_targets(config.targets))
        task, guess = _task(graphs, config.task)
        graphs = _with_classes(graphs) if task is Task.MULTICLASS else graphs
        _check(graphs, task)
    except DataError as error:
        raise DataError(f"{config.path}: {error}") from None
    outputs = len(graphs.class_names) if task is Task.MULTICLASS else len(graphs.target_names)
    shape = InputShape(nodes=graphs.node_input, edges=graphs.edge_input, outputs=outputs, task=task)
    return OwnGraphSet(graphs, task, shape, guess)


def read_graph_set(config: DataConfig) -> RawSet:
    """Return the raw data of the graphs that ``config`` names.

    Raises:
        DataError: See ``graph_set``; or the split column is not ``split``, or says no parts.
    """
    own = graph_set(config)
    graphs = own.graphs
    return RawSet(
        [raw_graphs(graphs)],
        graphs.target_names,
        self_row=graphs.self_row,
        official=_official(graphs, config),
        class_names=graphs.class_names if own.task is Task.MULTICLASS else (),
        notes=(*graphs.notes, *_unused_split(graphs, config)),
    )


def _unused_split(graphs: OwnGraphs, config: DataConfig) -> list[str]:
    unused = graphs.parts and config.split_column is None
    how = f"--split {SPLIT} or data.split_column: {SPLIT} uses it"
    return [f"the split that the graphs give is not used: {how}"] if unused else []


def raw_graphs(graphs: OwnGraphs) -> RawGraphs:
    """Return the graphs as the builder of prepared data takes them."""
    return RawGraphs(
        node_count=graphs.node_count,
        nodes=graphs.nodes,
        edge_count=graphs.edge_count,
        edges=graphs.edges,
        edge_features=graphs.coded_edge_features,
        targets=graphs.targets.astype(np.float32),
    )


def _official(graphs: OwnGraphs, config: DataConfig) -> dict[str, NDArray[np.int64]] | None:
    if config.split_column is None:
        return None
    if config.split_column != SPLIT or not graphs.parts:
        raise DataError(
            f"{config.path}: data.split_column {config.split_column}: the graphs give their part "
            f"as attribute {SPLIT!r} (train, valid or test)"
            + ("" if graphs.parts else ", which these have not")
        )
    what = f"{config.path}: attribute {SPLIT!r}"
    otherwise = "--split random (in a space: no data.split_column) deals them out at random"
    return parts_named(graphs.parts, graph_places(len(graphs)), what, otherwise)


def _labelled(graphs: OwnGraphs) -> OwnGraphs:
    """The graphs with a target; others are left out, with a note."""
    if not graphs.target_names:
        raise DataError("the graphs have no targets (y)")
    known = np.asarray((~np.isnan(graphs.targets)).any(axis=1))
    if known.all():
        return graphs
    if not known.any():
        raise DataError("no graph has a target: every y is nan")
    without = np.flatnonzero(~known).tolist()
    shown = ", ".join(map(str, without[:10])) + (", ..." if len(without) > 10 else "")
    note = f"{counted(len(without), 'graph')} without a target left out: {shown} (from 0)"
    at_node, at_edge = (np.repeat(known, c) for c in (graphs.node_count, graphs.edge_count))
    features = graphs.edge_features
    return replace(
        graphs,
        node_count=graphs.node_count[known],
        nodes=graphs.nodes[at_node],
        edge_count=graphs.edge_count[known],
        edges=graphs.edges[:, at_edge],
        edge_features=None if features is None else features[at_edge],
        targets=graphs.targets[known],
        parts=tuple(p for p, k in zip(graphs.parts, known.tolist(), strict=False) if k),
        notes=(*graphs.notes, note),
    )


def _task(graphs: OwnGraphs, given: Task | None) -> tuple[Task, str]:
    """The task: as given, or by the type and values of the targets, with the reason."""
    if given is not None:
        return given, ""
    known = graphs.targets[~np.isnan(graphs.targets)]
    if graphs.class_names or (graphs.whole and graphs.targets.shape[1] == 1):
        return Task.MULTICLASS, "y holds integers; --task regression reads them as numbers"
    if np.isin(known, _LABELS).all():
        return Task.MULTILABEL, "the targets hold only 0 and 1; --task regression reads numbers"
    return Task.REGRESSION, "y holds numbers; --task classification reads them as classes"


def _with_classes(graphs: OwnGraphs) -> OwnGraphs:
    """The graphs with class numbers from 0 as target, and the classes by name."""
    if graphs.class_names:
        return graphs
    if len(graphs.target_names) != 1:
        raise DataError(f"classes are one target: choose one ({TARGETS})")
    known = ~np.isnan(graphs.targets[:, 0])
    classes, number = np.unique(graphs.targets[known, 0], return_inverse=True)
    targets = np.full_like(graphs.targets, np.nan)
    targets[known, 0] = number
    return replace(graphs, targets=targets, class_names=tuple(f"{value:g}" for value in classes))


def _check(graphs: OwnGraphs, task: Task) -> None:
    known: Any = graphs.targets[~np.isnan(graphs.targets)]
    if task is Task.MULTICLASS and len(graphs.class_names) < 2:
        raise DataError(f"every graph is of class {graphs.class_names[0]}: nothing to tell apart")
    if task is Task.MULTICLASS and 2 * len(graphs.class_names) > len(graphs):
        raise DataError(
            f"{len(graphs.class_names)} classes in {len(graphs)} graphs: y holds numbers rather "
            "than classes; --task regression reads them so"
        )
    if task is Task.MULTILABEL and not np.isin(known, _LABELS).all():
        raise DataError("labels must be 0 or 1; --task regression or multiclass reads others")
    constant = [
        name
        for name, column in zip(graphs.target_names, graphs.targets.T, strict=True)
        if len(np.unique(column[~np.isnan(column)])) < 2
    ]
    if len(constant) == len(graphs.target_names):
        raise DataError(f"every value of {', '.join(constant)} is the same: nothing to learn")
