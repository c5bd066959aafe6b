"""The estimate of near pairs: exact on small sets, close on real molecules."""

from __future__ import annotations

import pytest

from pdf_search.graphs.bank_builder import build_bank
from pdf_search.graphs.bank_size import estimate_near_pairs
from pdf_search.graphs.graph_set import GraphSet
from tests.graphs.makers import SHAPES, basis, graph_set


@pytest.mark.parametrize("hops", [None, 1, 2])
def test_exact_where_every_graph_is_looked_at(hops: int | None) -> None:
    graphs = graph_set(SHAPES)
    grid = basis(((-0.1, 1), (-0.5, 3)), hops=hops)
    assert estimate_near_pairs(graphs, grid) == len(build_bank(graphs, grid).row)


def test_close_on_real_molecules(zinc: GraphSet) -> None:
    grid = basis(((-0.3, 4),))
    pairs = len(build_bank(zinc, grid).row)
    assert estimate_near_pairs(zinc, grid) == pytest.approx(pairs, rel=0.05)
