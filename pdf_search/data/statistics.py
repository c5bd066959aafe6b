"""Counts of a prepared data set, as data set tables print them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdf_search.config import CategoricalInput, NoInput
from pdf_search.data.prepared import Prepared
from pdf_search.records import Task

Counts = NDArray[np.int64]


def statistics(data: Prepared) -> dict[str, Any]:
    """Graphs, mean nodes and undirected edges, kinds of input, and the task.

    ``node_attributes`` and ``edge_attributes`` are the table's "node attr" and "edge attr":
    one-hot labels and constant inputs are not attributes.
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
        "labelled": round(float((~np.isnan(targets)).mean()), 4),
        "metric": info.metric,
        "unit": info.unit,
        "parts": {name: len(part) for name, part in (data.official or {}).items()} or None,
        "notes": data.notes,
        "fingerprint": data.fingerprint,
    }


def mean_counts(data: Prepared) -> dict[str, float]:
    """Mean nodes and undirected edges a graph, not rounded."""
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
    sizes: list[int] = np.bincount(labels, minlength=data.info.shape.outputs).tolist()
    return sizes
