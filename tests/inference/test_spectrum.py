"""Eigenspaces, angles and commutators against matrices whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdf_search.inference.explanation.spectrum import (
    Eigenspaces,
    asymmetry,
    commutator,
    outside,
    turn,
)
from tests.graphs.makers import COMPLETE, EDGELESS, RING, STAR, TWO_PARTS, adjacency, quick


def normalised(graph: tuple) -> np.ndarray:
    matrix = adjacency(graph)
    scale = matrix.sum(1) ** -0.5
    return scale[:, None] * matrix * scale


def rotation(size: int, seed: int) -> np.ndarray:
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(size, size)))[0]


@pytest.mark.parametrize("graph", [RING, STAR, COMPLETE, TWO_PARTS, EDGELESS])
def test_a_polynomial_has_no_angle_though_eigenvalues_repeat(graph: tuple) -> None:
    lap = normalised(graph)
    reference = Eigenspaces.of(lap)
    assert reference.sizes.max() > 1
    matrix = 0.3 * np.eye(len(lap)) - lap + 2 * lap @ lap @ lap
    found = turn(Eigenspaces.of(matrix), reference)
    assert found.angles.max() < 1e-5
    assert commutator(matrix, lap) < 1e-14
    assert outside(matrix, reference) < 1e-13
    # shares of an eigenspace in those of the reference: rows of whole eigenspaces
    assert found.shares.sum(0) == pytest.approx(1)


def test_eigenspaces_that_contain_others_have_no_angle() -> None:
    lap = normalised(RING)
    reference = Eigenspaces.of(lap)
    pair = reference.vectors[:, reference.group == reference.group[np.argmax(reference.sizes)]]
    # Larger eigenspaces (the identity has one), and smaller ones than the reference has.
    inside = np.outer(pair @ [0.6, 0.8], pair @ [0.6, 0.8])
    for matrix in (np.eye(7), inside, np.eye(7) + 5 * inside, np.zeros((7, 7))):
        assert turn(Eigenspaces.of(matrix), reference).angles.max() < 1e-5
        assert commutator(matrix, lap) < 1e-14
        assert outside(matrix, reference) < 1e-13


@given(degrees=st.floats(0, 45), low=st.floats(-3, 0), high=st.floats(0.5, 3))
@quick
def test_a_known_turn(degrees: float, low: float, high: float) -> None:
    angle = np.radians(degrees)
    turned = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    matrix = turned @ np.diag([low, high]) @ turned.T
    reference = Eigenspaces.of(np.diag([1.0, 2.0]))
    found = turn(Eigenspaces.of(matrix), reference)
    assert found.angles == pytest.approx([degrees, degrees], abs=1e-6)
    expected = np.sqrt(2) * (high - low) * np.sin(angle) * np.cos(angle) / np.hypot(low, high)
    assert outside(matrix, reference) == pytest.approx(expected, abs=1e-12)
    # [M, diag(1, 2)] has the off-diagonal entries times the difference of the eigenvalues, 1
    assert commutator(matrix, np.diag([1.0, 2.0])) == pytest.approx(expected / np.sqrt(5))


def test_the_choice_of_vectors_in_an_eigenspace_does_not_count() -> None:
    reference = Eigenspaces.of(normalised(TWO_PARTS))
    basis = rotation(7, 1)
    levels = np.array([0, 0, 0, 1, 1, 2, 5.0])
    spaces = Eigenspaces(levels, basis, np.array([0, 0, 0, 1, 1, 2, 3]))
    other = basis.copy()
    other[:, :3] = basis[:, :3] @ rotation(3, 2)
    other[:, 3:5] = basis[:, 3:5] @ rotation(2, 3)
    first, second = (
        turn(Eigenspaces(levels, vectors, spaces.group), reference) for vectors in (basis, other)
    )
    assert first.angles.min() > 5
    assert second.angles == pytest.approx(first.angles)
    assert second.shares == pytest.approx(first.shares)


def test_random_matrices_do_not_commute() -> None:
    vectors = rotation(7, 4)
    matrix = vectors * np.arange(7) @ vectors.T
    reference = Eigenspaces.of(normalised(TWO_PARTS))
    assert commutator(matrix, normalised(TWO_PARTS)) > 0.05
    assert 0.1 < outside(matrix, reference) <= 1
    assert np.median(turn(Eigenspaces.of(matrix), reference).angles) > 20


def test_one_node() -> None:
    one = np.ones((1, 1))
    assert turn(Eigenspaces.of(3 * one), Eigenspaces.of(one)).angles.tolist() == [0]
    assert commutator(one, one) == 0
    assert asymmetry(np.array([[0.0, 1.0], [-1.0, 0.0]])) == 2
