from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdf_search.graphs import bank_builder
from pdf_search.graphs.bank import Bank
from pdf_search.graphs.bank_builder import build_bank
from pdf_search.graphs.graph_set import GraphSet
from tests.graphs.makers import (
    COMPLETE,
    EDGELESS,
    ISOLATED,
    PATH,
    RING,
    SHAPES,
    SINGLE,
    STAR,
    Graph,
    adjacency,
    basis,
    distances,
    edge_types_of,
    graph_set,
    graphs,
    grids,
    matrices_of,
    plain_bases,
    quick,
    random_graph,
)

GRID = ((0.0, 2), (-0.1, 4), (-0.25, 1), (-0.25, 3), (-0.5, 2))
REACH = 4
sets = st.lists(graphs(), min_size=1, max_size=5)
supports = st.sampled_from([None, 1, 2, 4])


def assert_close(ours: np.ndarray, theirs: np.ndarray) -> None:
    """Within the rounding of a stored row: 22 significant bits."""
    np.testing.assert_allclose(ours, theirs, rtol=2e-7, atol=2e-12)


def standardised(values: np.ndarray, support: np.ndarray) -> np.ndarray:
    """(x - mean) / (std + 1e-5) of each basis over the supported pairs, by definition."""
    out = np.zeros_like(values)
    for column in range(values.shape[-1]):
        x = values[..., column][support]
        if x.max() - x.min() > 1e-9 * np.abs(x).max():
            out[..., column][support] = (x - x.mean()) / (
                np.sqrt(((x - x.mean()) ** 2).mean()) + 1e-5
            )
    return out


def supported(graph: Graph, hops: int | None) -> np.ndarray:
    steps = distances(graph)
    return np.ones_like(steps, bool) if hops is None else (steps >= 0) & (steps <= hops)


def assert_same(one: Bank, other: Bank) -> None:
    """The same rows, edge types and (under hop support) pairs, wherever the banks keep them."""
    np.testing.assert_array_equal(one.node_count, other.node_count)
    for graph in range(len(one.node_count)):
        np.testing.assert_array_equal(matrices_of(one, graph)[0], matrices_of(other, graph)[0])
        np.testing.assert_array_equal(edge_types_of(one, graph), edge_types_of(other, graph))
        if one.hops is not None:
            np.testing.assert_array_equal(matrices_of(one, graph)[1], matrices_of(other, graph)[1])


@pytest.mark.parametrize("hops", [None, 1, 2, 3])
def test_rows_are_the_bases_of_each_graph(hops: int | None) -> None:
    bank = build_bank(graph_set(SHAPES), basis(GRID, hops))
    for i, graph in enumerate(SHAPES):
        values, listed = matrices_of(bank, i)
        expected = np.where(supported(graph, hops)[..., None], plain_bases(graph, GRID), 0)
        order = [0] + [GRID.index(point) + 1 for point in bank.grid]
        assert_close(values, expected[..., order])
        np.testing.assert_array_equal(values[..., 0], np.eye(graph[0]))
        if hops is None:  # near pairs: a walk of at most the largest k steps
            np.testing.assert_array_equal(listed, supported(graph, REACH))
        else:
            np.testing.assert_array_equal(listed, supported(graph, hops))


@pytest.mark.parametrize("last", [SINGLE, EDGELESS, ISOLATED])
@pytest.mark.parametrize("standardise", [False, True])
def test_edgeless_graphs_anywhere_also_last(last: Graph, standardise: bool) -> None:
    chosen = [EDGELESS, PATH, SINGLE, SINGLE, RING, last]
    bank = build_bank(graph_set(chosen), basis(GRID, standardise=standardise))
    assert np.isfinite(bank.rows).all()
    for i, graph in enumerate(chosen):
        plain = plain_bases(graph, bank.grid)
        everywhere = np.ones(plain.shape[:2], bool)
        assert_close(
            matrices_of(bank, i)[0], standardised(plain, everywhere) if standardise else plain
        )


def test_a_set_without_any_bond() -> None:
    bank = build_bank(graph_set([SINGLE, EDGELESS, SINGLE]), basis(GRID))
    assert len(bank.rows) == 2  # all ones on the diagonal, all zeros elsewhere
    assert bank.pair_ptr.tolist() == [0, 1, 5, 6]
    assert bank.far_count.tolist() == [0, 12, 0]


