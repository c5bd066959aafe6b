"""A real sweep in a folder with every sign in its name, as a notebook on a cluster would run it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from pdf_search.results import Store
from tests.sweep import run_in_notebook
from tests.sweep.conftest import write_space

pytestmark = pytest.mark.ray

NAME = "o d'd\"#%41?[x]*{y};&$ü:=~\\n\nnew"


def test_a_sweep_in_a_notebook_in_an_odd_place(tmp_path: Path) -> None:
    here = tmp_path / NAME
    long = here / ("long" * 30)
    long.mkdir(parents=True)
    write_space(here)
    theirs = {
        "TMPDIR": str(long),
        "RAY_ADDRESS": "127.0.0.1:9",
        "TUNE_RESULT_DIR": "/their/results",
        "http_proxy": "http://127.0.0.1:9",
        "https_proxy": "http://127.0.0.1:9",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    }
    words = [str(here / name) for name in ("runs", "cache", "tiny.yaml", "results of all.db")]
    command = shlex.join([sys.executable, run_in_notebook.__file__, *words])
    done = subprocess.run(
        ["bash", "-c", f"ulimit -n 256; {command}"],
        env=os.environ | theirs,
        cwd=here,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    states, _, said = done.stdout.partition("\n")
    assert states == str(["COMPLETE"] * 4)
    assert "too long for Ray's sockets" in " ".join(said.split())
    assert [path.name for path in tmp_path.iterdir()] == [NAME]
    assert {"runs", "cache", "results of all.db"} <= {path.name for path in here.iterdir()}
    with Store(str(here / "results of all.db"), create=False) as store:
        (trial, _) = store.trials("odd")[:2]
        assert Path(trial.checkpoint).is_relative_to(here / "runs")
