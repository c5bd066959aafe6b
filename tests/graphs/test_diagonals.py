"""The bases diag(D~^e): their values on every path, their place in a row, and who reads them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pdf_search.config import BasisConfig, Hops
from pdf_search.graphs import bank_builder
from pdf_search.graphs.bank_builder import build_bank
from pdf_search.graphs.bank_size import estimate_near_pairs
from tests.graphs.makers import (
    ISOLATED,
    SHAPES,
    STAR,
    Graph,
    adjacency,
    distances,
    graph_set,
    graphs,
    grids,
    matrices_of,
    plain_bases,
    quick,
)

exponents = st.lists(st.sampled_from([1.0, 0.5, -0.25, -0.5, -1.0]), max_size=3, unique=True)
supports = st.sampled_from([None, 1, 2])


def config(
    grid: tuple[tuple[float, int], ...],
    diagonals: tuple[float, ...],
    hops: int | None = None,
    standardise: bool = False,
) -> BasisConfig:
    return BasisConfig(
        pairs=grid,
        diagonals=diagonals,
        support="dense" if hops is None else Hops(hops=hops),
        standardise=standardise,
    )


def plain(graph: Graph, basis: BasisConfig) -> np.ndarray:
    """[n, n, m] by definition."""
    degree = adjacency(graph).sum(1)
    powers = plain_bases(graph, basis.grid)
    return np.concatenate(
        [powers, *(np.diag(degree**e)[..., None] for e in basis.diagonals)], axis=-1
    )


@quick
@given(
    st.lists(graphs(), min_size=1, max_size=4),
    grids(),
    exponents,
    supports,
    st.sampled_from([0, 512]),
)
def test_rows_are_the_grid_then_the_diagonals(
    drawn: list[Graph],
    grid: tuple[tuple[float, int], ...],
    diagonals: list[float],
    hops: int | None,
    dense_nodes: int,
) -> None:
    basis = config(grid, tuple(diagonals), hops)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bank_builder, "DENSE_NODES", dense_nodes)  # 0: sparse products
        bank = build_bank(graph_set(drawn), basis)
    assert bank.rows.shape[1] == basis.size == 1 + len(basis.grid) + len(diagonals)
    assert bank.diagonals == tuple(sorted(diagonals, reverse=True))
    for number, graph in enumerate(drawn):
        steps = distances(graph)
        inside = True if hops is None else (steps >= 0) & (steps <= hops)
        expected = np.where(np.broadcast_to(inside, steps.shape)[..., None], plain(graph, basis), 0)
        np.testing.assert_allclose(matrices_of(bank, number)[0], expected, rtol=3e-7, atol=1e-11)


@pytest.mark.parametrize("hops", [None, 1])
def test_standardised_over_the_supported_pairs(hops: int | None) -> None:
    basis = config(((-0.3, 2),), (0.5,), hops, standardise=True)
    bank = build_bank(graph_set([STAR, ISOLATED]), basis)
    for number, graph in enumerate((STAR, ISOLATED)):
        steps = distances(graph)
        inside = np.full(steps.shape, True) if hops is None else (steps >= 0) & (steps <= hops)
        values = plain(graph, basis)[..., -1]
        mean, std = values[inside].mean(), values[inside].std()
        ours = matrices_of(bank, number)[0][..., -1]
        np.testing.assert_allclose(
            ours[inside], ((values - mean) / (std + 1e-5))[inside], rtol=1e-6, atol=1e-9
        )


@quick
@given(graphs(), exponents, st.booleans(), st.data())
def test_columns_take_diagonals_too(
    graph: Graph, diagonals: list[float], standardise: bool, data: st.DataObject
) -> None:
    grid = ((-0.1, 2), (-0.5, 1), (-0.5, 3))
    chosen = graph_set([graph, STAR])
    whole = build_bank(chosen, config(grid, tuple(diagonals), standardise=standardise))
    part = config(
        tuple(data.draw(st.lists(st.sampled_from(grid), min_size=1, unique=True))),
        tuple(data.draw(st.lists(st.sampled_from(diagonals), unique=True)) if diagonals else ()),
        standardise=standardise,
    )
    taken, anew = whole.columns(part.grid, part.diagonals), build_bank(chosen, part)
    assert (taken.grid, taken.diagonals) == (anew.grid, anew.diagonals)
    for number in range(2):
        ours, theirs = (matrices_of(bank, number)[0] for bank in (taken, anew))
        np.testing.assert_array_equal(ours, theirs)


def test_a_missing_diagonal_is_refused() -> None:
    bank = build_bank(graph_set([STAR]), config(((-0.5, 1),), (0.5,)))
    with pytest.raises(ValueError, match="not in"):
        bank.columns(((-0.5, 1),), (-0.5,))


def test_diagonals_add_no_near_pairs() -> None:
    chosen = graph_set(SHAPES)
    without, with_ = (config(((-0.3, 2),), diagonals) for diagonals in ((), (0.5, -0.5)))
    assert len(build_bank(chosen, with_).row) == len(build_bank(chosen, without).row)
    assert estimate_near_pairs(chosen, with_) == estimate_near_pairs(chosen, without)


def test_diagonals_are_a_set_in_falling_order() -> None:
    basis = config(((-0.5, 1),), (-0.5, 1.0, -0.5))
    assert basis.diagonals == (1.0, -0.5)
    assert basis.names == ("I", "(-0.5, 1)", "diag(1)", "diag(-0.5)")


@pytest.mark.parametrize(
    ("e", "message"), [(1.5, r"outside \[-1, 1\]"), (-2.0, "outside"), (0.0, "the identity")]
)
def test_exponents_that_are_refused(e: float, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        config(((-0.5, 1),), (e,))
