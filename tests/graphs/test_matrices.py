from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from pydantic import ValidationError

from pdf_search.config import BasisConfig
from pdf_search.graphs import matrices
from pdf_search.graphs.sparse import pair_values
from tests.graphs.makers import (
    EDGELESS,
    ISOLATED,
    PATH,
    SHAPES,
    SINGLE,
    STAR,
    Graph,
    adjacency,
    basis,
    distances,
    graphs,
    grids,
    plain_bases,
    quick,
)

GRID = ((0.0, 1), (-0.1, 4), (-0.25, 2), (-0.25, 3), (-0.5, 1), (-0.5, 6))


def padded(sets: list[Graph]) -> torch.Tensor:
    """A~ of several graphs through the code under test."""
    count = torch.tensor([n for n, _ in sets])
    edges = [
        (b, v, u)
        for b, (_, bonds) in enumerate(sets)
        for i, j in bonds
        for v, u in ((i, j), (j, i))
    ]
    graph, source, target = torch.tensor(edges, dtype=torch.int64).reshape(-1, 3).T
    return matrices.padded_adjacency(count, graph, source, target)


def test_bases_are_the_powers_of_the_definition_identity_first() -> None:
    values = matrices.bases(padded(list(SHAPES)), GRID)
    assert values.dtype == torch.float64
    for graph, ours in zip(SHAPES, values.numpy(), strict=True):
        n = graph[0]
        np.testing.assert_allclose(ours[:n, :n], plain_bases(graph, GRID), rtol=1e-12, atol=1e-15)
        np.testing.assert_array_equal(ours[:n, :n, 0], np.eye(n))
        assert not ours[n:].any()
        assert not ours[:, n:].any()


@quick
@given(graphs(), grids())
def test_bases_of_random_graphs(graph: Graph, grid: tuple[tuple[float, int], ...]) -> None:
    ours = matrices.bases(padded([graph]), grid)[0].numpy()
    np.testing.assert_allclose(ours, plain_bases(graph, grid), rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("graph", [SINGLE, EDGELESS])
def test_without_bonds_every_basis_is_the_identity(graph: Graph) -> None:
    values = matrices.bases(padded([graph]), GRID)[0].numpy()
    np.testing.assert_array_equal(values, np.repeat(np.eye(graph[0])[..., None], len(GRID) + 1, -1))


def test_an_isolated_node_keeps_its_own_state_and_reaches_nobody() -> None:
    values = matrices.bases(padded([ISOLATED]), GRID)[0].numpy()
    for node in (2, 4):
        others = np.arange(5) != node
        np.testing.assert_array_equal(values[node, node], 1)
        assert not values[node, others].any()
        assert not values[others, node].any()


def test_doubled_raw_edges_and_self_loops_count_once() -> None:
    n, bonds = ISOLATED
    raw = [*bonds, *[(j, i) for i, j in bonds], *bonds, (0, 0), (0, 0), (4, 4)]
    source, target = torch.tensor(raw).T
    graph = torch.zeros(len(raw), dtype=torch.int64)
    doubled = matrices.padded_adjacency(torch.tensor([n]), graph, source, target)
    np.testing.assert_array_equal(doubled[0].numpy(), adjacency(ISOLATED))
    v, u, values = pair_values(n, np.array(raw, np.int32).T, basis(GRID))
    expected = plain_bases(ISOLATED, GRID)
    np.testing.assert_allclose(values, expected[v, u], rtol=1e-12)
    assert set(zip(v.tolist(), u.tolist(), strict=True)) == set(
        map(tuple, np.argwhere(expected.any(-1)).tolist())
    )


def test_degree_one_half_bounds_the_largest_power() -> None:
    """At eps = -0.5 the matrix has spectral radius 1: high powers stay finite and below 1."""
    values = matrices.bases(padded([STAR, PATH]), [(-0.5, 16), (0.0, 16)])
    assert float(values[..., 1].max()) <= 1
    assert torch.isfinite(values).all()


@pytest.mark.parametrize("eps", [-0.51, -1.0, 0.01, 0.5])
def test_eps_outside_its_interval_is_refused_with_the_reason(eps: float) -> None:
    with pytest.raises(ValidationError, match=r"outside \[-0\.5, 0\].*grow without bound"):
        BasisConfig(eps=(eps,), k=1)
    with pytest.raises(ValidationError, match=r"outside \[-0\.5, 0\]"):
        BasisConfig(pairs=((-0.1, 2), (eps, 3)))


def test_the_ends_of_the_interval_are_allowed() -> None:
    assert BasisConfig(eps=(-0.5, 0.0), k=1).grid == ((0.0, 1), (-0.5, 1))


@pytest.mark.parametrize("hops", [1, 2, 3, 5])
def test_hop_support_is_the_breadth_first_distance(hops: int) -> None:
    reach = matrices.within_hops(padded(list(SHAPES)), hops).numpy()
    for graph, ours in zip(SHAPES, reach, strict=True):
        n, steps = graph[0], distances(graph)
        np.testing.assert_array_equal(ours[:n, :n], (steps >= 0) & (steps <= hops))
        assert not ours[n:].any()
