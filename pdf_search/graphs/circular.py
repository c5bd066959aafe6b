"""Numbers the surroundings of nodes: equal for nodes with equal codes, edges and neighbours.

The surroundings of a node are those of a circular (Morgan) fingerprint of radius 1, before folding:
D. Rogers and M. Hahn, Extended-Connectivity Fingerprints, 2010.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdf_search.graphs.graph_set import Array, GraphSet

Hashes = NDArray[np.uint64]
_STEP, _FIRST, _SECOND = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)


def surroundings(graphs: GraphSet, edge_codes: Array | None = None) -> Hashes:
    """Hash each node with its edges and neighbours, [N]; the order of nodes does not matter.

    Nodes and edge types must be codes (integers). ``edge_codes`` [T, C] replaces the edge types.
    """
    nodes, types = (
        _rows(graphs.nodes),
        _rows(graphs.edge_types if edge_codes is None else edge_codes),
    )
    owner = np.repeat(graphs.node_ptr[:-1], np.diff(graphs.edge_ptr))
    source, target = graphs.edges + owner
    around = np.zeros_like(nodes)
    np.add.at(around, target, _mix(nodes[source] ^ _mix(types[graphs.edge_type])))
    return _mix(nodes + _mix(around))


def _rows(codes: NDArray[Any]) -> Hashes:
    """A hash of each row of codes [L, C]."""
    out = np.zeros(len(codes), np.uint64)
    for column in np.asarray(codes).T:
        out = _mix(out + column.astype(np.uint64))
    return out


def _mix(values: Hashes) -> Hashes:
    """The finaliser of SplitMix64 (S. Vigna, 2015): each bit of the result depends on every bit."""
    values = values + _STEP
    values = (values ^ (values >> np.uint64(30))) * _FIRST
    values = (values ^ (values >> np.uint64(27))) * _SECOND
    return values ^ (values >> np.uint64(31))
