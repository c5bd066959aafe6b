"""The bench of the search methods: replays on curves made by hand, and the curves on file."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from replay.curve_file import CURVES, Curves, read_curves  # noqa: E402
from replay.figures import Anytime, Sight, loss, random_full, random_promoting  # noqa: E402
from replay.portfolio import choose  # noqa: E402
from replay.proposals import portfolio_first  # noqa: E402
from replay.recipes import EPOCHS, RECIPES, SETS, configure, recipes  # noqa: E402
from replay.searches import Full, Promoting, Replay, Stopping, in_order  # noqa: E402


def flat(*levels: float) -> np.ndarray:
    """Curves that reach their level at once, [recipes, epochs]."""
    return np.repeat(np.array(levels)[:, None], EPOCHS, axis=1)


def made(*levels: float, seeds: int = 3) -> Curves:
    valid = np.repeat(flat(*levels)[:, None], seeds, axis=1)
    return Curves("made", 1.0, valid, valid, valid / 2)


def ends(replay: Replay) -> tuple[list[int], int]:
    """The epochs of each trial and of all."""
    spent = [step.spent for step in replay.steps()][-1]
    return [epoch for _, epoch in replay.trials.values()], spent


def test_trials_in_full_cost_all_their_epochs() -> None:
    assert ends(Replay(flat(1, 2, 3), in_order([0, 1, 2]), Full())) == ([40, 40, 40], 120)


def test_a_stopped_trial_ends_for_good_and_a_promoted_one_goes_on() -> None:
    judged = flat(4, 6, 5, 2, 1, 3)
    order = list(range(6))
    assert ends(Replay(judged, in_order(order), Stopping((6,), keep=1))) == (
        [40, 40, 6, 6, 6, 6],
        104,
    )
    # The better half of six: trials 1, 2 and 0.
    assert ends(Replay(judged, in_order(order), Promoting((6,), keep=1))) == (
        [40, 40, 40, 6, 6, 6],
        138,
    )


def test_what_a_rule_loses() -> None:
    late = np.stack([np.concatenate([np.zeros(20), np.full(20, level)]) for level in range(1, 10)])
    late[0] = 0.5  # ahead at the rung, worst at the end
    curves = Curves("late", 1.0, late[:, None].repeat(3, 1), late[:, None], late[:, None])
    found = loss(curves, lambda: Promoting((6,), keep=1), seeds=20, trials=9)
    # Of four that go on, or five where a half was full early, one is the bad one.
    assert 0.3 < found.lost < 1
    assert (9 * 6 + 4 * 34) / (9 * 40) <= found.epochs < (9 * 6 + 5 * 34) / (9 * 40)
    whole = loss(curves, Full, seeds=5, trials=9)
    assert (whole.lost, whole.regret, whole.epochs) == (0, 0, 1)


def test_worth_is_of_the_seeds_that_were_not_seen() -> None:
    valid = np.stack([flat(1.0, 5.0), flat(2.0, 7.0), flat(6.0, 9.0)], axis=1)
    curves = Curves("made", 1.0, valid, valid, valid)
    for seed in range(5):
        sight = Sight.of(curves, np.random.default_rng(seed))
        seen = sight.judged[:, 0]
        assert np.allclose(sight.worth, (valid[:, :, 0].sum(1) - seen) / 2)


def test_the_pick_after_so_many_epochs() -> None:
    curves = made(*range(RECIPES))
    plain = Anytime.of(curves, random_full, seeds=20)
    assert np.isnan(plain.worth[:, 0]).all()  # two workers: the first two trials end together
    assert (plain.worth[:, -1] == RECIPES - 1).all()
    assert (plain.tested[:, -1] == (RECIPES - 1) / 2).all()
    assert (np.diff(plain.worth[:, 1:], axis=1) >= 0).all()
    quick = Anytime.of(curves, random_promoting((6, 18)), seeds=20)
    target = plain.worth[:, 31].mean()
    assert quick.epochs_to(target) < plain.epochs_to(target) * 0.6


def test_a_portfolio_serves_every_set() -> None:
    first, second = made(9, 6, 0, 0, 1), made(0, 6, 9, 0, 1)
    assert choose([first, second], 3)[0] == 1  # good on both
    assert set(choose([first, second], 3)) == {0, 1, 2}
    assert portfolio_first([4, 2, 0], [0, 1, 2, 3, 4], 5) == [4, 0, 1, 2, 3]


def test_every_recipe_is_a_trial_of_every_set() -> None:
    for bench in SETS.values():
        for recipe in recipes():
            config = configure(recipe, bench, (1, 2))
            assert config.training.epochs == EPOCHS
            assert config.model.hidden <= 64


@pytest.mark.parametrize("path", sorted(CURVES.glob("*.parquet")), ids=lambda path: path.stem)
def test_curves_on_file_are_whole(path: Path) -> None:
    curves = read_curves(path.stem)
    assert curves.valid.shape == (RECIPES, 5, EPOCHS)
    assert (curves.seeds.sum(1) >= 3).all()
    assert (curves.seeds.sum(1) == 5).sum() == 12
    assert path.stat().st_size < 1_000_000
