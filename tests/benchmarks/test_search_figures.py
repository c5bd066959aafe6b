"""The tables and the plot of ``search.py``, against values by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from replay.curve_file import Curves
from replay.figures import GRID, Anytime, Loss
from replay.recipes import EPOCHS, RECIPES
from search import (
    DEFAULT,
    RANDOM,
    _loss_row,
    _row,
    fallen_behind,
    figures,
    losses,
    methods,
    plot,
)

RISING = np.arange(1.0, len(GRID) + 1)


def anytime(*worth: Any) -> Anytime:
    """What a method found with so many sampler seeds; its test is a hundred times as good."""
    return Anytime(np.array(worth), 100 * np.array(worth))


def made(name: str, sign: float) -> Curves:
    source = np.random.default_rng(0)
    valid = sign * source.uniform(1, 2, size=(RECIPES, 3, EPOCHS))
    return Curves(name, sign, valid, valid, valid)


def test_a_method_is_told_by_what_random_search_needs() -> None:
    found = {
        ("made", RANDOM): anytime(RISING, RISING),
        ("made", "quick"): anytime(2 * RISING - 1, 2 * RISING + 1),
    }
    row = _row(made("made", -1.0), "quick", found)
    # Random search has 32 after 32 trials in full; the method's mean is there after 16.
    assert (row["epochs to 32 random"], row["times fewer"]) == (640.0, 2.0)
    assert row["worth at 640 epochs"] == -32.0  # of an error, whose rewards are negative
    assert row["standard error"] == pytest.approx(1.0)  # of 31 and 33
    assert (row["test"], row["seeds"]) == (-3200.0, 2)


def rows(name: str, plain: float, own: float, epochs: float) -> list[dict[str, Any]]:
    return [
        {"set": name, "method": RANDOM, "worth at 640 epochs": plain, "epochs to 32 random": 1280},
        {"set": name, "method": DEFAULT, "worth at 640 epochs": own, "epochs to 32 random": epochs},
    ]


def test_the_figures_on_file() -> None:
    sets = [made("errors", -1.0), made("accuracies", 1.0)]
    known = rows("errors", 1.2, 1.0, 400.0) + rows("accuracies", 0.9, 0.8, 800.0)
    lost = [
        _loss_row("stopped", "mean", Loss(0.9, 0.9, 0.9)),
        _loss_row("promoted at (6,)", "errors", Loss(0.8, 0.8, 0.8)),
        _loss_row("promoted at (6,)", "mean", Loss(0.1, 0.02, 0.3)),
    ]
    assert figures(sets, known, lost) == {
        "sets": 2,
        "times_fewer_epochs": pytest.approx(1280 / 600),  # the harmonic mean of 3.2 and 1.6
        "sets_better": 0.5,
        "lost": 0.1,
        "regret": 0.02,
        "share_of_epochs": 0.3,
    }


def test_a_figure_may_fall_within_its_slack_only() -> None:
    old = {"sets": 2, "times_fewer_epochs": 2.0, "sets_better": 1.0, "lost": 0.1, "regret": 0.1}
    slack = {"sets": 2, "times_fewer_epochs": 1.8, "sets_better": 1.0, "lost": 0.11, "regret": 0.1}
    assert fallen_behind(slack, old) == []
    worse = {"sets": 2, "times_fewer_epochs": 1.7, "sets_better": 0.5, "lost": 0.12, "regret": 0.1}
    behind = [line.split(":")[0] for line in fallen_behind(worse, old)]
    assert behind == ["times_fewer_epochs", "sets_better", "lost"]
    assert fallen_behind(worse | {"sets": 1}, old) == []  # of other sets


def test_every_rule_has_a_row_a_set_and_their_mean() -> None:
    sets = [made("one", 1.0), made("two", -1.0)]
    found = losses(sets, seeds=2)
    assert [row["set"] for row in found] == ["one", "two", "mean"] * 3
    one, two, mean = found[-3:]
    for name in ("best of 16 lost", "regret", "share of epochs"):
        assert mean[name] == pytest.approx((one[name] + two[name]) / 2)


def test_the_plot_has_the_standard_error_of_the_seeds_that_have_a_pick() -> None:
    worth = np.stack([RISING, RISING + 2, RISING + 4])
    worth[0, 0] = np.nan
    curves = made("made", -1.0)
    found = {("made", name): Anytime(worth, worth) for name in methods(())}
    figure = plot([curves], found)
    assert [trace.name for trace in figure.data] == list(methods(()))
    line = figure.data[0]
    assert line.y[:2] == pytest.approx([-4.0, -4.0])  # of 3 and 5; of 2, 4 and 6
    assert line.error_y.array[:2] == pytest.approx([1.0, 2 / 3**0.5])
