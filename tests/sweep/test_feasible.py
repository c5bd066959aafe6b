"""Limits that nothing meets: how close the space comes. Spaces whose points run out: the plan."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pdf_search.errors import ConfigError
from pdf_search.space import Space
from pdf_search.space.limits import Limit, count_parameters
from pdf_search.sweep import SweepOptions, plan_sweep
from pdf_search.sweep.samplers.check_limits import check_limits
from pdf_search.sweep.samplers.closest import Closest, Search
from pdf_search.sweep.samplers.counting import count_configurations
from pdf_search.sweep.samplers.methods import find_method
from pdf_search.sweep.samplers.trial_builder import TrialBuilder, random_points
from tests.sweep.conftest import SPACE, write_space
from tests.sweep.helpers import SHAPE

FINITE = """
data: {name: freesolv}
budget: {trials: 12, epochs: 2}
basis:
  choice:
    few: {eps: [-0.3], k: 2}
    window:
      eps:
        low: {range: [-0.5, -0.1], step: 0.2}
        high: {range: [-0.5, -0.1], step: 0.2}
        step: 0.2
      k: {low: 1, high: {range: [2, 3]}}
model:
  hidden: {choice: [32, 8, 16]}
  layers: {range: [2, 3]}
  filter: {choice: [2l, lin]}
  channels: {choice: [idp, shd]}
  filter_norm: {choice: [true, false]}
