from __future__ import annotations

from math import inf, isinf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdf_search.sweep.tune.rungs import Rungs, cutoff, milestones


def test_rungs_lie_below_the_budget() -> None:
    assert milestones(3, 20, 3) == (3, 9)
    assert milestones(3, 9, 3) == (3,)
    assert milestones(20, 20, 3) == ()


def test_first_trial_passes_and_a_worse_one_stops() -> None:
    rungs = Rungs("min", 3, 20, 3)
    assert not rungs.stops(0, 3, 1.0)
    assert rungs.stops(1, 3, 2.0)
    assert not rungs.stops(2, 3, 0.5)


def test_higher_is_better_in_mode_max() -> None:
    rungs = Rungs("max", 3, 20, 3)
    assert not rungs.stops(0, 3, 0.7)
    assert rungs.stops(1, 3, 0.6)
    assert not rungs.stops(2, 3, 0.8)


def test_only_the_rungs_epochs_count() -> None:
    rungs = Rungs("min", 3, 20, 3)
    rungs.stops(0, 3, 1.0)
    assert not any(rungs.stops(1, epoch, 99.0) for epoch in (1, 2, 4, 8, 10, 20))


@pytest.mark.parametrize("value", [nan, inf, -inf, None])
def test_a_value_that_is_not_finite_is_worst_and_no_cutoff(value: float | None) -> None:
    rungs = Rungs("min", 3, 20, 3)
    assert not rungs.stops(0, 3, value)  # nothing to compare with
    assert not rungs.stops(1, 3, 5.0)  # and not a cut-off for others
    assert rungs.stops(2, 3, value)
    assert rungs.stops(3, 3, 6.0)
    assert not rungs.stops(4, 3, 4.0)


def test_a_trial_is_judged_once_at_a_rung() -> None:
    rungs = Rungs("min", 3, 20, 3)
    rungs.stops(0, 3, 1.0)
    rungs.record(1, 3, 2.0)
    assert not rungs.stops(1, 3, 2.0)


def test_recorded_results_decide_as_if_seen() -> None:
    seen, rebuilt = Rungs("min", 3, 20, 3), Rungs("min", 3, 20, 3)
    for number, value in enumerate([1.0, 2.0, 1.5, 0.7]):
        seen.stops(number, 3, value)
        rebuilt.record(number, 3, value)
    for value in (0.6, 0.9, 1.1, 3.0):
        trial = Rungs("min", 3, 20, 3)
        trial.seen = {3: dict(rebuilt.seen[3]), 9: {}}
        other = Rungs("min", 3, 20, 3)
        other.seen = {3: dict(seen.seen[3]), 9: {}}
        assert trial.stops(9, 3, value) == other.stops(9, 3, value)


def test_the_best_few_go_on_in_any_case() -> None:
    rungs = Rungs("min", 3, 20, 3, keep=3)
    assert [rungs.stops(n, 3, v) for n, v in enumerate([1.0, 2.0, 3.0, 4.0, 2.5, 0.5])] == [
        False,
        False,
        False,
        True,
        False,
        False,
    ]
    assert rungs.stops(6, 3, nan)


@given(st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(-inf)), max_size=20))
def test_a_cutoff_is_finite_and_between_the_finite_rewards(rewards: list[float]) -> None:
    limit = cutoff(rewards, 3)
    finite = [r for r in rewards if not isinf(r)]
    if limit is None:
        assert not rewards or len(finite) < len(rewards)
    else:
        assert min(finite) <= limit <= max(finite)
