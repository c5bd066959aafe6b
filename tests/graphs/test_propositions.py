"""The paper's two propositions on smoothness, as properties of random graphs and signals.

The paper writes < and >. A signal in the Laplacian's null space (constant on each part of the
graph, up to degrees) has smoothness 0 before and after, so <= and >= hold for any signal, and the
strict signs outside the null space. For the same reason GCN's 1 - lambda lies in (-1, 1], not in
(-1, 1).
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdf_search.graphs import matrices
from tests.graphs.makers import Graph, adjacency, distances, graphs, quick
from tests.graphs.test_matrices import padded

KINDS = ["self loops", "normalised", "combinatorial"]
seeds = st.integers(0, 2**32 - 1)


def laplacian(graph: Graph, kind: str) -> np.ndarray:
    """I - D~^-1/2 A~ D~^-1/2, the same of A (0 for an isolated node), or D - A."""
    a = adjacency(graph) - (0 if kind == "self loops" else np.eye(graph[0]))
    degree = a.sum(1)
    if kind == "combinatorial":
        return np.diag(degree) - a
    scale = np.divide(1, np.sqrt(degree), out=np.zeros_like(degree), where=degree > 0)
    return np.diag((degree > 0).astype(float)) - scale[:, None] * a * scale


def null_space(graph: Graph, kind: str) -> np.ndarray:
    """One column for each part of the graph, [n, parts]."""
    parts = np.unique(distances(graph) >= 0, axis=0).T.astype(float)
    a = adjacency(graph) - (0 if kind == "self loops" else np.eye(graph[0]))
    degree = a.sum(1)[:, None]
    return parts if kind == "combinatorial" else parts * np.sqrt(np.maximum(degree, 1))


def smoothness(x: np.ndarray, laplacian: np.ndarray) -> float:
    return float(x @ laplacian @ x)


def apply(coefficients: np.ndarray, laplacian: np.ndarray, x: np.ndarray) -> np.ndarray:
    """g(L) x by Horner's rule; coefficients from the lowest power."""
    out = np.zeros_like(x)
    for c in coefficients[::-1]:
        out = laplacian @ out + c * x
    return out


def on_spectrum(coefficients: np.ndarray, laplacian: np.ndarray) -> np.ndarray:
    """g(lambda) for every eigenvalue of L."""
    return np.polynomial.polynomial.polyval(np.linalg.eigvalsh(laplacian), coefficients)


@quick
@given(graphs(), st.sampled_from(KINDS), st.integers(0, 5), st.floats(0.01, 0.999), seeds)
def test_a_polynomial_below_1_smooths(
    graph: Graph, kind: str, degree: int, bound: float, seed: int
) -> None:
    """Proposition 4.1 (i)."""
    rng = np.random.default_rng(seed)
    matrix = laplacian(graph, kind)
    g = rng.normal(size=degree + 1)
    g *= bound / np.abs(on_spectrum(g, matrix)).max()  # |g(lambda)| <= bound < 1
    x = rng.normal(size=graph[0])
    before, after = smoothness(x, matrix), smoothness(apply(g, matrix, x), matrix)
    assert after <= before + 1e-12
    if before > 1e-9:
        assert after < before
        assert after <= bound**2 * before * (1 + 1e-9)


@quick
@given(graphs(), st.sampled_from(KINDS), st.integers(0, 2), st.floats(1.001, 3), seeds)
def test_a_polynomial_above_1_amplifies(
    graph: Graph, kind: str, degree: int, bound: float, seed: int
) -> None:
    """Proposition 4.1 (ii)."""
    rng = np.random.default_rng(seed)
    matrix = laplacian(graph, kind)
    root = rng.normal(size=degree + 1) / (degree + 1)
    g = np.polynomial.polynomial.polyadd(np.convolve(root, root), [bound])
    g *= rng.choice([-1, 1])  # |g(lambda)| >= bound > 1
    x = rng.normal(size=graph[0])
    before, after = smoothness(x, matrix), smoothness(apply(g, matrix, x), matrix)
    assert after >= before - 1e-12
    if before > 1e-9:
        assert after > before
        assert after >= bound**2 * before * (1 - 1e-9)


@quick
@given(graphs(), st.sampled_from(KINDS), st.sampled_from([0.5, 2.0]), seeds)
def test_in_the_null_space_equality_holds(graph: Graph, kind: str, size: float, seed: int) -> None:
    """So no polynomial smooths or amplifies every signal strictly."""
    rng = np.random.default_rng(seed)
    matrix, basis = laplacian(graph, kind), null_space(graph, kind)
    np.testing.assert_allclose(matrix @ basis, 0, atol=1e-12)
    assert np.linalg.matrix_rank(matrix, tol=1e-9) == graph[0] - basis.shape[1]
    x = basis @ rng.normal(size=basis.shape[1])
    g = np.array([size, 0.1])
    assert smoothness(x, matrix) == pytest.approx(0, abs=1e-12)
    assert smoothness(apply(g, matrix, x), matrix) == pytest.approx(0, abs=1e-12)


@quick
@given(graphs(), st.sampled_from(KINDS), seeds)
def test_the_condition_is_needed_at_every_eigenvalue(graph: Graph, kind: str, seed: int) -> None:
    """Where |g| exceeds 1 at one positive eigenvalue alone, its eigenvector is amplified."""
    matrix = laplacian(graph, kind)
    values, vectors = np.linalg.eigh(matrix)
    places = np.flatnonzero(values > 1e-9)
    if not len(places):
        return
    place = np.random.default_rng(seed).choice(places)
    g = np.array([1.5 + values[place], -1.0])  # 1.5 at this eigenvalue
    x = vectors[:, place]
    assert smoothness(apply(g, matrix, x), matrix) > smoothness(x, matrix)


@quick
@given(graphs(max_nodes=10), st.integers(1, 6), seeds)
def test_gcn_always_smooths_and_sgc_does(graph: Graph, steps: int, seed: int) -> None:
    """Proposition 4.2, with the basis (-0.5, 1) as the model has it; SGC is its power."""
    step = matrices.bases(padded([graph]), [(-0.5, 1)])[0, ..., 1].numpy()
    matrix = laplacian(graph, "self loops")
    values, vectors = np.linalg.eigh(matrix)
    assert values.min() >= -1e-12
    assert values.max() < 2  # self loops: no graph is bipartite
    x = np.random.default_rng(seed).normal(size=graph[0])
    for _ in range(steps):
        before, smoothed = smoothness(x, matrix), step @ x
        after = smoothness(smoothed, matrix)
        assert after <= before + 1e-12
        # What is lost: sum of x^_i^2 lambda_i^2 (2 - lambda_i), 0 in the null space alone.
        lost = float((vectors.T @ x) ** 2 @ (values**2 * (2 - values)))
        assert before - after == pytest.approx(lost, rel=1e-6, abs=1e-12)
        if before > 1e-9:
            assert after < before
        x = smoothed


@quick
@given(graphs(), seeds)
def test_gcn_leaves_the_null_space_as_it_is(graph: Graph, seed: int) -> None:
    step = matrices.bases(padded([graph]), [(-0.5, 1)])[0, ..., 1].numpy()
    basis = null_space(graph, "self loops")
    x = basis @ np.random.default_rng(seed).normal(size=basis.shape[1])
    np.testing.assert_allclose(step @ x, x, atol=1e-12)
