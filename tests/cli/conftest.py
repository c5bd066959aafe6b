"""The command line in this process, in a folder of its own, with one cache for all its tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from pdf_search.cli import app

ROOT = Path(__file__).parents[2]
Run = Callable[..., Result]
PROGRAM = [sys.executable, "-m", "pdf_search"]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def home(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder of the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PDF_SEARCH_CACHE", str(cache))
    return tmp_path


@pytest.fixture
def run(home: Path) -> Run:  # noqa: ARG001
    """Run a command and check its exit code; the result has stdout and stderr."""
    return run_here


def run_here(*words: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, [str(word) for word in words], prog_name="pdf-search")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def start(folder: Path, cache: Path, *words: object) -> subprocess.Popen[str]:
    """The program in a process, and process group, of its own."""
    return subprocess.Popen(
        [*PROGRAM, *map(str, words)],
        cwd=folder,
        env=os.environ | {"PDF_SEARCH_CACHE": str(cache), "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def refused_with(words: list[str], folder: Path) -> tuple[str, set[str]]:
    """Run a verb that is refused, in a process of its own; its errors, and what it has loaded."""
    program = (
        "import sys; from pdf_search.cli import app\n"
        f"try: app({words})\n"
        "except SystemExit as ended: print(ended.code, *sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=folder
    )
    code, *loaded = done.stdout.split()
    assert code == "2", done.stderr
    return done.stderr, set(loaded)