training: {epochs: 4}
"""
WIDE = FINITE.replace("hidden: {choice: [32, 8, 16]}", "hidden: {range: [7, 700]}")


def space_of(folder: Path, text: str, *limits: str) -> Space:
    return write_space(folder, text=text + f"limits: [{', '.join(limits)}]\n" if limits else text)


def build(space: Space) -> TrialBuilder:
    return TrialBuilder(space, 0, 2, 2, 1, "cpu")


def counts(space: Space) -> list[int]:
    search = build(space).search
    return [count_parameters(search(point), SHAPE) for point in space.grid()]


def refusal(space: Space, method: str = "random") -> str:
    with pytest.raises(ConfigError) as caught:
        check_limits(space, find_method(method), SHAPE, build(space).search)
    return str(caught.value)


def closest(space: Space, text: str) -> Closest:
    search = Search(space, Limit.parse(text), SHAPE, build(space).search)
    return search.closest(random_points(space, 20))


def test_the_smallest_count_of_a_small_space_is_exact(tmp_path: Path) -> None:
    space = space_of(tmp_path, FINITE, "parameters <= 100")
    smallest = min(counts(space))
    assert f"the smallest parameters that the space reaches is {smallest:,}, at " in refusal(space)
    found = closest(space, "parameters <= 100")
    assert found.exact
    assert found.setting["model.hidden"] == 8
    point = {**random_points(space, 1)[0], **found.setting}
    point = {path: point[path] for path in found.setting}
    assert count_parameters(build(space).search(point), SHAPE) == smallest
    assert "training.learning_rate" not in found.setting


def test_so_is_the_largest(tmp_path: Path) -> None:
    space = space_of(tmp_path, FINITE, "parameters >= 1_000_000")
    largest = max(counts(space))
    assert f"the largest parameters that the space reaches is {largest:,}, at " in refusal(space)


def test_a_large_space_is_searched(tmp_path: Path) -> None:
    small = FINITE.replace("hidden: {choice: [32, 8, 16]}", "hidden: 7")
    smallest = min(counts(space_of(tmp_path, small)))
    space = space_of(tmp_path, WIDE, "parameters <= 100")
    assert f"the smallest parameters found is {smallest:,}, at " in refusal(space)


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("model.hidden * model.layers <= 10", "model.hidden * model.layers that the space reach"),
        ("model.hidden * model.layers <= 10", "is 16, at model.hidden = 8, model.layers = 2"),
        ("basis.size <= 1", "the smallest basis.size that the space reaches is 2, at basis = few."),
        ("basis.size >= 50", "the largest basis.size that the space reaches is 10, at basis = win"),
        ("model.hidden == 20", "the closest that the space reaches is model.hidden = 16"),
        (
            "5 <= model.layers <= 7",
            "the closest that the space reaches is model.layers = 3, at model.layers = 3.",
        ),
        ("not model.layers <= 3", "the closest that the space reaches is model.layers = 3"),
        ("model.readout == 'sum'", "the closest that the space reaches is model.readout = mean"),
        ("model.hidden < 8 or model.layers < 2", "the closest that the space reaches is model.hid"),
    ],
)
def test_other_limits(tmp_path: Path, limit: str, said: str) -> None:
    assert said in refusal(space_of(tmp_path, FINITE, limit))


def test_a_setting_that_must_be_zero_is_the_end_of_its_range(tmp_path: Path) -> None:
    text = FINITE.replace("model:\n", "model:\n  dropout: {range: [0.2, 0.6]}\n")
    space = space_of(tmp_path, text, "model.dropout <= 0.1")
    said = "the smallest model.dropout found is 0.2, at model.dropout = 0.2"
    assert said in refusal(space)


def test_limits_that_exclude_each_other(tmp_path: Path) -> None:
    space = space_of(tmp_path, FINITE, "model.hidden <= 8", "model.hidden >= 32")
    assert "each limit can be met, all together hardly: " in refusal(space)


def test_a_grid_is_refused_with_the_same_words(tmp_path: Path) -> None:
    space = space_of(tmp_path, FINITE, "parameters <= 100")
    assert f"is {min(counts(space)):,}, at" in refusal(space, "grid")


def test_configurations_are_counted_once_and_within_limits(tmp_path: Path) -> None:
    space = space_of(tmp_path, FINITE, "model.hidden <= 16")
    search = build(space).search
    hashes = {
        search(point).content_hash() for point in space.grid() if search(point).model.hidden <= 16
    }
    assert len(hashes) < (space.size() or 0) * 2 / 3  # a window's ends come in either order
    assert count_configurations(space, SHAPE, search, 5) == len(hashes)


def test_a_large_or_continuous_space_is_not_counted(tmp_path: Path) -> None:
    wide = space_of(tmp_path, WIDE)
    assert count_configurations(wide, SHAPE, build(wide).search, 30) is None
    endless = write_space(tmp_path)
    assert count_configurations(endless, SHAPE, build(endless).search, 30) is None


@pytest.mark.parametrize("method", ["tpe", "random", "grid"])
def test_the_plan_says_that_the_points_run_out(tmp_path: Path, cache: Path, method: str) -> None:
    text = SPACE.replace("{range: [1e-3, 1e-2], log: true}", "{choice: [0.002, 0.004]}")
    space = write_space(tmp_path, text=text)
    options = SweepOptions(out=tmp_path / "runs", cache=cache, trials=12, method=method)
    plan = plan_sweep(space, options)
    said = "\n".join(plan.lines())
    assert (plan.trials, plan.configurations) == (6, 6)
    assert "6 different configurations within the limits" in said
    assert "6 trials instead of 12" in said
    assert re.search("search +6 trials of up to 12 epochs", said)
    plan = plan_sweep(space, SweepOptions(out=tmp_path, cache=cache, trials=12, repeat=True))
    assert (plan.trials, plan.configurations) == (12, 6)
    plan = plan_sweep(space, SweepOptions(out=tmp_path, cache=cache, trials=4))
    assert (plan.trials, plan.configurations, plan.notes) == (4, 6, ())


def test_a_grid_has_as_many_trials_as_different_configurations(tmp_path: Path, cache: Path) -> None:
    text = SPACE.replace("{range: [1e-3, 1e-2], log: true}", "{choice: [0.002, 0.004]}")
    options = SweepOptions(out=tmp_path / "runs", cache=cache, method="grid")
    plan = plan_sweep(write_space(tmp_path, text=text), options)
    assert (plan.trials, plan.notes) == (6, ())
