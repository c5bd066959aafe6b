"""Estimates the size of a bank before it is built."""

from __future__ import annotations

import numpy as np

from pdf_search.config import BasisConfig
from pdf_search.graphs import sparse
from pdf_search.graphs.graph_set import GraphSet

SAMPLE = 96  # graphs whose pairs are counted, from the smallest to the largest


def estimate_near_pairs(graphs: GraphSet, basis: BasisConfig) -> int:
    """Estimate the near pairs of all graphs from a sample spread evenly over their sizes."""
    order = np.argsort(graphs.node_count, kind="stable")
    places = np.linspace(0, len(order) - 1, min(SAMPLE, len(order))).round().astype(np.int64)
    part = graphs.subset(order[places])
    pairs = [
        sparse.count_near_pairs(
            int(part.node_count[g]), part.edges[:, part.edge_ptr[g] : part.edge_ptr[g + 1]], basis
        )
        for g in range(len(part))
    ]
    return round(float(np.mean(pairs)) * len(graphs))
