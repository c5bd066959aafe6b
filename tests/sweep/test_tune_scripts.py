"""A space in Ray Tune scripts of one's own: its domains, its trainable, its clones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import pytest
from ray.tune.search.sample import Categorical, Float, Integer

from pdf_search.errors import ConfigError
from pdf_search.space import load_space
from pdf_search.sweep.tune.scripts.domains import parameter_space, point
from pdf_search.sweep.tune.scripts.trainable import TRIAL, continued, trainable
from pdf_search.training import run_trial
from tests.graphs.makers import random_set
from tests.sweep import run_tune_script
from tests.training.trials import made, run, trial

CONFIG = trial(data={"name": "made"}, training={"epochs": 4})
SPACE = """
data: {name: freesolv}
basis: {eps: [-0.3], k: {low: 1, high: {range: [2, 5]}}}
model:
  hidden: {choice: [16, 32]}
  layers: {range: [2, 8], step: 3}
  dropout: {range: [0.0, 0.3], step: 0.1}
training:
  epochs: 9
  batch_size: {range: [8, 64], log: true}
  learning_rate: {range: [1e-3, 1e-2], log: true}
  weight_decay: {range: [0.0, 0.1]}
"""


@pytest.mark.parametrize("function", [parameter_space, trainable])
def test_the_name_of_a_space_is_no_space(function: Callable[[Any], Any]) -> None:
    with pytest.raises(ConfigError, match=r"space: 'zinc' does not fit: give pdf_search\.load_spa"):
        function("zinc")


def test_domains_draw_points_of_the_space(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(SPACE)
    space = load_space(str(tmp_path / "mine.yaml"))
    domains = parameter_space(space)
    kinds = {path.rpartition(".")[2]: type(domain) for path, domain in domains.items()}
    assert kinds == {
        "high": Integer,
        "hidden": Categorical,
        "layers": Categorical,
        "dropout": Categorical,
        "batch_size": Integer,
        "learning_rate": Float,
        "weight_decay": Float,
    }
    drawn = {path: {domain.sample() for _ in range(200)} for path, domain in domains.items()}
    assert drawn["model.layers"] == {2, 5, 8}
    assert drawn["basis.k.high"] == {2, 3, 4, 5}
    for values in zip(*([*seen] * 200 for seen in drawn.values()), strict=False):
        space.contains(dict(zip(drawn, values, strict=True)))


def test_a_point_has_no_value_whose_condition_does_not_hold() -> None:
    space = load_space(str(run_tune_script.EXAMPLES / "hydration.csv"))
    drawn = {path: domain.sample() for path, domain in parameter_space(space).items()}
    window = {path for path in drawn if path.startswith("basis.window.")}
    assert len(window) == 4
    assert point(space, drawn | {"basis": "window"}) == drawn | {"basis": "window"}
    without = {path: value for path, value in drawn.items() if path not in window}
    assert point(space, drawn | {"basis": "four powers"}) == without | {"basis": "four powers"}
    with pytest.raises(ConfigError, match=r"has no model\.hidden: use parameter_space"):
        point(space, {path: value for path, value in drawn.items() if path != "model.hidden"})


def test_a_clone_goes_on_with_other_rates(tmp_path: Path) -> None:
    graphs = random_set(3, 40)
    data = made(graphs, list(range(24)), list(range(24, 32)), list(range(32, 40)))
    run(CONFIG, data, folder=tmp_path, save_at=2)
    (tmp_path / TRIAL).write_text(CONFIG.model_dump_json())
    assert continued(tmp_path, CONFIG) == CONFIG
    faster = CONFIG.model_copy(
        update={"training": CONFIG.training.model_copy(update={"learning_rate": 0.5})}
    )
    found = continued(tmp_path, faster)
    assert found.at(2) == CONFIG
    assert found.at(3).training.learning_rate == 0.5
    rates: list[tuple[int, float]] = []
    run_trial(found, data, lambda e, _: rates.append((e.epoch, e.learning_rate)), tmp_path)
    assert rates == [(3, 0.5), (4, 0.5)]
    wider = CONFIG.model_copy(update={"model": CONFIG.model.model_copy(update={"hidden": 99})})
    with pytest.raises(ConfigError, match="cannot change on the way"):
        continued(tmp_path, wider)


@pytest.mark.ray
def test_scripts_run_under_schedulers_and_searchers_of_tune(tmp_path: Path) -> None:
    words = [str(tmp_path / "out"), str(tmp_path / "cache")]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", run_tune_script.__file__, *words],
        env=os.environ | {"RAY_USAGE_STATS_ENABLED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for name, found in json.loads(done.stdout.splitlines()[-1]).items():
        assert found["errors"] == [], name
        assert max(found["epochs"]) == 4, name
        assert all(0 < value < inf for value in found["values"]), name
