"""Real Ray runs of the search methods beside ``tpe+asha``; the trials are simulated."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pdf_search.records import State
from pdf_search.sweep import Functions, SweepOptions, plan_sweep, run_sweep
from tests.sweep.conftest import SPACE, write_space
from tests.sweep.simulated import simulated_baseline, simulated_trial

FUNCTIONS = Functions(simulated_trial, simulated_baseline)
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
