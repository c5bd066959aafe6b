"""The program as a process of its own, in surroundings that are not a UTF-8 terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pdf_search.results import Store
from tests.cli.conftest import PROGRAM
from tests.reports import samples
from tests.reports import study_samples as studies

ROOT = Path(__file__).parents[2]
TITLE = "Löslichkeit_µM 50 %"
ASCII = [
    {"PYTHONIOENCODING": "ascii"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with a sweep of data whose name has letters beyond ASCII."""
    (tmp_path / "runs" / "night").mkdir(parents=True)
    with Store(str(tmp_path / "runs" / "night" / "results.db")) as store:
        definition = {"definition": {"data": {"path": f"/from/{TITLE}.csv"}}}
        record = replace(samples.sweep(), dataset="csv", space_definition=definition)
        samples.search(store, record)
        samples.confirm(store, record, (15, 3), (0.02, 0.03))
    return tmp_path


def program(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"PYTHONPATH": str(ROOT)} | variables
    command = [*PROGRAM, *words]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("variables", ASCII)
@pytest.mark.parametrize("words", ["report night", "show night", "list"])
def test_a_terminal_without_umlauts(runs: Path, words: str, variables: dict[str, str]) -> None:
    done = program(runs, *words.split(), **variables)
    assert (done.returncode, done.stdout.isascii()) == (0, True), done.stderr
    if "\\x" in done.stdout:
        assert "note: standard output knows only" in done.stderr
    if words.startswith("report"):
        assert "L\\xf6slichkeit" in done.stdout
        folder = runs / "runs" / "night" / "report"
        assert "Löslichkeit" in (folder / "table.md").read_text("utf-8")
        assert r"Löslichkeit\_µM 50 \%" in (folder / "table.tex").read_text("utf-8")


def test_json_stays_json(runs: Path) -> None:
    plain = json.loads(program(runs, "list", "--json").stdout)
    done = program(runs, "list", "--json", PYTHONIOENCODING="ascii")
    assert (json.loads(done.stdout), plain[0]["data"]) == (plain, TITLE)
    assert done.stdout.isascii()


@pytest.mark.parametrize("closed", [">&-", "2>&-", "| head -n 1", ">/dev/full"])
def test_a_stream_that_is_closed_or_full(runs: Path, closed: str) -> None:
    command = " ".join(f"'{word}'" for word in [*PROGRAM, "show", "night"])
    shell = ["bash", "-c", f"{command} {closed}"]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(shell, cwd=runs, env=env, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    if closed == "2>&-":
        assert "night" in done.stdout


@pytest.mark.parametrize("backend", ["module://matplotlib_inline.backend_inline", "nonsense"])
def test_plots_need_no_window_and_no_style_of_the_users(tmp_path: Path, backend: str) -> None:
    (tmp_path / "runs" / "paper" / "zinc").mkdir(parents=True)
    with Store(str(tmp_path / "runs" / "paper" / "zinc" / "results.db")) as store:
        rows = [studies.row("PDF", "zinc")]
        (record,) = studies.begin(store, "paper/zinc", "results", rows)
        studies.train(store, record, 0, 0.064)
    (tmp_path / "matplotlibrc").write_text("text.usetex: True\nfont.family: not-here\n")
    done = program(tmp_path, "report", "paper/zinc", MPLBACKEND=backend, DISPLAY="")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "runs" / "paper" / "zinc" / "report" / "curves.pdf").is_file()


def test_words_and_folders_that_are_no_text_are_told(tmp_path: Path) -> None:
    done = program(tmp_path, "list", "--out", "caf\udce9")
    assert (done.returncode, "not UTF-8" in done.stderr) == (2, True)
    done = program(tmp_path, "list", "--out", "café", **ASCII[1])
    assert "set LC_ALL=C.UTF-8" in done.stderr
    gone = f"cd {tmp_path}; mkdir x; cd x; rmdir ../x; {' '.join(PROGRAM)} list"
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", gone], env=env, capture_output=True, text=True, check=False
    )
    assert "error: the current folder is gone" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("option", ["--out", "--data-root"])
def test_no_home_folder_is_one_line(tmp_path: Path, option: str) -> None:
    script = (
        "import os, pwd, sys\n"
        "os.environ.pop('HOME', None); os.environ.pop('PDF_SEARCH_CACHE', None)\n"
        "pwd.getpwuid = pwd.getpwnam = lambda _: (_ for _ in ()).throw(KeyError('nobody'))\n"
        "from pdf_search.cli import main; main()"
    )
    words = ["data", "freesolv"] if option != "--out" else ["list"]
    command = [PROGRAM[0], "-c", script, *words, option, "~/x"]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "set HOME to a folder" in done.stderr or "set PDF_SEARCH_CACHE" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", ["show night", "list", "report night"])
def test_reading_results_loads_neither_torch_nor_ray(runs: Path, words: str) -> None:
    loaded = "import sys; from pdf_search.cli import app\n"
    loaded += f"try: app({words.split()})\nfinally: print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", loaded], cwd=runs, capture_output=True, text=True, check=True
    )
    modules = set(done.stdout.splitlines()[-1].split())
    assert "pdf_search.results.store" in modules
    assert not modules & {"torch", "ray", "optuna", "torch_geometric", "matplotlib", "pandas"}
