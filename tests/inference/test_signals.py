"""Smoothness and similarity of channels against their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from pdf_search.inference.explanation.smoothness import signals
from tests.graphs.makers import EDGELESS, ISOLATED, SINGLE, STAR, TWO_PARTS, Graph, adjacency


def laplacian(graph: Graph) -> np.ndarray:
    matrix = adjacency(graph)
    scale = matrix.sum(1) ** -0.5
    return np.eye(len(matrix)) - scale[:, None] * matrix * scale


@pytest.mark.parametrize("graph", [SINGLE, EDGELESS, ISOLATED, STAR, TWO_PARTS])
def test_a_constant_times_the_root_of_the_degree_is_perfectly_smooth(graph: Graph) -> None:
    root = np.sqrt(adjacency(graph).sum(1))
    found = signals(np.stack([3 * root, -root], 1)[None], laplacian(graph))
    assert found.smoothness == pytest.approx(0, abs=1e-15)
    assert found.cosine[0, 0, 1] == pytest.approx(-1)
    assert found.similarity() == pytest.approx([1])


def test_smoothness_is_the_sum_over_bonds() -> None:
    nodes, bonds = TWO_PARTS
    degree = adjacency(TWO_PARTS).sum(1)
    x = np.random.default_rng(0).normal(size=(2, nodes, 3))
    found = signals(x, laplacian(TWO_PARTS))
    scaled = x / np.sqrt(degree)[:, None]
    expected = sum((scaled[:, i] - scaled[:, j]) ** 2 for i, j in bonds)
    assert found.quadratic == pytest.approx(expected)
    assert found.smoothness == pytest.approx(expected / (x**2).sum(1))
    assert ((found.smoothness >= 0) & (found.smoothness < 2)).all()
    pair = x[1, :, 0] @ x[1, :, 2] / np.linalg.norm(x[1, :, 0]) / np.linalg.norm(x[1, :, 2])
    assert found.cosine[1, 0, 2] == pytest.approx(pair)
    mean = np.abs(found.cosine[1][np.triu_indices(3, 1)]).mean()
    assert found.similarity()[1] == pytest.approx(mean)


def test_a_channel_of_zeros_has_no_smoothness_and_counts_for_no_mean() -> None:
    x = np.ones((1, 7, 3))
    x[:, :, 1] = 0
    found = signals(x, laplacian(TWO_PARTS))
    assert np.isnan(found.smoothness[0]).tolist() == [False, True, False]
    assert found.similarity() == pytest.approx([1])
    assert np.isnan(signals(x[:, :, :1], laplacian(TWO_PARTS)).similarity()).all()
