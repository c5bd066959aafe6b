"""A worker is killed, a node is lost: a real Ray cluster of two nodes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from pdf_search.records import Phase, State
from pdf_search.results.store import Store
from tests.sweep import run_cluster
from tests.sweep.conftest import write_space


@pytest.mark.ray
def test_trials_go_on_from_their_checkpoints_after_a_kill_and_a_lost_node(
    tmp_path: Path, cache: Path
) -> None:
    write_space(tmp_path)
    log = tmp_path / "log"
    here = [tmp_path / "runs", cache, tmp_path / "tiny.yaml"]
    more = {"SIMULATED_HOLD": str(tmp_path / "held"), "SIMULATED_LOG": str(log)}
    done = subprocess.run(
        [sys.executable, run_cluster.__file__, *map(str, here)],
        env=os.environ | more,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ended ''" in done.stdout
    assert done.stdout.splitlines()[-3:-1] == ["worker killed", "node killed"]
    with Store(str(tmp_path / "runs" / run_cluster.NAME / "results.db")) as store:
        trials = store.trials(run_cluster.NAME)
        curves = store.all_epochs(run_cluster.NAME, Phase.SEARCH)
    assert [trial.state for trial in trials] == [State.COMPLETE] * 4, done.stderr
    assert sum(trial.retries for trial in trials) >= 2
    for trial in trials:
        assert [report.epoch for report in curves[trial.number]] == list(range(1, 13))
    trained = Counter(tuple(line.split()[1:3]) for line in log.read_text().splitlines())
    for trial in trials:
        assert trained[(trial.config_hash, "1")] == 1  # none started over
    for said in ("its worker died", "its node was lost"):
        assert said in done.stderr
