"""A warning is an error where our own code causes it, and no library's word reaches a user."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pdf_search.imports import OURS

ROOT = Path(__file__).parents[1]

# Stands for any library: announces while imported, warns its caller, and uses another's old name.
LIBRARY = """
import warnings
import older
warnings.warn("goes with the next version", FutureWarning)
warnings.warn("was renamed", DeprecationWarning)
warnings.warn("a package beside it is old", UserWarning)
warnings.warn("binary sizes differ", RuntimeWarning)

def old_name():
    warnings.warn("call new_name", FutureWarning, stacklevel=2)

def at_work():
    older.old_name()
"""
OLDER = """
import warnings
def old_name():
    warnings.warn("call new_name", DeprecationWarning, stacklevel=2)
"""
OUR_MODULE = """
import warnings
import numpy as np
import library

def warns():
    warnings.warn("we say so", UserWarning)

def calls_an_old_name():
    library.old_name()

def means_nothing():
    np.mean([])

def uses_the_library():
    library.at_work()
"""
TESTS = """
import gc
import {ours} as ours

def test_fails_ours(): ours.warns()
def test_fails_old_name(): ours.calls_an_old_name()
def test_fails_numbers(): ours.means_nothing()
def test_fails_old_name_called_by_a_test():
    import library
    library.old_name()
def test_fails_left_open(tmp_path):
    (tmp_path / "file").open("w")
    gc.collect()
def test_passes_import(): import library
def test_passes_at_work(): ours.uses_the_library()
"""


@pytest.mark.parametrize("package", ["pdf_search", "reports", "search_spaces", "tests"])
def test_warnings_are_errors_where_our_code_causes_them(tmp_path: Path, package: str) -> None:
    """pytest, with this project's settings, on a library and a package of ours made here."""
    for name, text in (("library", LIBRARY), ("older", OLDER)):
        (tmp_path / f"{name}.py").write_text(text)
    for folder in {package, "tests"}:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    (tmp_path / package / "ours.py").write_text(OUR_MODULE)
    (tmp_path / "tests" / "test_them.py").write_text(TESTS.format(ours=f"{package}.ours"))
    words = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path), "-p", "no:xdist"]
    words += ["--basetemp", str(tmp_path / "temp")]  # not among the folders of other runs
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, "-rA", "-p", "no:cacheprovider", "tests"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    ends = dict(re.findall(r"^(?:PASSED|FAILED) .*::(test_(passes|fails)\w*)", done.stdout, re.M))
    results = re.findall(r"^(PASSED|FAILED) \S*::test_(passes|fails)", done.stdout, re.M)
    assert len(ends) == len(results) == 7, done.stdout + done.stderr
    assert {("FAILED", "fails"), ("PASSED", "passes")} == set(results), done.stdout


def test_our_modules_by_name() -> None:
    for name in (
        "pdf_search",
        "pdf_search.data.prepared.cache",
        "reports.pages.html",
        "search_spaces",
    ):
        assert re.match(OURS, name)
    for name in ("torch", "pdf_search_extras", "reportsx"):
        assert not re.match(OURS, name)


LOUD = "import warnings; warnings.simplefilter('always')\n"


def screen(program: str, folder: Path) -> str:
    """What a program that shows every warning writes to standard error."""
    done = subprocess.run(
        [sys.executable, "-c", LOUD + program],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_importing_our_modules_shows_no_announcement(tmp_path: Path) -> None:
    program = (
        "import pdf_search, pdf_search.model.gin\n"
        "from pdf_search.data.raw.download import _pyg\n"
        "from pdf_search.data.raw.ogb_package import import_ogb\n"
        "_pyg(), import_ogb('ogb.graphproppred')\n"
    )
    assert "torch.jit" not in screen(program, tmp_path)


def test_a_plot_backend_that_is_not_installed_hinders_no_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MPLBACKEND", "module://a_notebooks.backend_inline")
    program = (
        "import os, pdf_search.training.metrics\n"
        "from pdf_search.imports import known_backend\n"
        "with known_backend(): import reports.studies.plots\n"
        "assert os.environ['MPLBACKEND'] == 'module://a_notebooks.backend_inline'\n"
    )
    screen(program, tmp_path)
    monkeypatch.setenv("MPLBACKEND", "module://json.decoder")  # is there: not ours to change
    screen(
        "import pdf_search.training.metrics, matplotlib as m\n"
        "assert m.rcParams['backend'] == 'module://json.decoder'\n",
        tmp_path,
    )


GIN = ["--set", "model.architecture=gin", "--set", "model.dropout=0.0"]
RUN = "from pdf_search.cli import main\nimport sys\nsys.argv[1:] = {words}\nmain()\n"


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["data", "freesolv"],
        ["doctor"],
        ["train", "freesolv", "--epochs", "1", *GIN],
    ],
    ids=lambda words: words[0],
)
def test_a_verb_shows_no_announcement(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PDF_SEARCH_CACHE", str(tmp_path / "cache"))
    assert "Warning" not in screen(RUN.format(words=words), tmp_path)
