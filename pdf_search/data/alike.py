"""Tells data sets whose nodes have no features, where a softmax in the filter hides the edges."""

from __future__ import annotations

from collections.abc import Iterable

from pdf_search.config import CategoricalInput, LinearInput, NoInput, TrialConfig
from pdf_search.data.prepared.folder import Prepared
from pdf_search.graphs import Array

LOOK = 1_000  # nodes that are compared first; most sets differ there


def nodes_alike(nodes: Array, edges: CategoricalInput | LinearInput | NoInput) -> bool:
    """Whether all ``nodes`` [n, F] of a data set are equal, and edges have no features."""
    if not isinstance(edges, NoInput):
        return False
    return all(bool((part == nodes[:1]).all()) for part in (nodes[:LOOK], nodes))


def alike_notes(data: Prepared, configs: Iterable[TrialConfig]) -> tuple[str, ...]:
    """Return a note if a configuration has a softmax where all nodes are alike.

    Its weights sum to one at each node, so each node gets the mean of equal messages: all nodes
    stay alike, whatever the edges are.
    """
    assert data.info.shape is not None
    softmax = any(config.model.softmax for config in configs)
    if not softmax or not nodes_alike(data.graphs.nodes, data.info.shape.edges):
        return ()
    return (
        "nodes have no features that differ, so with model.softmax true they stay alike, and a "
        "network knows at most how many they are: --set model.softmax=false",
    )
