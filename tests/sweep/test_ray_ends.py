"""Real Ray runs that end early: trials that fail alike, SIGTERM to the whole group."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from pdf_search.records import Phase, State
from tests.sweep import run_simulated
from tests.sweep.simulated import hold
from tests.sweep.test_ray import Victim, in_the_middle

pytestmark = [
    pytest.mark.ray,
    pytest.mark.timeout(300),
    pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning"),
]


def test_trials_that_fail_alike_end_the_sweep_and_sigterm_interrupts_it(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = Victim(tmp_path, cache)
    monkeypatch.setenv("SIMULATED_FAILS", "1")
    driver = victim.start("run", trials=8)
    out, err = driver.communicate(timeout=120)
    assert "ended 'alike' pdf-search resume killed" in out, err
    with victim.store() as store:
        trials = store.trials(run_simulated.NAME, Phase.SEARCH)
    failed = [trial for trial in trials if trial.state is State.FAILED]
    assert 3 <= len(failed) < 8
    assert {trial.reason.partition(" version")[0] for trial in failed} == {"OSError: no library of"}
    assert all("a resume tries this trial again" in trial.message for trial in failed)

    monkeypatch.delenv("SIMULATED_FAILS")
    with hold(victim.held, Phase.SEARCH):
        driver = victim.start("resume", trials=8)
        victim.wait_for(in_the_middle)
        os.killpg(driver.pid, signal.SIGTERM)  # as a batch system does
        out, err = driver.communicate(timeout=60)
    assert driver.returncode == 130, err
    assert "ended 'interrupted'" in out
    assert "Traceback" not in err
    assert "rpc_client" not in err  # Ray was there until the end
    with victim.store() as store:
        waiting = store.trials(run_simulated.NAME, Phase.SEARCH)
    assert not any(trial.state in (State.RUNNING, State.FAILED) for trial in waiting)
    assert any(trial.state is State.INTERRUPTED for trial in waiting)

    driver = victim.start("resume", trials=8)
    out, err = driver.communicate(timeout=120)
    assert driver.returncode == 0, err
    with victim.store() as store:
        trials = store.trials(run_simulated.NAME, Phase.SEARCH)
    assert [trial.number for trial in trials] == list(range(8))
    assert trials[0].origin == "listed"
    assert all(trial.state in (State.COMPLETE, State.PRUNED) for trial in trials)
