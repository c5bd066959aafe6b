"""Real Ray runs of simulated trials: states, a kill and an interrupt in the middle, time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import optuna
import pandas as pd
import pytest

from pdf_search.records import Phase, State
from pdf_search.results.store import Store
from pdf_search.space import Space
from pdf_search.sweep import Functions, SweepOptions, confirm, plan_sweep, rerun, run_sweep
from pdf_search.sweep.tune import checkpoints
from tests.patience import PATIENCE
from tests.sweep import run_simulated
from tests.sweep.conftest import SPACE, write_space
from tests.sweep.simulated import hold, simulated_baseline, simulated_trial

GONE = 60.0  # seconds after a driver's end in which Ray's processes end
FUNCTIONS = Functions(simulated_trial, simulated_baseline)

pytestmark = [
    pytest.mark.ray,
    # Ray drops the handles of the processes that it has ended.
    pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning"),
]


def options(tmp_path: Path, cache: Path, **more: object) -> SweepOptions:
    return SweepOptions(out=tmp_path / "runs", cache=cache, **more)  # type: ignore[arg-type]


def test_a_sweep_ends_with_true_states_and_confirmed_winners(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, keep_ray: Callable[[], None]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SIMULATED_LOG", str(tmp_path / "log"))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    for name in ("reports.py", "torch.py", "typing.py"):  # a user's own files, in the way
        (tmp_path / name).write_text("raise SystemExit('the wrong module')\n")
    point = "  - {model.hidden: 32, training.learning_rate: 0.004, training.batch_size: %d}\n"
    points = point % 17 + point % 18  # one fails, one diverges, whatever the sampler draws
    space = write_space(tmp_path, "[16, 17, 18]", SPACE.replace("basis:", f"{points}basis:"))
    plan = plan_sweep(space, options(tmp_path, cache, trials=14, method="tpe+asha"))
    keep_ray()
    result = run_sweep(plan, functions=FUNCTIONS)

    assert result.ended == ""
    assert [trial.number for trial in result.search] == list(range(14))
    states = Counter(trial.state for trial in result.search)
    assert set(states) == {State.COMPLETE, State.PRUNED, State.DIVERGED, State.FAILED}
    for trial in result.search:
        size = trial.config["training"]["batch_size"]
        if trial.state is State.COMPLETE:
            assert (trial.epochs_done, size) == (12, 16)
        if trial.state is State.PRUNED:
            assert trial.epochs_done in (3, 7)
            assert trial.message.startswith("number ")
        if trial.state is State.FAILED:
            assert (size, trial.message) == (17, "ValueError: boom in epoch 3")
        if trial.state is State.DIVERGED:
            assert (size, trial.message) == (18, "train_loss is nan")
    assert [t.origin for t in result.confirm][-1] == "baseline"
    assert [t.state for t in result.confirm] == [State.COMPLETE] * 3
    assert all(t.config["seeds"] == [1, 2, 3] for t in result.confirm)
    predictions = pd.read_parquet(plan.folder.predictions)
    assert sorted(predictions["trial"]) == [0, 1]
    log = (tmp_path / "log").read_text().splitlines()
    assert all(line.endswith("gpus=''") for line in log)
    workers = {line.split()[3] for line in log if line.startswith("search")}
    assert len(workers) <= 3  # fourteen trials in reused workers
    said = (plan.folder.path / "sweep.log").read_text()
    assert "ValueError: boom in epoch 3" in said.partition("Traceback (most recent call")[2]
    told = optuna.load_study(study_name=plan.name, storage=f"sqlite:///{plan.folder.database}")
    ends = Counter(t.user_attrs["state"] for t in told.trials if "state" in t.user_attrs)
    assert ends == Counter(state.value for state in states.elements())

    again = confirm(plan.name, tmp_path / "runs", top_k=3, functions=FUNCTIONS)
    assert [t.origin for t in again.confirm].count("baseline") == 1
    # The search kept its best two to the end, and any that was among them when it was taken on.
    kept = min(states[State.COMPLETE], 3)
    assert len(again.confirm) == kept + 1
    short = [message for message in again.messages if "confirmed instead of 3" in message]
    assert len(short) == (kept == 2)


def test_time_ends_a_sweep_and_a_trial_can_be_run_again(
    tmp_path: Path,
    cache: Path,
    space: Space,
    monkeypatch: pytest.MonkeyPatch,
    keep_ray: Callable[[], None],
) -> None:
    monkeypatch.setenv("SIMULATED_SECONDS", "0.3")
    keep_ray()
    storage = f"file://{tmp_path / 'elsewhere'}"
    more = {"trials": 50, "name": "timed", "time": 12.0, "storage": storage}
    plan = plan_sweep(space, options(tmp_path, cache, **more))
    result = run_sweep(plan, functions=FUNCTIONS)
    assert result.ended == "time"
    assert result.how_to_resume.startswith("pdf-search resume timed --out")
    assert 0 < len(result.search) < 50
    assert not result.confirm
    waiting = [t for t in result.search if not t.state.finished]
    assert all(t.state in (State.NOT_STARTED, State.PAUSED, State.INTERRUPTED) for t in waiting)
    told = {State.PAUSED: "waits after epoch"}
    assert all(told.get(t.state, "pdf-search resume timed") in t.message for t in waiting)

    again = rerun("timed", 0, out=tmp_path / "runs", functions=FUNCTIONS)
    assert again.search[-1].origin == "rerun of 0"
    assert again.search[-1].state is State.COMPLETE
    assert again.search[-1].config_hash == again.search[0].config_hash
    assert again.search[-1].checkpoint.startswith(f"{storage}/timed/search/")
    saved = checkpoints.read(again.search[-1].checkpoint)
    assert saved is not None
    assert saved.epoch == 12


class Victim:
    """A driver in a process of its own."""

    def __init__(self, tmp_path: Path, cache: Path) -> None:
        self.out = tmp_path / "runs"
        self.cache = cache
        self.log = tmp_path / "log"
        self.held = tmp_path / "held"
        write_space(tmp_path)
        self.space = tmp_path / "tiny.yaml"

    def start(self, verb: str, trials: int) -> subprocess.Popen[str]:
        places = [str(self.out), str(self.cache), str(self.space)]
        return subprocess.Popen(
            [sys.executable, run_simulated.__file__, verb, *places, str(trials)],
            env=os.environ | {"SIMULATED_HOLD": str(self.held), "SIMULATED_LOG": str(self.log)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def wait_till_gone(self) -> None:
        """Wait until none of the processes is left that were started with this log."""
        until = time.monotonic() + GONE
        while left := processes_with(f"SIMULATED_LOG={self.log}"):
            assert time.monotonic() < until, left
            time.sleep(0.2)

    def store(self) -> Store:
        return Store(f"sqlite:///{self.out / run_simulated.NAME / 'results.db'}")

    def wait_for(self, ready: Callable[[Store], bool]) -> None:
        database = self.out / run_simulated.NAME / "results.db"
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            time.sleep(0.1)
            if database.is_file():
                with self.store() as store:
                    if store.sweeps() and ready(store):
                        return
        raise AssertionError("the driver did not come this far")


def processes_with(variable: str) -> list[str]:
    """The command lines of all processes with this variable in their environment."""
    found = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            dead = "State:\tZ" in (folder / "status").read_text()
            if variable.encode() in (folder / "environ").read_bytes() and not dead:
                found.append((folder / "cmdline").read_text().replace("\0", " "))
    return found


def in_the_middle(store: Store) -> bool:
    trials = store.trials(run_simulated.NAME, Phase.SEARCH)
    running = [t for t in trials if t.state is State.RUNNING and t.epochs_done >= 2]
    return any(t.state is State.PAUSED for t in trials) and any(t.checkpoint for t in running)


def confirming(store: Store) -> bool:
    return any(t.epochs_done >= 2 for t in store.trials(run_simulated.NAME, Phase.CONFIRM))


def test_a_killed_and_interrupted_sweep_loses_nothing_and_counts_nothing_twice(
    tmp_path: Path, cache: Path
) -> None:
    victim = Victim(tmp_path, cache)
    with hold(victim.held, Phase.SEARCH):
        driver = victim.start("run", trials=8)
        victim.wait_for(in_the_middle)
        driver.kill()
        driver.communicate()
        victim.wait_till_gone()
    with victim.store() as store:
        before = {t.number: t for t in store.trials(run_simulated.NAME, Phase.SEARCH)}

    with hold(victim.held, Phase.CONFIRM):
        driver = victim.start("resume", trials=10)
        victim.wait_for(confirming)
        os.killpg(driver.pid, signal.SIGINT)  # as a terminal does: Ray's processes get it too
        out, err = driver.communicate(timeout=PATIENCE)
    assert driver.returncode == 130, err
    victim.wait_till_gone()
    assert f"ended 'interrupted' pdf-search resume {run_simulated.NAME} --out" in out
    assert "Traceback" not in err
    with victim.store() as store:
        waiting = store.trials(run_simulated.NAME, Phase.CONFIRM)[:2]
    assert not any(t.state is State.RUNNING for t in waiting)
    assert any("interrupted" in t.message for t in waiting)

    driver = victim.start("resume", trials=10)
    out, err = driver.communicate(timeout=PATIENCE)
    assert driver.returncode == 0, err
    assert "ended ''" in out

    with victim.store() as store:
        trials = store.trials(run_simulated.NAME, Phase.SEARCH)
        curves = store.all_epochs(run_simulated.NAME, Phase.SEARCH)
        confirmed = store.trials(run_simulated.NAME, Phase.CONFIRM)
        confirmed_curves = store.all_epochs(run_simulated.NAME, Phase.CONFIRM)
    assert [t.number for t in trials] == list(range(10))
    assert len({t.config_hash for t in trials}) == 10
    assert all(t.state in (State.COMPLETE, State.PRUNED) for t in trials)
    for trial in trials:
        epochs = [report.epoch for report in curves[trial.number]]
        assert epochs == list(range(1, trial.epochs_done + 1))
    for number, old in before.items():
        assert trials[number].config_hash == old.config_hash
        if old.state.finished:
            assert trials[number] == old
    assert [t.state for t in confirmed] == [State.COMPLETE] * 3
    for trial in confirmed[:2]:
        assert [r.epoch for r in confirmed_curves[trial.number]] == list(range(1, 13))
    _check_work_was_kept(victim, before, trials)
    study = optuna.load_study(
        study_name=run_simulated.NAME,
        storage=f"sqlite:///{victim.out / run_simulated.NAME / 'results.db'}",
    )
    assert sorted(t.user_attrs["trial"] for t in study.trials if "state" in t.user_attrs) == list(
        range(10)
    )


def _check_work_was_kept(victim: Victim, before: dict, trials: list) -> None:  # type: ignore[type-arg]
    """A trial that had a checkpoint went on from it: its first epoch was trained once."""
    trained = Counter(tuple(line.split()[1:3]) for line in victim.log.read_text().splitlines())
    kept = [t for t in before.values() if not t.state.finished and t.checkpoint]
    assert kept
    for trial in kept:
        assert trained[(trials[trial.number].config_hash, "1")] == 1
