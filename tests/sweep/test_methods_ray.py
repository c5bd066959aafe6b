"""Real Ray runs of the search methods beside ``tpe+asha``; the trials are simulated."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from pdf_search.config import TrialConfig
from pdf_search.records import Phase, State
from pdf_search.sweep import Functions, SweepOptions, plan_sweep, resume, run_sweep
from tests.sweep.conftest import SPACE, write_space
from tests.sweep.simulated import simulated_baseline, simulated_trial

FUNCTIONS = Functions(simulated_trial, simulated_baseline)
MEMBERS = {0: [0, 3, 6, 9, 10, 13, 16], 1: [1, 4, 7, 11, 14], 2: [2, 5, 8, 12, 15]}
RATES = "{range: [1e-3, 1e-2], log: true}"

pytestmark = [
    pytest.mark.ray,
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
    assert all(t.epochs_done in plan.rungs for t in result.search if t.state is State.PRUNED)


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
    assert "ended: 3 of 7 trials after epoch 3, 7; 3 of 5 trials after epoch 7" in said.getvalue()
    assert after[:8] == before
    own = {bracket: {after[n].epochs_done for n in numbers} for bracket, numbers in MEMBERS.items()}
    assert own[0] <= {3, 7, 12}
    assert own[1] <= {7, 12}
    assert own[2] == {12}
    assert any(trial.state is State.PRUNED for trial in after)


PBT_SPACE = SPACE.replace("layers: 2}", "layers: 2, dropout: {choice: [0.0, 0.1]}}").replace(
    "  - model.hidden: 32\n", "  - model.hidden: 32\n    model.dropout: 0.0\n"
)


def test_a_population_goes_on_from_its_best_and_is_confirmed_with_its_schedule(
    tmp_path: Path, cache: Path, keep_ray: Callable[[], None]
) -> None:
    options = SweepOptions(
        out=tmp_path / "runs",
        cache=cache,
        method="pbt",
        trials=4,
        epochs=9,
        top_k=1,
        seeds=1,
        name="p",
    )
    plan = plan_sweep(write_space(tmp_path, text=PBT_SPACE), options)
    assert "after epoch 3, 6 the worst 1 of 4 go on from the best 1" in "\n".join(plan.lines())
    keep_ray()
    said = StringIO()
    result = run_sweep(plan, Console(file=said, width=200), functions=FUNCTIONS)
    assert {trial.state for trial in result.search} == {State.COMPLETE}
    told = [(p["epoch"], t.number) for t in result.search for p in t.perturbations or ()]
    assert sorted(epoch for epoch, _ in told) == [3, 6]
    for epoch, number in told:
        assert f"epoch {epoch}: trial {number} goes on from trial" in said.getvalue()
    with plan.folder.open_store() as store:
        curves = store.all_epochs("p", Phase.SEARCH)
    for trial in result.search:
        assert [report.epoch for report in curves[trial.number]] == list(range(1, 10))
        config = TrialConfig.model_validate(trial.config)
        for report in curves[trial.number]:  # an epoch before an exploit is the trial's own
            if report.epoch > max((p["epoch"] for p in trial.perturbations or ()), default=0):
                assert report.learning_rate == config.at(report.epoch).training.learning_rate
    again = result.confirm[0]
    winner = result.search[int(again.origin.removeprefix("confirm of "))]
    assert again.config["training"]["changes"] == winner.config["training"]["changes"]
    kept = {path.parent.name for path in plan.folder.path.glob("trials/search/*/checkpoint_*")}
    assert len(kept) == 4  # the last of each, and nothing in between

    longer = resume(
        "p", tmp_path / "runs", trials=5, top_k=0, console=Console(file=said), functions=FUNCTIONS
    )
    assert "pbt goes on from the perturbation after epoch 6, 2 of 2" in said.getvalue()
    assert longer.search[:4] == result.search
    assert (longer.search[4].state, longer.search[4].epochs_done) == (State.COMPLETE, 9)
