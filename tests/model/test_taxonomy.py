"""f(G) of each shipped taxonomy setting against the cited paper's formula, written out in numpy."""

from __future__ import annotations

from math import comb, erf

import numpy as np
import pytest
import torch
from numpy.polynomial import polynomial
from scipy.special import jacobi

from pdf_search.config import TrialConfig, parse_trial
from pdf_search.graphs.bank_builder import build_bank
from pdf_search.model.filters import Filter
from pdf_search.space import paper_trial, taxonomy_names, taxonomy_setting
from tests.graphs.makers import SHAPES, Graph, adjacency, graph_set, matrices_of, random_graph

IRREGULAR = random_graph(np.random.default_rng(4), 12, 0.25)
GRAPHS: tuple[Graph, ...] = (*SHAPES, IRREGULAR)
ODD = pytest.mark.parametrize("number", range(len(GRAPHS)))


class Learned:
    """The bases of a setting on all graphs, and its filter."""

    def __init__(self, name: str) -> None:
        tree = taxonomy_setting(f"taxonomy/{name}").over(paper_trial("zinc"))
        self.config: TrialConfig = parse_trial(tree)
        self.bank = build_bank(graph_set(GRAPHS), self.config.basis)
        self.f = Filter(self.config.model, self.config.basis.size, [torch.Generator()])

    def set(self, weights: np.ndarray) -> None:
        """One number for each place of a basis row, or one such column for each channel."""
        with torch.no_grad():
            values = torch.from_numpy(np.atleast_2d(weights.T).T.astype(np.float32))
            self.f.linears[0].weight.copy_(values.expand_as(self.f.linears[0].weight[0]))

    def matrix(self, number: int) -> np.ndarray:
        """f(G) of a graph, [n, n, channels]."""
        values, listed = matrices_of(self.bank, number)
        rows = torch.from_numpy(values.astype(np.float32)).flatten(0, 1)
        with torch.no_grad():
            out = self.f(rows, torch.ones(1, len(rows), 1))[0]
        result = out.reshape(*values.shape[:2], -1).numpy()
        return result if self.bank.hops is None else np.where(listed[..., None], result, 0)


def scaled(graph: Graph, left: float, right: float) -> np.ndarray:
    """D~^left A~ D~^right."""
    a = adjacency(graph)
    degree = a.sum(1)
    return np.diag(degree**left) @ a @ np.diag(degree**right)


def assert_close(ours: np.ndarray, theirs: np.ndarray) -> None:
    np.testing.assert_allclose(ours, theirs, atol=3e-6 * max(1.0, float(np.abs(theirs).max())))


@ODD
def test_gcn(number: int) -> None:
    """Kipf & Welling 2017: D~^-1/2 A~ D~^-1/2."""
    assert_close(Learned("gcn").matrix(number)[..., 0], scaled(GRAPHS[number], -0.5, -0.5))


@ODD
def test_sgc(number: int) -> None:
    """Wu et al. 2019: S^K."""
    step = scaled(GRAPHS[number], -0.5, -0.5)
    assert_close(Learned("sgc").matrix(number)[..., 0], step @ step)


@ODD
def test_gin_0(number: int) -> None:
    """Xu et al. 2019: h_v + sum of h_u over the neighbours of v."""
    nodes, bonds = GRAPHS[number]
    expected = np.eye(nodes)
    for i, j in bonds:
        expected[i, j] = expected[j, i] = 1
    assert_close(Learned("gin-0").matrix(number)[..., 0], expected)


@ODD
def test_gpr(number: int) -> None:
    """Chien et al. 2021: sum over k of gamma_k S^k."""
    learned = Learned("gpr")
    gamma = np.random.default_rng(1).normal(size=6)
    learned.set(gamma)
    step, power, expected = scaled(GRAPHS[number], -0.5, -0.5), np.eye(GRAPHS[number][0]), 0.0
    for weight in gamma:
        expected = expected + weight * power
        power = power @ step
    assert_close(learned.matrix(number)[..., 0], np.asarray(expected))


def bernstein(k: int, degree: int) -> np.ndarray:
    """C(K, k) / 2^K (2 - l)^(K - k) l^k with l = 1 - s, as coefficients of s."""
    ours = polynomial.polypow([1, 1], degree - k)
    return comb(degree, k) / 2**degree * polynomial.polymul(ours, polynomial.polypow([1, -1], k))


@ODD
def test_bernnet(number: int) -> None:
    """He et al. 2021: sum over k of theta_k C(K, k) / 2^K (2 I - L)^(K - k) L^k."""
    learned, degree = Learned("bernnet"), 5
    theta = np.random.default_rng(2).uniform(0, 2, degree + 1)
    learned.set(sum(t * bernstein(k, degree) for k, t in enumerate(theta)))
    nodes = GRAPHS[number][0]
    laplacian = np.eye(nodes) - scaled(GRAPHS[number], -0.5, -0.5)
    expected = sum(
        theta[k]
        * comb(degree, k)
        / 2**degree
        * np.linalg.matrix_power(2 * np.eye(nodes) - laplacian, degree - k)
        @ np.linalg.matrix_power(laplacian, k)
        for k in range(degree + 1)
    )
    assert_close(learned.matrix(number)[..., 0], np.asarray(expected))


