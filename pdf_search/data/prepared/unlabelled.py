"""Makes a graph set of raw graphs without a prepared folder, for prediction."""

from __future__ import annotations

import numpy as np

from pdf_search.data.prepared.edges import EdgeTypes, assemble
from pdf_search.data.raw.raw_set import RawGraphs
from pdf_search.graphs import GraphSet


def graph_set_of(raw: RawGraphs, self_row: tuple[float, ...] | None) -> GraphSet:
    """Return the graphs of a run as a set; ``self_row`` is that of ``RawSet``.

    Raises:
        DataError: A graph has no nodes, or an edge names a node that its graph does not have.
    """
    features = raw.edge_features
    real = features is not None and np.issubdtype(features.dtype, np.floating)
    types = EdgeTypes(self_row, np.float32 if real else np.int64)
    count, edges, features = assemble(raw, 0)
    return GraphSet(
        node_ptr=np.concatenate([[0], np.cumsum(raw.node_count)]),
        nodes=raw.nodes,
        edge_ptr=np.concatenate([[0], np.cumsum(count)]),
        edges=edges,
        edge_type=types.of(features, edges.shape[1]),
        edge_types=types.rows,
        self_type=types.self_type,
        targets=raw.targets,
    )
