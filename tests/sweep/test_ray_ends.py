"""Real Ray runs that end early: trials that fail alike, SIGTERM to the whole group."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from pdf_search.records import Phase, State
from pdf_search.results.store import Store
from pdf_search.sweep.tune import checkpoints
from tests.patience import PATIENCE
from tests.sweep import run_simulated
from tests.sweep.test_ray import Victim

pytestmark = [
    pytest.mark.ray,
    pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning"),
]


def test_trials_that_fail_alike_end_the_sweep_and_sigterm_interrupts_it(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = Victim(tmp_path, cache)
    monkeypatch.setenv("SIMULATED_FAILS", "1")
    monkeypatch.setenv("SIMULATED_CHECKPOINTS", "1e9")  # at rungs and at the end alone
    driver = victim.start("run", trials=8)
    out, err = driver.communicate(timeout=PATIENCE)
    assert "ended 'alike' pdf-search resume killed" in out, err
    with victim.store() as store:
        trials = store.trials(run_simulated.NAME, Phase.SEARCH)
    failed = [trial for trial in trials if trial.state is State.FAILED]
    assert 3 <= len(failed) < 8
    assert {trial.reason.partition(" version")[0] for trial in failed} == {"OSError: no library of"}
    assert all("a resume tries this trial again" in trial.message for trial in failed)

    monkeypatch.delenv("SIMULATED_FAILS")
    monkeypatch.setenv("SIMULATED_SECONDS", "1")
    driver = victim.start("resume", trials=8)
    victim.wait_for(trained)
    os.killpg(driver.pid, signal.SIGTERM)  # as a batch system does
    out, err = driver.communicate(timeout=PATIENCE)
    assert driver.returncode == 130, err
    assert "ended 'interrupted'" in out
    assert "Traceback" not in err
    assert "rpc_client" not in err  # Ray was there until the end
    with victim.store() as store:
        waiting = store.trials(run_simulated.NAME, Phase.SEARCH)
    assert not any(trial.state in (State.RUNNING, State.FAILED) for trial in waiting)
    stopped = [trial for trial in waiting if trial.state is State.INTERRUPTED]
    assert stopped
    for trial in stopped:  # their workers have saved before they ended
        saved = checkpoints.read(str(victim.out / run_simulated.NAME / trial.checkpoint))
        assert saved is not None
        assert saved.epoch == trial.epochs_done

    monkeypatch.delenv("SIMULATED_SECONDS")
    driver = victim.start("resume", trials=8)
    out, err = driver.communicate(timeout=PATIENCE)
    assert driver.returncode == 0, err
    with victim.store() as store:
        trials = store.trials(run_simulated.NAME, Phase.SEARCH)
    assert [trial.number for trial in trials] == list(range(8))
    assert trials[0].origin == "listed"
    assert all(trial.state in (State.COMPLETE, State.PRUNED) for trial in trials)


def trained(store: Store) -> bool:
    trials = store.trials(run_simulated.NAME, Phase.SEARCH)
    return any(t.state is State.RUNNING and t.epochs_done for t in trials)
