"""Every metric: its direction, its unit, and a ranking that follows it and never a test value."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan

import pytest

from pdf_search.records import METRICS, Phase
from pdf_search.results import rank_trials, summarise
from tests.results.samples import curve, sweep, trial

DIRECTIONS = {"mae": "min", "rmse": "min", "accuracy": "max", "rocauc": "max", "ap": "max"}
PERCENT = {"accuracy", "rocauc", "ap"}


def test_the_table_of_metrics() -> None:
    assert {name: metric.mode for name, metric in METRICS.items()} == DIRECTIONS
    assert {name for name, metric in METRICS.items() if metric.percent} == PERCENT
    assert all(metric.name == name for name, metric in METRICS.items())


@pytest.mark.parametrize("name", METRICS)
def test_better(name: str) -> None:
    better = METRICS[name].better
    assert better(0.25, 0.75) is (DIRECTIONS[name] == "min")
    assert better(0.75, 0.25) is (DIRECTIONS[name] == "max")
    assert not better(0.5, 0.5)
    for broken in (nan, inf, -inf):
        assert not better(broken, 0.5)
        assert not better(broken, None)
        assert better(0.5, broken)
    assert better(0.5, None)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("phase", list(Phase))
def test_ranking_follows_validation_and_never_test(name: str, phase: Phase) -> None:
    """Test values in the opposite order, in a confirmation and slipped into a search."""
    valid, test = [0.2, 0.6, 0.4], [0.7, 0.3, 0.5]
    pairs = []
    for number in range(3):
        record = trial(number, phase)
        epochs = curve([[valid[number]]] * 3, [[test[number]]] * 3)
        summary = summarise(sweep(metric=name), record, epochs)
        pairs.append((record, replace(summary, test=(test[number],), last_test=(test[number],))))
    ranked = [record.number for record, _ in rank_trials(METRICS[name], pairs)]
    assert ranked == ([0, 2, 1] if DIRECTIONS[name] == "min" else [1, 2, 0])


def test_a_search_optimises_the_mean_validation_value_of_the_replicates() -> None:
    (report,) = curve([[0.2, None, 0.6]], [[9.0, 9.0, 9.0]])
    assert report.valid == pytest.approx(0.4)
    assert curve([[None, None]], [[9.0, 9.0]])[0].valid is None