def test_bernstein_and_jacobi_polynomials_span_all_powers() -> None:
    """So the settings of GPR, BernNet and JacobiConv reach the same polynomials."""
    assert np.linalg.matrix_rank([bernstein(k, 5) for k in range(6)]) == 6
    shifted = [np.pad(jacobi(k, 1.0, 0.5).coef[::-1], (0, 5 - k)) for k in range(6)]
    assert np.linalg.matrix_rank(shifted) == 6


def jacobi_matrices(step: np.ndarray, a: float, b: float, highest: int) -> list[np.ndarray]:
    """P_0, ..., P_K of a matrix by the recurrence of Wang & Zhang 2022, appendix."""
    identity = np.eye(len(step))
    found = [identity, (a - b) / 2 * identity + (a + b + 2) / 2 * step]
    for k in range(2, highest + 1):
        c = 2 * k + a + b
        theta = c * (c - 1) / (2 * k * (k + a + b))
        theta1 = (c - 1) * (a**2 - b**2) / (2 * k * (k + a + b) * (c - 2))
        theta2 = (k + a - 1) * (k + b - 1) * c / (k * (k + a + b) * (c - 2))
        found.append(theta * step @ found[-1] + theta1 * found[-1] - theta2 * found[-2])
    return found


@ODD
def test_jacobiconv(number: int) -> None:
    """Wang & Zhang 2022: for channel l, sum over k of alpha_kl P_k^(a, b)(S)."""
    learned, degree, (a, b) = Learned("jacobiconv"), 5, (1.0, 0.5)
    channels = learned.config.model.hidden
    alpha = np.random.default_rng(3).normal(size=(degree + 1, channels))
    powers = np.stack([np.pad(jacobi(k, a, b).coef[::-1], (0, degree - k)) for k in range(6)])
    learned.set(powers.T @ alpha)
    matrices = jacobi_matrices(scaled(GRAPHS[number], -0.5, -0.5), a, b, degree)
    expected = np.einsum("kij,kl->ijl", np.stack(matrices), alpha)
    assert_close(learned.matrix(number), expected)


@ODD
@pytest.mark.parametrize("eps", [0.0, -0.25, -0.5])
@pytest.mark.parametrize("e1", [1.0, 0.5, -0.5, -1.0])
def test_pgso(number: int, e1: float, eps: float) -> None:
    """Dasoulas et al. 2021: m1 D~^e1 + m2 D~^e2 A~ D~^e3 + m3 I, here with e2 = e3 = eps."""
    learned = Learned("pgso")
    basis = learned.config.basis
    m1, m2, m3 = 0.7, -1.3, 0.4
    weights = np.zeros(basis.size)
    weights[0] = m3
    weights[1 + basis.grid.index((eps, 1))] = m2
    weights[1 + len(basis.grid) + basis.diagonals.index(e1)] = m1
    learned.set(weights)
    degree = adjacency(GRAPHS[number]).sum(1)
    expected = (
        m1 * np.diag(degree**e1) + m2 * scaled(GRAPHS[number], eps, eps) + m3 * np.eye(len(degree))
    )
    assert_close(learned.matrix(number)[..., 0], expected)


def test_the_laplacian_is_a_pgso() -> None:
    learned = Learned("pgso")
    learned.set(np.array([0, -1, 0, 0, 1, 0, 0, 0]))  # D~ - A~
    nodes, bonds = IRREGULAR
    expected = np.zeros((nodes, nodes))
    for i, j in bonds:
        expected[i, j] = expected[j, i] = -1
        expected[i, i] += 1
        expected[j, j] += 1
    assert_close(learned.matrix(len(GRAPHS) - 1)[..., 0], expected)


@pytest.mark.parametrize(("left", "right"), [(-1.0, 0.0), (0.0, -0.5), (-0.75, -0.25)])
def test_an_unequal_pair_of_exponents_has_the_eigenvalues_of_the_symmetric_point(
    left: float, right: float
) -> None:
    unequal, middle = scaled(IRREGULAR, left, right), (left + right) / 2
    assert np.abs(unequal - unequal.T).max() > 0.1
    np.testing.assert_allclose(
        np.sort(np.linalg.eigvals(unequal).real),
        np.linalg.eigvalsh(scaled(IRREGULAR, middle, middle)),
        atol=1e-9,
    )


gelu = np.vectorize(lambda x: x * 0.5 * (1 + erf(x / 2**0.5)))


@ODD
@pytest.mark.parametrize("channels", ["shd", "idp"])
def test_pdf(number: int, channels: str) -> None:
    """The paper's step 2 with two layers of its f, on the published bases."""
    learned = Learned(f"pdf-{channels}")
    linears = [(p.weight[0].detach().numpy(), p.bias[0, 0].detach().numpy())
               for p in learned.f.linears]  # fmt: skip
    degree = adjacency(GRAPHS[number]).sum(1)
    bases = [np.eye(len(degree))]
    for eps in (-0.1, -0.2, -0.3, -0.4, -0.5):
        bases.append(np.linalg.matrix_power(scaled(GRAPHS[number], eps, eps), 4))
    x = np.stack(bases, -1)
    for weight, bias in linears:
        x = gelu(x @ weight + bias)
    assert x.shape[-1] == (160 if channels == "idp" else 1)
    assert_close(learned.matrix(number), x)


def test_every_shipped_setting_is_tested_here() -> None:
    tested = {"gcn", "sgc", "gin-0", "gpr", "bernnet", "jacobiconv", "pgso", "pdf-shd", "pdf-idp"}
    assert {name.removeprefix("taxonomy/") for name in taxonomy_names()} == tested