@pytest.mark.parametrize("hops", [None, 1, 2, 3])
def test_standardised_rows_by_definition(hops: int | None) -> None:
    bank = build_bank(graph_set(SHAPES), basis(GRID, hops, standardise=True))
    for i, graph in enumerate(SHAPES):
        expected = standardised(plain_bases(graph, bank.grid), supported(graph, hops))
        np.testing.assert_allclose(matrices_of(bank, i)[0], expected, rtol=3e-7, atol=3e-12)


def test_constant_bases_standardise_to_exactly_zero() -> None:
    bank = build_bank(graph_set([COMPLETE, SINGLE]), basis(GRID, standardise=True))
    values = matrices_of(bank, 0)[0]
    assert values[..., 0].std() > 0  # the identity is not constant
    np.testing.assert_array_equal(values[..., 1:], 0)
    np.testing.assert_array_equal(matrices_of(bank, 1)[0], 0)
    hop = build_bank(graph_set([EDGELESS]), basis(GRID, 1, standardise=True))
    np.testing.assert_array_equal(hop.rows, 0)


@quick
@given(sets, grids(), supports, st.booleans())
def test_random_sets(
    drawn: list[Graph], grid: tuple[tuple[float, int], ...], hops: int | None, standardise: bool
) -> None:
    bank = build_bank(graph_set(drawn), basis(grid, hops, standardise))
    assert len(np.unique(bank.rows, axis=0)) == len(bank.rows)
    assert bank.rows.dtype == np.float32
    for i, graph in enumerate(drawn):
        support, plain = supported(graph, hops), plain_bases(graph, bank.grid)
        expected = standardised(plain, support) if standardise else plain * support[..., None]
        np.testing.assert_allclose(matrices_of(bank, i)[0], expected, rtol=3e-7, atol=3e-10)


@quick
@given(sets, grids(), supports, st.booleans())
def test_large_graphs_by_sparse_products_give_the_same_bank(
    drawn: list[Graph], grid: tuple[tuple[float, int], ...], hops: int | None, standardise: bool
) -> None:
    chosen, config = graph_set(drawn), basis(grid, hops, standardise)
    dense = build_bank(chosen, config)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bank_builder, "DENSE_NODES", 0)
        sparse = build_bank(chosen, config)
    np.testing.assert_array_equal(sparse.pair_ptr, dense.pair_ptr)
    np.testing.assert_array_equal(sparse.target, dense.target)
    np.testing.assert_array_equal(sparse.source, dense.source)
    np.testing.assert_array_equal(sparse.edge_type, dense.edge_type)
    for i in range(len(drawn)):
        np.testing.assert_allclose(
            matrices_of(sparse, i)[0], matrices_of(dense, i)[0], rtol=3e-7, atol=3e-10
        )


def test_a_graph_with_more_than_512_nodes() -> None:
    rng = np.random.default_rng(3)
    big = random_graph(rng, 600, 0.004)
    bank = build_bank(graph_set([PATH, big, RING]), basis(((-0.3, 2),)))
    matrix = adjacency(big)
    scale = matrix.sum(1) ** -0.3
    step = scale[:, None] * matrix * scale
    assert_close(matrices_of(bank, 1)[0][..., 1], step @ step)
    assert_close(matrices_of(bank, 2)[0], plain_bases(RING, bank.grid))


