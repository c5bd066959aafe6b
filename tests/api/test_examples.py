"""The examples run, and do what they say."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_network_of_ones_own_learns(capsys: pytest.CaptureFixture[str]) -> None:
    assert example("own_network").main() > 0.8
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "240 graphs, 10 bases, 30 epochs"  # identity, and 3 eps of 3 k
    assert [line.split("  ")[0] for line in lines[1:]] == [f"epoch {i}/30" for i in range(1, 31)]


@pytest.mark.ray
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("python_api", ["COMPLETE", "Model(", "report.html", "element Si"]),
        ("tune_script", ["best of 4: RMSE", "'model.hidden'"]),
    ],
)
def test_a_script_runs(name: str, said: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(EXAMPLES / f"{name}.py"), str(tmp_path / "runs")],
        cwd=tmp_path,
        env=os.environ
        | {
            "PDF_SEARCH_CACHE": str(tmp_path / "cache"),
            "RAY_ADDRESS": "local",  # not a cluster that happens to run here
            "RAY_USAGE_STATS_ENABLED": "0",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for words in said:
        assert words in done.stdout
    if name == "tune_script":  # nothing of Ray's own
        assert done.stderr == ""
        assert len(done.stdout.splitlines()) == 2
