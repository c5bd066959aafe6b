"""Studies on a real Ray: all parts in one session, a kill in the middle, a real training."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console

from pdf_search.records import Phase, State
from pdf_search.results.store import Store
from pdf_search.space import load_study
from pdf_search.sweep import Functions, SweepOptions, plan_study, resume, run_sweep
from tests.patience import PATIENCE
from tests.sweep import run_simulated_study
from tests.sweep.simulated import FAILS, hold, simulated_trial
from tests.sweep.test_study_log import write_study

pytestmark = [
    pytest.mark.ray,
    # Ray drops the handles of the processes that it has ended.
    pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning"),
]
PARTS = ("small/freesolv/split", "small/freesolv/inner")


def test_all_parts_run_and_the_table_is_told_of_every_end(
    tmp_path: Path, cache: Path, keep_ray: Callable[[], None]
) -> None:
    study = load_study(write_study(tmp_path, FAILS))
    plan = plan_study(study, SweepOptions(out=tmp_path / "runs", cache=cache))
    seen: list[Counter[State]] = []

    def look(store: Store) -> None:
        trials = [trial for part in PARTS for trial in store.trials(part)]
        seen.append(Counter(trial.state for trial in trials))

    quiet = Console(quiet=True)
    keep_ray()
    result = run_sweep(plan, quiet, functions=Functions(simulated_trial, on_finished=look))
    assert result.ended == ""
    assert [trial.state for trial in result.confirm] == [State.COMPLETE, State.FAILED] * 2
    assert result.confirm[1].message == "ValueError: boom in epoch 3"
    assert len(seen) == 5
    assert seen[0] == {State.NOT_STARTED: 4}
    assert [sum(c[s] for s in State if s.finished) for c in seen] == [0, 1, 2, 3, 4]
    assert sorted(path.name for path in plan.folder.path.glob("*.parquet")) == [
        "predictions-freesolv-inner.parquet",
        "predictions-freesolv-split.parquet",
    ]
    again = resume("small", tmp_path / "runs", console=quiet, functions=Functions(simulated_trial))
    assert [trial.state for trial in again.confirm] == [State.COMPLETE, State.FAILED] * 2
    assert again.confirm[0] == result.confirm[0]
    assert again.confirm[1].ended >= result.confirm[1].ended


class Victim:
    """A driver in a process of its own."""

    def __init__(self, tmp_path: Path, cache: Path) -> None:
        self.out = tmp_path / "runs"
        self.log = tmp_path / "log"
        self.held = tmp_path / "held"
        self.words = [str(self.out), str(cache), write_study(tmp_path)]

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, run_simulated_study.__file__, *self.words],
            env=os.environ | {"SIMULATED_HOLD": str(self.held), "SIMULATED_LOG": str(self.log)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def store(self) -> Store:
        return Store(f"sqlite:///{self.out / 'small' / 'results.db'}")

    def wait_for(self, ready: Callable[[Store], bool]) -> None:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            time.sleep(0.1)
            if (self.out / "small" / "results.db").is_file():
                with self.store() as store:
                    if len(store.sweeps()) == len(PARTS) and ready(store):
                        return
        raise AssertionError("the driver did not come this far")


def in_the_middle(store: Store) -> bool:
    trials = [trial for part in PARTS for trial in store.trials(part)]
    running = [trial for trial in trials if trial.state is State.RUNNING]
    return any(t.state.finished for t in trials) and any(t.checkpoint for t in running)


def test_a_killed_study_goes_on_when_the_command_is_given_again(
    tmp_path: Path, cache: Path
) -> None:
    victim = Victim(tmp_path, cache)
    with hold(victim.held, Phase.CONFIRM):
        driver = victim.start()
        victim.wait_for(in_the_middle)
        driver.kill()
        driver.communicate()
    with victim.store() as store:
        before = {(t.sweep, t.number): t for part in PARTS for t in store.trials(part)}
    driver = victim.start()
    out, err = driver.communicate(timeout=PATIENCE)
    assert driver.returncode == 0, err
    assert "ended ''" in out
    with victim.store() as store:
        trials = [trial for part in PARTS for trial in store.trials(part)]
        curves = {part: store.all_epochs(part, Phase.CONFIRM) for part in PARTS}
    assert [trial.state for trial in trials] == [State.COMPLETE] * 4
    for trial in trials:
        assert [r.epoch for r in curves[trial.sweep][trial.number]] == [1, 2, 3, 4]
        old = before[trial.sweep, trial.number]
        if old.state.finished:
            assert trial == old
    trained = Counter(tuple(line.split()[1:3]) for line in victim.log.read_text().splitlines())
    kept = [t for t in before.values() if t.checkpoint and not t.state.finished]
    assert kept
    assert all(trained[t.config_hash, "1"] == 1 for t in kept)


def test_two_rows_of_the_ablation_train_for_real(
    tmp_path: Path, cache: Path, excerpts: Path
) -> None:
    study = load_study(
        "paper/ablation",
        ["data.train_fraction=0.5", "model.hidden=8", "model.layers=1"],
        ["shd-(Lap, Lin),idp-((eps, k), 2L) sparse"],
        epochs=1,
        seeds=2,
    )
    options = SweepOptions(
        out=tmp_path, cache=cache, data_root=excerpts, gpus_per_trial=0.0, concurrent=1
    )
    result = run_sweep(plan_study(study, options), Console(quiet=True))
    assert [trial.origin for trial in result.confirm] == [
        "study: shd-(Lap, Lin)",
        "study: idp-((eps, k), 2L) sparse",
    ]
    assert {trial.state for trial in result.confirm} == {State.COMPLETE}
    assert [len(trial.replicates) for trial in result.confirm] == [2, 2]
    folder = tmp_path / "paper" / "ablation"
    with Store(f"sqlite:///{folder / 'results.db'}", create=False) as store:
        (epoch,) = store.epochs("paper/ablation", Phase.CONFIRM, 1)
    assert all(r.valid is not None and r.test is not None for r in epoch.replicates)
    assert set(pd.read_parquet(folder / "predictions.parquet")["trial"]) == {0, 1}