def test_memory_sized_batches_do_not_change_the_bank(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen, config = graph_set(SHAPES), basis(GRID, standardise=True)
    whole = build_bank(chosen, config)
    monkeypatch.setattr(bank_builder, "_BATCH_VALUES", 200)
    assert_same(build_bank(chosen, config), whole)


@quick
@given(sets, grids(), supports, st.booleans(), st.data())
def test_columns_equal_a_bank_built_anew(
    drawn: list[Graph],
    grid: tuple[tuple[float, int], ...],
    hops: int | None,
    standardise: bool,
    data: st.DataObject,
) -> None:
    chosen = graph_set(drawn, edges=data.draw(st.booleans()))
    config = basis(grid, hops, standardise)
    part = data.draw(st.lists(st.sampled_from(config.grid), min_size=1, unique=True))
    smaller = basis(part, hops, standardise)
    taken = build_bank(chosen, config).columns(smaller.grid)
    assert taken.grid == smaller.grid
    assert_same(taken, build_bank(chosen, smaller))
    assert len(np.unique(taken.rows, axis=0)) == len(taken.rows)


def test_neighbouring_eps_are_never_taken_for_each_other() -> None:
    chosen = graph_set([STAR, COMPLETE])
    points = tuple((eps, k) for eps in (-0.2, -0.2001, -0.2004, -0.21, -0.25) for k in (1, 2))
    bank = build_bank(chosen, basis(points))
    seen = set()
    for point in points:
        taken = bank.columns((point,))
        assert taken.grid == (point,)
        assert_same(taken, build_bank(chosen, basis((point,))))
        seen.add(taken.rows.tobytes())
    assert len(seen) == len(points)


def test_columns_of_a_shorter_reach_list_fewer_pairs() -> None:
    chosen = graph_set([PATH])
    bank = build_bank(chosen, basis(((-0.2, 1), (-0.2, 4))))
    near = bank.columns(((-0.2, 1),))
    assert near.pair_ptr.tolist() == build_bank(chosen, basis(((-0.2, 1),))).pair_ptr.tolist()
    assert near.far_count[0] == 36 - 16
    with pytest.raises(ValueError, match="not in"):
        bank.columns(((-0.3, 1),))


@pytest.mark.parametrize("standardise", [False, True])
def test_enumerated_lists_every_pair_in_order(standardise: bool) -> None:
    bank = build_bank(graph_set(SHAPES), basis(((-0.2, 1),), standardise=standardise))
    listed = bank.enumerated()
    assert np.diff(listed.pair_ptr).tolist() == [n * n for n, _ in SHAPES]
    assert_same(listed, bank)
    for i, (n, _) in enumerate(SHAPES):
        first, last = listed.pair_ptr[i : i + 2]
        assert listed.target[first:last].tolist() == np.repeat(np.arange(n), n).tolist()
        assert listed.source[first:last].tolist() == np.tile(np.arange(n), n).tolist()
    assert not listed.far_count.any()
    assert bank.far_count.sum() == listed.pair_ptr[-1] - bank.pair_ptr[-1]


def test_enumerating_hop_support_adds_nothing() -> None:
    bank = build_bank(graph_set(SHAPES), basis(GRID, 1))
    assert bank.enumerated() is bank
    assert not bank.far_count.any()


@pytest.mark.parametrize("hops", [None, 1, 3])
def test_edge_types_bonds_self_pairs_and_none(hops: int | None) -> None:
    chosen = graph_set(SHAPES, seed=5)
    bank = build_bank(chosen, basis(GRID, hops))
    for i, (n, _) in enumerate(SHAPES):
        expected = np.eye(n, dtype=int)  # self pairs are of type 1
        first, last = chosen.edge_ptr[i : i + 2]
        source, target = chosen.edges[:, first:last]
        expected[target, source] = chosen.edge_type[first:last]
        np.testing.assert_array_equal(edge_types_of(bank, i), expected)


def test_edge_types_of_directed_codes_follow_the_direction() -> None:
    """Edges holds (source, destination); a pair (v, u) carries the type of the edge u -> v."""
    chosen = graph_set([(2, ((0, 1),))])
    assert chosen.edges.tolist() == [[0, 1], [1, 0]]
    chosen = replace(chosen, edge_type=np.array([2, 3], np.int32))
    types = edge_types_of(build_bank(chosen, basis(((-0.5, 1),))), 0)
    assert types.tolist() == [[1, 3], [2, 1]]


def test_reconstruction_of_real_molecules(zinc: GraphSet) -> None:
    grid = tuple((eps, k) for eps in (0.0, -0.1, -0.3, -0.5) for k in range(1, 7))
    chosen = zinc.subset(np.arange(min(100, len(zinc))))
    bank = build_bank(chosen, basis(grid))
    largest, error = np.zeros(len(grid) + 1), np.zeros(len(grid) + 1)
    for i in range(len(chosen)):
        first, last = chosen.edge_ptr[i : i + 2]
        bonds = tuple(map(tuple, chosen.edges[:, first:last].T.tolist()))
        plain = plain_bases((int(chosen.node_count[i]), bonds), bank.grid)
        error = np.maximum(error, np.abs(matrices_of(bank, i)[0] - plain).max((0, 1)))
        largest = np.maximum(largest, plain.max((0, 1)))
    assert (error <= 1e-6 * largest).all()
    assert len(bank.rows) < bank.pair_ptr[-1] / 3  # few distinct rows serve all pairs
