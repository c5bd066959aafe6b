"""The value by which the trials of a search are ranked."""

from __future__ import annotations

from math import inf, nan

import pytest

from pdf_search.records import METRICS
from pdf_search.results import best_smoothed, smoothed_words

RMSE, ACCURACY = METRICS["rmse"], METRICS["accuracy"]


def test_a_lucky_epoch_is_worth_no_more_than_its_neighbours_let_it() -> None:
    lucky, steady = [3.0, 3.0, 1.0, 3.0, 3.0], [2.2, 2.2, 2.2, 2.2, 2.2]
    assert best_smoothed(lucky, RMSE) == pytest.approx(7 / 3)
    assert best_smoothed(steady, RMSE) == pytest.approx(2.2)


def test_the_direction_is_that_of_the_metric() -> None:
    assert best_smoothed([0.1, 0.2, 0.3, 0.4], ACCURACY) == pytest.approx(0.3)
    assert best_smoothed([0.1, 0.2, 0.3, 0.4], RMSE) == pytest.approx(0.1)  # of one epoch so far


@pytest.mark.parametrize("gap", [None, nan, inf, -inf])
def test_an_epoch_without_a_value_is_passed_over(gap: float | None) -> None:
    assert best_smoothed([4.0, gap, 2.0, gap, 3.0, 1.0], RMSE) == 2.0
    assert best_smoothed([gap], RMSE) is None
    assert best_smoothed([], RMSE) is None


def test_the_words_have_as_many_epochs_as_there_are() -> None:
    assert smoothed_words(1) == "the value of the only epoch"
    assert smoothed_words(2) == "the best mean of up to two consecutive epochs"
    assert smoothed_words(40) == "the best mean of up to three consecutive epochs"
