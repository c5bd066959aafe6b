"""Models on diagonals and with given coefficients are explained like any other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pdf_search.config import BasisConfig
from pdf_search.inference.explanation.explain import explain
from pdf_search.inference.explanation.plain_data import weight_table
from tests.graphs.makers import graph_set, random_graph
from tests.inference.conftest import new_model

GRAPHS = graph_set([random_graph(np.random.default_rng(seed), 9, 0.3) for seed in range(4)])
BASIS = BasisConfig(pairs=((-0.1, 2), (-0.5, 1)), diagonals=(0.5, -0.5))


@pytest.mark.parametrize(
    "model",
    [
        {"filter": "lin", "filter_bias": False},
        {"filter": "fixed", "channels": "shd", "coefficients": (0.5, -1.0, 2.0, 1.5, -0.25)},
    ],
)
def test_the_weight_of_every_basis_is_found(model: dict[str, Any]) -> None:
    trained = new_model(GRAPHS, BASIS, **model)
    found = explain(trained)
    table = weight_table(found)
    assert table["basis"].tolist() == [
        "identity", "(-0.1, 2)", "(-0.5, 1)", "diag(0.5)", "diag(-0.5)"
    ]  # fmt: skip
    assert table["k"].isna().tolist() == [True, False, False, True, True]
    own = trained.model.filter.linears[0].weight[0].detach().numpy()
    for draw in found.chosen:
        weights = table[f"weight {draw.channel}"]
        np.testing.assert_allclose(weights, own[:, draw.channel], rtol=1e-3, atol=1e-3)
        assert draw.constant == 0
