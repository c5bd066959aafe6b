"""Response and weights of the bases: an affine filter gives its own weights back."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from pdf_search.inference.explanation.response import Response, basis_weights, response
from pdf_search.training.artifacts.excerpt import SAMPLE_PAIRS
from tests.graphs.makers import EDGELESS, SINGLE, basis, graph_set, random_set
from tests.inference.conftest import new_model

GRID = ((0.0, 1), (-0.3, 2), (-0.5, 3))


@pytest.mark.parametrize("hops", [None, 2])
def test_rows_are_those_of_the_graphs_with_their_pairs(hops: int | None) -> None:
    graphs = random_set(0, 20)
    trained = new_model(graphs, basis(GRID, hops=hops))
    found = response(trained, np.arange(5, 15))
    nodes = graphs.node_count[5:15]
    assert found.graphs.tolist() == list(range(5, 15))
    if hops is None:
        assert found.pairs.sum() == (nodes**2).sum()
    else:
        assert nodes.sum() < found.pairs.sum() < (nodes**2).sum()
    assert (found.pairs > 0).all()
    # the identity is 1 on the pairs of a node with itself
    assert found.pairs[found.rows[:, 0] == 1].sum() == nodes.sum()


def test_large_graphs_are_a_few() -> None:
    big = (1200, tuple((i, i + 1) for i in range(1199)))
    graphs = graph_set([big, big, big])
    found = response(new_model(graphs, basis(((-0.5, 1),))), np.arange(3))
    assert len(found.graphs) == 1
    assert found.pairs.sum() == 1200**2 <= SAMPLE_PAIRS


@pytest.mark.parametrize("channels", ["idp", "shd"])
def test_an_affine_filter_gives_its_weights(channels: str) -> None:
    graphs = random_set(1, 30)
    trained = new_model(graphs, basis(GRID), filter="lin", channels=channels)
    found = basis_weights(response(trained, np.arange(30)))
    expected = trained.model.filter.linears[0].weight[0].detach().numpy()
    assert found.coefficients == pytest.approx(expected, abs=1e-6)
    assert found.share == pytest.approx(1)
    assert found.share_by_channel == pytest.approx(1)
    assert found.explained[-1] == pytest.approx(1)
    assert (np.diff(found.explained) >= 0).all()
    assert found.explained[0] == pytest.approx(found.alone.max())


def test_the_first_pick_is_the_basis_that_f_reads() -> None:
    graphs = random_set(2, 30)
    trained = new_model(graphs, basis(GRID), filter="lin")
    with torch.no_grad():
        trained.model.filter.linears[0].weight.zero_()[:, 2] = 1.0
    found = basis_weights(response(trained, np.arange(30)))
    assert found.picks[0] == 2
    assert found.alone[2] == pytest.approx(1)
    assert found.explained[0] == pytest.approx(1)


def test_an_equal_basis_is_picked_once() -> None:
    column = np.random.default_rng(0).normal(size=50)
    rows = np.stack([np.zeros(50), column, column, column**2], 1)
    outputs = (column + 0.3 * column**2)[:, None]
    found = basis_weights(Response(np.arange(1), rows, np.ones(50, int), outputs))
    assert len(found.picks) == 2
    assert 3 in found.picks
    assert found.coefficients[0] == 0  # constant
    assert found.explained[-1] == pytest.approx(1)


def test_graphs_without_bonds() -> None:
    graphs = graph_set([SINGLE, EDGELESS])
    trained = new_model(graphs, basis(GRID))
    single = basis_weights(response(trained, np.array([0])))
    assert single.share == 0
    assert single.picks == ()
    edgeless = basis_weights(response(trained, np.array([1])))
    assert edgeless.share == pytest.approx(1)
    assert len(edgeless.picks) == 1  # all bases are the identity here
