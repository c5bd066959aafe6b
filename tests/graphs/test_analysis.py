"""Effective rank, bundles and profiles of a grid, on matrices whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from pdf_search.graphs import analyse_bases, build_bank, bundles, effective_rank, moments_of
from tests.graphs.makers import SHAPES, basis, graph_set

LINE = ((0.0, 1), (-0.1, 1), (-0.2, 1), (-0.3, 1))
SQUARE = ((0.0, 1), (0.0, 2), (-0.5, 1), (-0.5, 2))
GRID = tuple((eps, k) for eps in (0.0, -0.25, -0.5) for k in (1, 2, 3))


@pytest.mark.parametrize(
    ("values", "rank"),
    [([1, 1, 1, 1], 4), ([4, 0, 0, 0], 1), ([3, 0.99, 0.01, 0], 3), ([3, 0.999, 0.001, 0], 2)],
)
def test_the_rank_holds_999_of_1000(values: list[float], rank: int) -> None:
    turned = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    assert effective_rank(turned @ np.diag(values) @ turned.T) == rank


def test_nothing_has_no_rank() -> None:
    assert effective_rank(np.zeros((3, 3))) == 0


def test_a_chain_of_neighbours_is_no_bundle() -> None:
    """Neighbours correlate at 0.995, two steps at 0.985: every two of a bundle must be alike."""
    steps = np.abs(np.subtract.outer(range(4), range(4)))
    correlation = np.array([1, 0.995, 0.985, 0.97])[steps]
    assert bundles(LINE, correlation) == [[0, 1], [2, 3]]
    assert bundles(LINE, correlation, alike=0.98) == [[0, 1, 2], [3]]
    assert bundles(LINE, np.sign(0.5 - steps % 2) * correlation) == [[0, 1], [2, 3]]


def test_equal_k_comes_first() -> None:
    """(0, 1) is nearest to (0, 2), but is bundled with (-0.5, 1), which it is alike as well."""
    correlation = np.eye(4)
    for i, j, value in ((0, 1, 0.999), (0, 2, 0.995), (1, 2, 0.5), (2, 3, 0.2)):
        correlation[i, j] = correlation[j, i] = value
    assert bundles(SQUARE, correlation) == [[0, 2], [1], [3]]
    assert bundles(SQUARE, np.full((4, 4), 0.995)) == [[0, 1, 2, 3]]


def test_an_analysis_of_graphs() -> None:
    moments = moments_of(build_bank(graph_set(SHAPES), basis(GRID)))
    found, correlation = analyse_bases(moments), moments.correlation()
    at = {point: i for i, point in enumerate(moments.grid)}
    assert sorted(found.picks) == sorted(moments.grid)
    assert sorted(point for bundle in found.bundles for point in bundle) == sorted(moments.grid)
    assert found.kept == 8
    assert [line["k"] for line in found.along_eps] == [1, 2, 3]
    assert [line["eps"] for line in found.along_k] == [0.0, -0.25, -0.5]
    ends = correlation[at[0.0, 2], at[-0.5, 2]]
    assert found.along_eps[1]["ends"] == pytest.approx(ends, abs=1e-5)
    steps = [correlation[at[-0.25, k], at[-0.25, k + 1]] for k in (1, 2)]
    assert found.along_k[1]["neighbours"] == pytest.approx(steps, abs=1e-5)
    assert (found.as_dict()["held"], found.as_dict()["alike"]) == (0.999, 0.99)
