"""Correlation of bases and pivoted Cholesky, against numpy on every pair written out."""

from __future__ import annotations

import numpy as np
import pytest

from pdf_search.config import BasisConfig
from pdf_search.graphs import build_bank, compact_picks, moments_of, pivot_order
from tests.graphs.makers import RING, SHAPES, STAR, basis, graph_set, matrices_of

GRID = ((0.0, 1), (0.0, 3), (-0.25, 1), (-0.25, 2), (-0.5, 1), (-0.5, 3))
PLANTED = np.array([[1.0, 0.8, 0.0], [0.8, 1.0, 0.6], [0.0, 0.6, 1.0]])


def pairs_of(config: BasisConfig) -> np.ndarray:
    """The basis rows of every supported pair of the test graphs, [P, m]."""
    bank = build_bank(graph_set(SHAPES), config)
    found = [matrices_of(bank, graph) for graph in range(len(SHAPES))]
    if config.hops is None:
        return np.concatenate([values.reshape(-1, config.size) for values, _ in found])
    return np.concatenate([values[listed] for values, listed in found])


def residuals(values: np.ndarray, always: np.ndarray) -> np.ndarray:
    """Each basis at unit RMS, less its least squares fit on the columns ``always``."""
    values = values / np.sqrt((values**2).mean(0))
    return values - always @ np.linalg.lstsq(always, values, rcond=None)[0]


@pytest.mark.parametrize("hops", [None, 2, 3])
@pytest.mark.parametrize("standardise", [False, True])
def test_it_is_that_of_all_pairs(hops: int | None, standardise: bool) -> None:
    config = basis(GRID, hops, standardise)
    moments = moments_of(build_bank(graph_set(SHAPES), config))
    rows = pairs_of(config)
    left = residuals(rows[:, 1:].astype(float), np.column_stack([np.ones(len(rows)), rows[:, 0]]))
    np.testing.assert_allclose(moments.covariance(), left.T @ left / len(rows), atol=2e-6)
    np.testing.assert_allclose(moments.correlation(), np.corrcoef(left.T), atol=2e-5)
    assert (moments.graphs, moments.pairs) == (len(SHAPES), len(rows))


def test_a_part_of_the_grid_is_a_part_of_the_matrix() -> None:
    moments = moments_of(build_bank(graph_set(SHAPES), basis(GRID)))
    part = (GRID[1], GRID[4])
    expected = moments.covariance()[np.ix_([1, 4], [1, 4])]
    np.testing.assert_allclose(moments.covariance(part), expected, rtol=1e-9)


def test_what_every_trial_has_is_projected_out() -> None:
    config = basis(GRID).model_copy(update={"diagonals": (-0.5,)})
    moments = moments_of(build_bank(graph_set(SHAPES), config))
    rows = pairs_of(config).astype(float)
    always = np.column_stack([np.ones(len(rows)), rows[:, 0], rows[:, -1]])
    left = residuals(rows[:, 1:-1], always)
    expected = left.T @ left / len(rows)
    np.testing.assert_allclose(moments.covariance(diagonals=(-0.5,)), expected, atol=2e-6)


def test_a_basis_that_says_nothing_new_is_zero() -> None:
    """With one hop on rings, (0, 1) is 1 at every supported pair: the constant."""
    config = basis(((0.0, 1), (0.0, 2)), hops=1)
    correlation = moments_of(build_bank(graph_set([RING, RING]), config)).correlation()
    np.testing.assert_array_equal(correlation[0], [0, 0])


def test_pivots_are_those_of_cholesky() -> None:
    """By hand: 1 first (of equals), then 2, of which all is left, then 1's neighbour."""
    order, left = pivot_order(PLANTED)
    assert order.tolist() == [0, 2, 1]
    # After 0: 1 - 0.64 = 0.36 and 1. After 2: 0.36 - 0.36 = 0.
    np.testing.assert_allclose(left, [1.36 / 3, 0, 0], atol=1e-12)


def test_variance_left_is_that_of_a_linear_fit() -> None:
    rows = pairs_of(basis(GRID)).astype(float)
    always = np.column_stack([np.ones(len(rows)), rows[:, 0]])
    values = residuals(rows[:, 1:], always)
    order, shares = pivot_order(values.T @ values / len(rows))
    for count in range(1, 4):
        chosen = values[:, order[:count]]
        rest = values - chosen @ np.linalg.lstsq(chosen, values, rcond=None)[0]
        np.testing.assert_allclose(shares[count - 1], (rest**2).sum() / (values**2).sum())


def test_equal_bases_are_picked_in_order() -> None:
    order, left = pivot_order(np.ones((4, 4)) * (1 + 1e-13 * np.arange(4)))
    assert order.tolist() == [0, 1, 2, 3]
    assert left.max() < 1e-9


def test_at_least_eight_and_no_more_than_needed() -> None:
    assert len(compact_picks(np.ones((12, 12)))) == 8
    assert compact_picks(np.eye(5)) == [0, 1, 2, 3, 4]
    assert len(compact_picks(np.eye(20))) == 20
    rare = np.diag([1.0] * 9 + [1e-6] * 5)  # 5e-6 of 9 left after nine
    assert compact_picks(rare) == list(range(9))


def test_wide_degrees_are_no_trouble() -> None:
    """Powers of eps = 0 grow like the degree to the k; nothing overflows or is lost."""
    star = (60, tuple((0, i) for i in range(1, 60)))
    grid = tuple((eps, k) for eps in (0.0, -0.5) for k in (1, 8))
    correlation = moments_of(build_bank(graph_set([star, STAR]), basis(grid))).correlation()
    np.testing.assert_allclose(np.diag(correlation), 1)
    assert np.linalg.eigvalsh(correlation).min() > -1e-9
