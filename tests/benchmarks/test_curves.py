"""What is computed from recorded curves, against values by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from choose_portfolio import entry
from record_curves import POWER, WeightAverage, best
from replay.curve_file import Curves
from replay.portfolio import regret, worth
from replay.recipes import SETS, recipes

from pdf_search.results.smoothed import smoothed_values
from pdf_search.space.portfolio.entry import Entry


def curves(valid: Any, test: Any = None) -> Curves:
    """Curves of recipes with one seed each, [recipes, epochs], or of one."""
    made, tested = (
        np.array(x, dtype=float).reshape(-1, 1, np.shape(x)[-1])
        for x in (valid, valid if test is None else test)
    )
    return Curves("made", 1.0, made, made, tested)


def test_test_is_that_of_the_best_validation_epoch() -> None:
    assert curves([1, 3, 2], [10, 20, 30]).tested().item() == 20


def test_a_recipe_without_a_seed_has_no_value_there() -> None:
    nothing = curves([np.nan] * 3)
    assert not nothing.seeds.any()
    assert np.isnan(nothing.tested()).all()
    assert np.isnan(nothing.final()).all()


def test_smoothed_is_the_best_so_far_of_what_a_search_ranks_by() -> None:
    values = [3.0, 1.0, 5.0, 9.0, 1.0, 2.0]
    found = curves(values).smoothed[0, 0]
    assert found == pytest.approx([3, 3, 3, 5, 5, 5])  # means: 3, 2, 3, 5, 5, 4
    means = np.array(list(smoothed_values(values)), dtype=float)
    assert found == pytest.approx(np.maximum.accumulate(means))


def test_regret_is_between_the_best_and_the_median_recipe() -> None:
    made = curves([[0, 4], [2, 1], [1, 0], [0, 0]])
    assert worth(made) == pytest.approx([4, 2, 1, 0])
    assert regret(made) == pytest.approx([0, 2 / 2.5, 1, 1])


@pytest.mark.parametrize(("name", "order"), [("freesolv", [1, 0]), ("mutag", [0, 1])])
def test_recipes_are_ranked_by_the_best_epoch_of_their_mean_curve(
    name: str, order: list[int]
) -> None:
    """Recipe 0 has the mean 2 in both epochs, and one seed that reaches 1 and 3 in each."""
    values = {(0, 1): (3.0, 1.0), (0, 2): (1.0, 3.0), (1, 1): (1.9, 1.9), (1, 2): (1.9, 1.9)}
    rows = [
        {"recipe": recipe, "seed": seed, "fold": None, "epoch": epoch, "valid": value}
        for (recipe, seed), curve in values.items()
        for epoch, value in enumerate(curve, 1)
    ]
    assert best(SETS[name], rows) == order


def test_weights_are_averaged_by_a_power_of_the_epoch() -> None:
    state = {"weight": torch.zeros(1), "batches": torch.zeros(1, dtype=torch.int64)}
    groups: Any = SimpleNamespace(model_state=lambda: state)
    average = WeightAverage(groups)
    for epoch in (1, 2, 3):
        state = {"weight": torch.tensor([float(epoch)]), "batches": torch.tensor([epoch])}
        average.update(epoch)
    parts = [e ** (POWER + 1) - (e - 1) ** (POWER + 1) for e in (1, 2, 3)]
    assert average.state is not None
    assert float(average.state["weight"]) == pytest.approx(
        sum(p * e for p, e in zip(parts, (1, 2, 3), strict=True)) / sum(parts)
    )
    assert int(average.state["batches"]) == 3


def test_every_recipe_can_be_an_entry_of_the_portfolio() -> None:
    for recipe in recipes():
        made = Entry.model_validate(entry(recipe))
        assert made.eps == recipe["eps"]
        assert made.learning_rate == pytest.approx(recipe["learning_rate"], rel=0.05)
