"""Real Ray runs of the search methods beside ``tpe+asha``; the trials are simulated."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from pdf_search.records import State
from pdf_search.sweep import Functions, SweepOptions, plan_sweep, resume, run_sweep
from tests.sweep.conftest import SPACE, write_space
from tests.sweep.simulated import simulated_baseline, simulated_trial

FUNCTIONS = Functions(simulated_trial, simulated_baseline)
MEMBERS = {0: [0, 2, 4, 6, 8, 10, 12, 14, 16], 1: [1, 5, 9, 11, 15], 2: [3, 7, 13]}
RATES = "{range: [1e-3, 1e-2], log: true}"

pytestmark = [
    pytest.mark.ray,
    pytest.mark.timeout(170),
    # Ray drops the handles of the processes that it has ended.
    pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning"),
]


def test_a_grid_is_stopped_early(tmp_path: Path, cache: Path, keep_ray: Callable[[], None]) -> None:
    text = SPACE.replace(RATES, "{choice: [0.004, 0.002, 0.003]}")
    options = SweepOptions(out=tmp_path / "runs", cache=cache, method="grid+asha", top_k=1)
    plan = plan_sweep(write_space(tmp_path, text=text), options)
    keep_ray()
    result = run_sweep(plan, functions=FUNCTIONS)
    assert [trial.origin for trial in result.search] == ["listed"] + 8 * ["grid"]
    assert {trial.state for trial in result.search} == {State.COMPLETE, State.PRUNED}
    assert all(t.epochs_done in (3, 9) for t in result.search if t.state is State.PRUNED)


def test_hyperband_stops_in_brackets_and_goes_on_in_them(
    tmp_path: Path, cache: Path, keep_ray: Callable[[], None]
) -> None:
    options = SweepOptions(
        out=tmp_path / "runs", cache=cache, method="hyperband", trials=8, top_k=0, name="h"
    )
    plan = plan_sweep(write_space(tmp_path), options)
    keep_ray()
    said = StringIO()
    before = run_sweep(plan, Console(file=said), functions=FUNCTIONS).search
    assert "goes on" not in said.getvalue()
    after = resume(
        "h", tmp_path / "runs", trials=17, console=Console(file=said), functions=FUNCTIONS
    ).search
    assert "ended: 4 of 9 trials after epoch 3, 9; 2 of 5 trials after epoch 9" in said.getvalue()
    assert after[:8] == before
    own = {bracket: {after[n].epochs_done for n in numbers} for bracket, numbers in MEMBERS.items()}
    assert own[0] <= {3, 9, 12}
    assert own[1] <= {9, 12}
    assert own[2] == {12}
    assert any(trial.state is State.PRUNED for trial in after)
