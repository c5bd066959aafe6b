"""Symmetries of the model: order of nodes, company in a batch, width of a dense support."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pdf_search.config import ModelConfig
from pdf_search.graphs.bank_builder import build_bank
from pdf_search.graphs.graph_set import GraphSet
from tests.graphs.makers import SHAPES, basis, distances, graph_set, quick, random_graph, random_set
from tests.model.networks import VARIANTS, Setup, close

variants = pytest.mark.parametrize("config", VARIANTS.values(), ids=VARIANTS.keys())
GRID = ((-0.2, 1), (-0.2, 3), (-0.5, 2))

pytestmark = pytest.mark.usefixtures("engine")


def relabelled(graphs: GraphSet, seed: int) -> GraphSet:
    """Every graph with its nodes in another order."""
    rng = np.random.default_rng(seed)
    nodes, edges = graphs.nodes.copy(), graphs.edges.copy()
    for g in range(len(graphs)):
        first, last = graphs.node_ptr[g : g + 2]
        new = rng.permutation(last - first)  # new[i]: number that node i gets
        nodes[first + new] = graphs.nodes[first:last]
        span = slice(*graphs.edge_ptr[g : g + 2])
        edges[:, span] = new[graphs.edges[:, span]]
    return replace(graphs, nodes=nodes, edges=edges)


@variants
@pytest.mark.parametrize("hops", [None, 2])
@pytest.mark.parametrize("standardise", [False, True])
def test_the_order_of_nodes_does_not_matter(
    config: ModelConfig, hops: int | None, standardise: bool
) -> None:
    support = basis(GRID, hops, standardise)
    graphs = graph_set(SHAPES)
    one = Setup.of(config, graphs, support)
    other = Setup.of(config, relabelled(graphs, 1), support)
    everything = range(len(graphs))
    close(one(everything), other(everything))
    close(one.evaluate(everything), other.evaluate(everything))


@quick
@given(st.integers(0, 10_000), st.sampled_from(list(VARIANTS)))
def test_the_order_of_nodes_in_random_graphs(seed: int, variant: str) -> None:
    graphs = random_set(seed, 4)
    one = Setup.of(VARIANTS[variant], graphs)
    other = Setup.of(VARIANTS[variant], relabelled(graphs, seed + 1))
    close(one.evaluate(range(4)), other.evaluate(range(4)))


def test_the_model_tells_graphs_apart() -> None:
    """The symmetry tests above would pass for a constant model too."""
    for config in VARIANTS.values():
        out = Setup.of(config, graph_set(SHAPES)).settle().evaluate(range(len(SHAPES)))[0]
        assert len(torch.unique(out.round(decimals=5))) == len(SHAPES)


@variants
@pytest.mark.parametrize("edges", [True, False])
def test_a_graph_alone_equals_a_graph_in_a_batch(config: ModelConfig, edges: bool) -> None:
    graphs = graph_set(SHAPES, edges=edges, categorical=edges)
    setup = Setup.of(config, graphs).settle()
    together = setup.evaluate([5, 0, 8, 3, 6])
    padded = setup.evaluate([5, 0, 8, 3, 6, -1, -1])
    close(padded[:, :5], together)
    for place, graph in enumerate([5, 0, 8, 3, 6]):
        close(setup.evaluate([graph])[:, 0], together[:, place])
    assert torch.isfinite(padded).all()


@variants
def test_padding_in_the_middle_of_a_batch_takes_no_part_in_training(config: ModelConfig) -> None:
    setup = Setup.of(config, graph_set(SHAPES))
    close(setup([4, -1, 6, -1, 0])[:, [0, 2, 4]], setup([4, 6, 0]))


@variants
@pytest.mark.parametrize("standardise", [False, True])
def test_dense_equals_hop_support_that_reaches_everywhere(
    config: ModelConfig, standardise: bool
) -> None:
    rng = np.random.default_rng(7)
    drawn = [random_graph(rng, 7, 0.45) for _ in range(12)]
    connected = [g for g in drawn if (distances(g) >= 0).all()]
    assert len(connected) > 4
    diameter = max(int(distances(g).max()) for g in connected)
    graphs = graph_set(connected)
    dense = Setup.of(config, graphs, basis(GRID, None, standardise))
    hops = Setup.of(config, graphs, basis(GRID, diameter, standardise))
    everything = range(len(graphs))
    banks = [build_bank(graphs, basis(GRID, h, standardise)) for h in (None, diameter)]
    one, other = (bank.enumerated() for bank in banks)
    np.testing.assert_array_equal(one.rows[one.row], other.rows[other.row])
    close(dense(everything), hops(everything), 1e-6)
    close(dense.evaluate(everything), hops.evaluate(everything), 1e-6)


def test_with_a_softmax_nodes_that_are_alike_stay_alike() -> None:
    """So all graphs look the same; the mean of their nodes tells them apart without one."""
    graphs = graph_set(SHAPES, edges=False, categorical=False)
    graphs = replace(graphs, nodes=np.ones_like(graphs.nodes))
    for softmax in (True, False):
        config = ModelConfig(hidden=8, layers=2, softmax=softmax)
        out = Setup.of(config, graphs).settle().evaluate(range(len(SHAPES)))[0]
        apart = float((out - out[:1]).abs().max())
        assert (apart < 1e-5) is softmax
