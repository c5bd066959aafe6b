"""Computes the counts of a prepared data set that data set tables print."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdf_search.config import CategoricalInput, NoInput
from pdf_search.data.prepared.folder import Prepared
from pdf_search.data.targets.target_notes import averaged_note
from pdf_search.records import Task

SMALL = 1e-3  # values below it are shown with four significant digits

Counts = NDArray[np.int64]


def statistics(data: Prepared) -> dict[str, Any]:
    """Return the number of graphs, mean nodes and undirected edges, kinds of input, and the task.

    ``node_attributes`` and ``edge_attributes`` are the table's "node attr" and "edge attr":
    one-hot labels and constant inputs do not count as attributes.
    """
    graphs, info = data.graphs, data.info
    assert info.shape is not None
    nodes, edges = _counts(data)
    targets = np.asarray(graphs.targets)
    return {
        "name": info.name,
        "title": info.title,
        "graphs": len(graphs),
        "nodes": round(float(nodes.mean()), 2),
        "edges": round(float(edges.mean()), 2),
        "largest": int(nodes.max()),
        "edgeless": int((edges == 0).sum()),
        "node_attributes": _node_attributes(data),
        "edge_attributes": not isinstance(info.shape.edges, NoInput),
        "task": str(info.task),
        "outputs": info.shape.outputs,
        "classes": _class_sizes(data) if info.task is Task.MULTICLASS else None,
        "class_names": list(data.class_names) if info.task is Task.MULTICLASS else None,
        "targets": None if info.task is Task.MULTICLASS else _targets(data),
        "labelled": round(float((~np.isnan(targets)).mean()), 4),
        "metric": info.metric,
        "unit": info.unit,
        "parts": {name: len(part) for name, part in (data.official or {}).items()} or None,
        "notes": (*data.notes, *averaged_note(data)),
        "fingerprint": data.fingerprint,
    }


def mean_counts(data: Prepared) -> dict[str, float]:
    """Return the mean numbers of nodes and undirected edges of a graph, not rounded."""
    nodes, edges = _counts(data)
    return {"nodes": float(nodes.mean()), "edges": float(edges.mean())}


def _counts(data: Prepared) -> tuple[Counts, Counts]:
    return data.graphs.node_count, np.diff(data.graphs.edge_ptr) // 2


def _node_attributes(data: Prepared) -> bool:
    assert data.info.shape is not None
    spec = data.info.shape.nodes
    if isinstance(spec, CategoricalInput):
        return sum(spec.sizes) > 1
    values = np.asarray(data.graphs.nodes)
    return bool(((values != 0) & (values != 1)).any())


def _class_sizes(data: Prepared) -> list[int]:
    labels = np.asarray(data.graphs.targets[:, 0]).astype(np.int64)
    assert data.info.shape is not None
    classes = len(data.class_names) or data.info.shape.outputs
    sizes: list[int] = np.bincount(labels, minlength=classes).tolist()
    return sizes


def _targets(data: Prepared) -> dict[str, dict[str, int | float]]:
    """For each target the missing values, and the counts of labels or the range of numbers."""
    columns = np.asarray(data.graphs.targets, np.float64).T
    summary = _labels if data.info.task is Task.MULTILABEL else _range
    return {
        name: summary(column[~np.isnan(column)]) | {"missing": int(np.isnan(column).sum())}
        for name, column in zip(data.target_names, columns, strict=True)
    }


def _labels(values: NDArray[np.float64]) -> dict[str, int | float]:
    return {"0": int((values == 0).sum()), "1": int((values == 1).sum())}


def _range(values: NDArray[np.float64]) -> dict[str, int | float]:
    if not len(values):
        return {"values": 0}
    return {
        "values": len(values),
        "lowest": _rounded(values.min()),
        "mean": _rounded(values.mean()),
        "highest": _rounded(values.max()),
    }


def _rounded(value: float) -> float:
    """A value rounded to four decimals, or a small one to four significant digits."""
    return float(f"{value:.3e}") if abs(value) < SMALL else round(float(value), 4)
