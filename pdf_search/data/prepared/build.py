"""Writes the arrays and ``meta.json`` of a prepared folder from a raw data set."""

from __future__ import annotations

import datetime
import hashlib
import importlib.metadata
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdf_search.config import CategoricalInput, InputShape, LinearInput, NoInput
from pdf_search.data.prepared.arrays import GrowingArray, describe, map_array, save_array
from pdf_search.data.prepared.edges import EdgeTypes, assemble
from pdf_search.data.prepared.folder import FORMAT, GRAPH_ARRAYS, OPTIONAL_ARRAYS, info_tree
from pdf_search.data.published_sizes import size_notes
from pdf_search.data.raw.edge_census import EdgeCensus
from pdf_search.data.raw.raw_set import Progress, RawGraphs, RawSet
from pdf_search.data.registry import DatasetInfo
from pdf_search.errors import DataError
from pdf_search.graphs import Array, GraphSet


def build(
    folder: Path, info: DatasetInfo, raw: RawSet, source: dict[str, Any], say: Progress
) -> None:
    """Write a prepared data set into the empty ``folder``; ``meta.json`` is written last.

    ``source`` is recorded in ``meta.json``: where the raw files lie and what identifies them.

    Raises:
        DataError: The raw data contradict themselves or do not fit the shape of the data set.
    """
    assert info.shape is not None
    self_type, census = _write_graphs(folder, info.shape, raw)
    extra = {f"split_{name}": part for name, part in (raw.official or {}).items()}
    extra |= {
        name: getattr(raw, name) for name in OPTIONAL_ARRAYS if getattr(raw, name) is not None
    }
    for name, array in extra.items():
        save_array(folder / f"{name}.npy", array)
    say(f"{info.title}: checking what was written")
    arrays = {name: map_array(folder / f"{name}.npy") for name in (*GRAPH_ARRAYS, *extra)}
    part_hashes = {name: array_hash(part) for name, part in (raw.official or {}).items()}
    meta = {
        "format": FORMAT,
        "info": info_tree(info),
        "fingerprint": _fingerprint(arrays, self_type, part_hashes),
        "self_type": self_type,
        "arrays": {name: describe(array) for name, array in arrays.items()},
        "target_names": raw.target_names,
        "class_names": raw.class_names,
        "part_hashes": part_hashes,
        "notes": [
            *size_notes(info.name, len(arrays["targets"])),
            *raw.notes,
            *census.notes(raw.inverse),
        ],
        "source": source,
        "versions": {n: importlib.metadata.version(n) for n in ("numpy", "ogb", "rdkit")},
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }
    (folder / "meta.json").write_text(json.dumps(meta, indent=1))


def array_hash(array: NDArray[np.int64]) -> str:
    """Return the SHA-256 of graph numbers in the order given, in hexadecimal."""
    return hashlib.sha256(np.ascontiguousarray(array, np.int64).tobytes()).hexdigest()


def _write_graphs(folder: Path, shape: InputShape, raw: RawSet) -> tuple[int, EdgeCensus]:
    """Write every array of the graph set; return the edge type of self pairs, and edge counts."""
    writer = _GraphWriter(folder, shape, raw.self_row)
    try:
        for run in raw.runs:
            writer.add(run)
        return writer.close(), writer.census
    finally:
        writer.abandon()


class _GraphWriter:
    """Appends runs of graphs to the arrays of a GraphSet."""

    def __init__(self, folder: Path, shape: InputShape, self_row: tuple[float, ...] | None) -> None:
        self._folder, self._shape = folder, shape
        edge_dtype = np.int64 if isinstance(shape.edges, CategoricalInput) else np.float32
        node_dtype = np.int64 if isinstance(shape.nodes, CategoricalInput) else np.float32
        self._types = EdgeTypes(self_row, edge_dtype)
        self._nodes = GrowingArray(folder / "nodes.npy", node_dtype)
        self._edges = GrowingArray(folder / "edges.npy", np.int32, rows=2)
        self._edge_type = GrowingArray(folder / "edge_type.npy", np.int32)
        self._node_count: list[NDArray[np.int64]] = []
        self._edge_count: list[NDArray[np.int64]] = []
        self._targets: list[NDArray[np.float32]] = []
        self._graphs = 0
        self.census = EdgeCensus()

    def add(self, run: RawGraphs) -> None:
        """Append a run of graphs."""
        _check_features("node", run.nodes, self._shape.nodes)
        if run.edge_features is not None and not isinstance(self._shape.edges, NoInput):
            _check_features("edge", run.edge_features, self._shape.edges)
        count, edges, features = assemble(run, self._graphs, self.census)
        self._nodes.append(run.nodes)
        self._edges.append(edges)
        self._edge_type.append(self._types.of(features, edges.shape[1]))
        self._node_count.append(run.node_count)
        self._edge_count.append(count)
        self._targets.append(run.targets)
        self._graphs += len(run.node_count)

    def close(self) -> int:
        """Finish every array and return the edge type of self pairs."""
        if not self._graphs:
            raise DataError("the raw files hold no graphs")
        for growing in (self._nodes, self._edges, self._edge_type):
            growing.close()
        save_array(self._folder / "node_ptr.npy", _offsets(self._node_count))
        save_array(self._folder / "edge_ptr.npy", _offsets(self._edge_count))
        save_array(self._folder / "targets.npy", np.concatenate(self._targets).astype(np.float32))
        save_array(self._folder / "edge_types.npy", self._types.rows)
        return self._types.self_type

    def abandon(self) -> None:
        """Close every file that is still open."""
        for growing in (self._nodes, self._edges, self._edge_type):
            growing.abandon()


def _offsets(counts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The row pointer [G + 1] of all runs' counts."""
    return np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int64)


def _check_features(what: str, values: Array, spec: CategoricalInput | LinearInput) -> None:
    width = len(spec.sizes) if isinstance(spec, CategoricalInput) else spec.features
    if values.shape[1] != width:
        raise DataError(
            f"the raw files hold {values.shape[1]} {what} features, this data set has {width}: "
            "they are of another data set, or of another version of it"
        )
    if not len(values):
        return
    if isinstance(spec, LinearInput):
        if not np.isfinite(values).all():
            raise DataError(f"the raw files hold {what} features that are not finite")
        return
    low, high = values.min(axis=0), values.max(axis=0)
    for column, size in enumerate(spec.sizes):
        if low[column] < 0 or high[column] >= size:
            raise DataError(
                f"{what} feature {column} has codes {low[column]}..{high[column]}, but only "
                f"0..{size - 1} exist: the files come from another featuriser"
            )


def _fingerprint(arrays: dict[str, Array], self_type: int, part_hashes: dict[str, str]) -> str:
    """A hash of the graphs, their targets and the official split."""
    graphs = GraphSet(
        **{name: arrays[name] for name in GRAPH_ARRAYS},  # type: ignore[arg-type]
        self_type=self_type,
    )
    text = json.dumps([graphs.fingerprint(), part_hashes], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
