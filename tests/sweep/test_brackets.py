from __future__ import annotations

from collections import Counter

from pdf_search.sweep.tune.rules.brackets import (
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


def everyone(_number: int) -> bool:
    return True


def test_trials_are_compared_within_their_bracket_alone() -> None:
    brackets = Brackets.hyperband("min", (3, 9), 3)
    first, second, never = (
        [n for n in range(17) if brackets.order[n] == bracket] for bracket in range(3)
    )
    assert (brackets.of(first[0]).epochs, brackets.of(second[0]).epochs) == ((3, 9), (9,))
    assert brackets.of(never[0]).epochs == ()
    for number, value in zip(first[:3], (1.0, 2.0, 0.5), strict=True):
        brackets.see(number, 3, value)
    assert brackets.promotable(everyone, ended=False) == first[2]
    for number, value in zip(second[:3], (9.5, 9.0, 9.9), strict=True):
        brackets.see(number, 3, value)  # no rung of its bracket
        brackets.see(number, 9, value)
    brackets.of(first[2]).promote(first[2])
    assert brackets.promotable(everyone, ended=False) == second[1]
    brackets.see(first[0] + 17, 3, 0.1)  # the next cycle is in the same bracket
    assert next(n for _, n in brackets.of(first[0]).reached[3]) == first[0] + 17


def test_the_brackets_together_keep_enough_to_confirm() -> None:
    brackets = Brackets.hyperband("min", (3,), 3, keep=3)
    assert [rungs.keep for rungs in brackets.brackets] == [2, 2]


def test_those_left_behind_are_counted_by_bracket() -> None:
    brackets = Brackets.hyperband("min", (3,), 3)
    first = [n for n in range(len(brackets.order)) if brackets.order[n] == 0]
    for number in first:
        brackets.see(number, 3, float(number))
    go_on = len(first) // 3
    behind = [number for number, _, most in brackets.left_behind(len(brackets.order))]
    assert behind == first[go_on:]


def test_halving_alone_is_one_bracket() -> None:
    brackets = Brackets.make("asha", "min", (3, 9), 3, 2)
    assert {brackets.of(number) for number in range(5)} == {brackets.brackets[0]}
    assert (brackets.of(4).epochs, brackets.of(4).keep) == ((3, 9), 2)


def test_a_plan_and_a_resume_tell_the_brackets() -> None:
    assert bracket_words((3, 9), 3, 8) == (
        "brackets, in each the best 1/3 go on: 4 trials after epoch 3, 9; 2 trials after epoch 9; "
        "2 trials never stopped"
    )
    assert brackets_reached((3, 9), 3, [0, 2, 1], 8).startswith(
        "hyperband goes on in its brackets; ended: 2 of 4 trials after epoch 3, 9; "
        "1 of 2 trials after epoch 9; 0 of 2"
    )
