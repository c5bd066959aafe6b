"""The program starts quickly and imports nothing heavy before a verb needs it."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import PROGRAM, Run, refused_with
from tests.cli.test_train import SMALL

VERBS = (
    "quickstart data spaces plan train sweep confirm resume rerun report list show explain predict "
    "doctor delete cache compare watch dashboard"
)
OPTIONS = (
    "--name --trials --epochs --method --seed --data-root --out --db --cpus-per-trial "
    "--gpus-per-trial --concurrent --address --storage --time --set"
)
HEAVY = ("torch", "ray", "optuna", "pandas", "plotly", "numpy", "sqlalchemy", "rdkit", "ogb")
OF_SWEEPS = ("pdf_search.sweep", "ray.", "optuna.")


def processor_seconds(*command: str) -> float:
    """Seconds of a processor, as the clock counts what else runs here too."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def test_help_within_half_a_second(run: Run) -> None:
    """Or, on a slow machine, within twice what the library needs to write any help."""
    ours, library = [], []
    for _ in range(5):
        ours.append(processor_seconds(*PROGRAM, "--help"))
        library.append(processor_seconds(sys.executable, "-c", "import typer.rich_utils"))
        if min(ours) < 0.5:
            break
    assert min(ours) < max(0.5, 2 * min(library))
    shown = run("--help").output
    for verb in VERBS.split():
        assert verb in shown


def test_import_is_light() -> None:
    program = "import sys, pdf_search.cli; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    loaded = set(done.stdout.split())
    assert "pdf_search.cli.app" in loaded
    assert not loaded.intersection(HEAVY)


@pytest.mark.parametrize("verb", VERBS.split())
def test_each_verb_has_help(run: Run, verb: str) -> None:
    assert f"pdf-search {verb}" in run(verb, "--help").output


def test_common_options(run: Run) -> None:
    shown = run("sweep", "--help").output
    for option in OPTIONS.split():
        assert option in shown


def test_version(run: Run) -> None:
    assert run("--version").stdout.startswith("pdf-search 0.")


@pytest.mark.parametrize(
    "words",
    [
        "sweep freesolv --name a/b",
        "sweep freesolv --method nonsense",
        "sweep freesolv --gpus-per-trial 2",
        "sweep freesolv --db mysql://host/db",
        "sweep freesolv --out README",
        "sweep nonsense",
        "sweep freesolv --set model.hiden=3",
        "resume x --time 0",
        "train freesolv --name a/b",
        "train freesolv --device nonsense",
        "study paper/zinc --name a/b",
        "study paper/zinc --device nonsense",
        "explain nonsense",
    ],
)
def test_a_mistake_in_an_option_is_found_before_the_heavy_imports(home: Path, words: str) -> None:
    (home / "README").touch()
    _, loaded = refused_with(words.split(), home)
    assert not {"torch", "ray", "optuna"}.intersection(loaded)


def test_a_single_run_imports_nothing_of_sweeps(home: Path) -> None:
    """Train a run, continue it, predict with it and explain it, in a process of its own."""
    (home / "new.csv").write_text("smiles\nCCO\n")
    verbs = [
        ["train", "freesolv", *SMALL, "--epochs", "1", "--name", "one"],
        ["train", "freesolv", *SMALL, "--epochs", "2", "--name", "one", "--resume"],
        ["predict", "one", "--csv", "new.csv"],
        ["explain", "one"],
    ]
    program = (
        "import sys; from pdf_search.cli import app\n"
        f"for words in {verbs}: app(words, standalone_mode=False)\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=home
    )
    assert not done.returncode, done.stderr
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "torch" in loaded
    assert not {name for name in loaded if name.startswith(OF_SWEEPS)}
