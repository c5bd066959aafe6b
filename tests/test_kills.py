"""A tenth of ``benchmarks/kills.py``: drivers are killed, and nothing is lost or doubled."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "kills.py"


def test_a_killed_sweep_loses_nothing_and_decides_as_one_that_was_not(tmp_path: Path) -> None:
    words = ["--kills", "20", "--each", "1", "--methods", "tpe+asha", "--json", tmp_path / "rows"]
    done = subprocess.run(
        [sys.executable, SCRIPT, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads((tmp_path / "rows").read_text())
    assert [row["killed"] for row in rows if row["kills"] < 1 + 19 * (row is rows[0])] == []
    assert sum(row["wrong"] for row in rows) == 0
