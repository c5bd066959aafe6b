from __future__ import annotations

from collections import Counter

from pdf_search.sweep.tune.brackets import (
    Brackets,
    bracket_order,
    bracket_rungs,
    bracket_words,
    brackets_reached,
)


def test_each_bracket_begins_to_stop_one_rung_later() -> None:
    assert bracket_rungs((3, 9)) == ((3, 9), (9,), ())
    assert bracket_rungs(()) == ((),)


def test_a_cycle_has_the_sizes_of_the_paper() -> None:
    # Li et al. 2018, table 1: R = 81, eta = 3.
    sizes = Counter(bracket_order(5, 3))
    assert [sizes[bracket] for bracket in range(5)] == [81, 34, 15, 8, 5]


def test_the_first_trials_have_the_shares_of_a_cycle() -> None:
    first = Counter(bracket_order(3, 3)[:8])  # of 9, 5, 3 in 17
    assert [first[bracket] for bracket in range(3)] == [4, 2, 2]


def test_trials_are_compared_within_their_bracket_alone() -> None:
    brackets = Brackets("min", (3, 9), 20, 3)
    first, second, never = (
        [n for n in range(17) if brackets.order[n] == bracket] for bracket in range(3)
    )
    assert not brackets.stops(first[0], 3, 1.0)
    assert brackets.stops(first[1], 3, 2.0)
    assert not brackets.stops(second[0], 3, 9.0)  # no rung of its bracket
    assert not brackets.stops(second[0], 9, 9.0)  # the first of its bracket
    assert brackets.stops(second[1], 9, 9.5)
    assert not any(brackets.stops(number, 9, 99.0) for number in never)
    assert brackets.seen == {3, 9}
    assert not brackets.stops(first[2] + 17, 3, 0.5)  # the next cycle


def test_the_brackets_together_keep_enough_to_confirm() -> None:
    brackets = Brackets("min", (3,), 9, 3, keep=3)
    first = [n for n in range(len(brackets.order)) if brackets.order[n] == 0]
    assert [brackets.stops(n, 3, float(v)) for n, v in zip(first[:3], (1, 2, 3), strict=True)] == [
        False,
        False,
        True,
    ]


def test_a_plan_and_a_resume_tell_the_brackets() -> None:
    assert bracket_words((3, 9), 3, 8) == (
        "brackets, in each the best 1/3 go on: 4 trials after epoch 3, 9; 2 trials after epoch 9; "
        "2 trials never stopped"
    )
    assert brackets_reached((3, 9), 3, [0, 2, 1], 8).startswith(
        "hyperband goes on in its brackets; ended: 2 of 4 trials after epoch 3, 9; "
        "1 of 2 trials after epoch 9; 0 of 2"
    )
