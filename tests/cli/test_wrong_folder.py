"""A verb given the folder of something else says what it is, and which verb reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdf_search.space import load_space
from tests.cli.conftest import Run
from tests.sweep.helpers import study_in, sweep_in

RUN = "a single run of `pdf-search train`"


@pytest.fixture
def runs(home: Path) -> Path:
    """A run of train, a sweep, a study of two parts, prepared data, and a folder of none of them.

    The run is recognised by the files that ``RunFolder`` writes.
    """
    space = load_space("freesolv")
    sweep_in(home / "runs" / "sweep", space)
    study_in(home / "runs" / "paper" / "abl", space)
    for file in ("runs/one/config.yaml", "runs/one/curve.csv", "set/meta.json", "notes/a.txt"):
        (home / file).parent.mkdir(exist_ok=True)
        (home / file).write_text("")
    return home / "runs"


def said(run: Run, *words: object, code: int = 1) -> str:
    return " ".join(run(*words, code=code).stderr.split())


@pytest.mark.parametrize("verb", ["show", "report", "resume", "confirm", "rerun"])
@pytest.mark.parametrize("given", ["one", "./runs/one"])
def test_a_run_of_train_is_no_sweep(run: Run, runs: Path, verb: str, given: str) -> None:
    number = ["0"] if verb == "rerun" else []
    error = said(run, verb, given, *number)
    assert f"no sweep in {runs / 'one'}: it is {RUN}: `pdf-search predict` and `explain`" in error
    assert "curve.csv" in error


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ("paper", "it is a folder of sweeps: name one of abl"),
        ("./runs", "it is a folder of sweeps: name one of paper/abl, sweep"),
        ("./set", "it is a folder of prepared data, which `pdf-search data --list` lists"),
        ("./notes", "the folder has no results.db: name the folder that a sweep wrote"),
        ("./notes/a.txt", "it is a file"),
        ("absent", "beside it are one, paper/abl, sweep; check the name and --out"),
        ("x" * 300, "beside it are one, paper/abl, sweep; check the name and --out"),
    ],
)
def test_other_places_are_no_sweep(run: Run, runs: Path, given: str, what: str) -> None:
    place = runs.parent / given if given.startswith("./") else runs / given
    assert f"no sweep in {place}: {what}" in said(run, "show", given)


@pytest.mark.parametrize(
    "words", [["predict", "absent", "a.csv"], ["explain", "absent"], ["explain", "x" * 300]]
)
def test_what_is_there_is_named_where_there_is_no_model(
    run: Run, runs: Path, words: list[str]
) -> None:
    place = runs / words[1]
    error = said(run, *words, code=2)
    assert f"no sweep and no trained model in {place}: beside it are one, paper/abl" in error


def test_list_names_runs_of_train(run: Run, runs: Path) -> None:
    listed = run("list")
    assert "sweep" in listed.stdout
    assert "one" not in listed.stdout
    assert "runs of `pdf-search train`, for `explain` and `predict`: one" in listed.stderr
    assert f"it is {RUN}" in said(run, "list", "--out", runs / "one", code=0)
    inside = said(run, "list", "--out", "runs/sweep", code=0)
    assert "runs/sweep is the folder of a sweep: `pdf-search show runs/sweep`" in inside


def test_no_sweep_begins_in_a_run_of_train(run: Run, runs: Path) -> None:
    size = ["--trials", 1, "--epochs", 1, "--gpus-per-trial", 0]
    error = said(run, "sweep", "freesolv", "--name", "one", *size, code=2)
    assert f"{runs / 'one'} is {RUN}: give another --name" in error
    assert not (runs / "one" / "results.db").exists()


def test_train_does_not_go_on_with_a_sweep(run: Run, runs: Path) -> None:
    error = said(run, "train", "freesolv", "--name", "sweep", "--resume", code=2)
    assert f"no run of `pdf-search train` in {runs / 'sweep'}" in error
    assert "a sweep goes on with: pdf-search resume sweep" in error
    taken = said(run, "train", "freesolv", "--name", "sweep", code=2)
    assert f"{runs / 'sweep'} exists: give another --name" in taken
    assert "--resume, or give another" in said(run, "train", "freesolv", "--name", "one", code=2)


@pytest.mark.parametrize("verb", ["confirm", "rerun"])
@pytest.mark.parametrize("given", ["paper/abl", "paper/abl/zinc/split"])
@pytest.mark.usefixtures("runs")
def test_a_study_only_goes_on(run: Run, verb: str, given: str) -> None:
    error = said(run, verb, given, *(["0"] if verb == "rerun" else []), code=2)
    what = "part of a study" if given.endswith("split") else "a study"
    assert f"{given} is {what}, whose runs are fixed: only `pdf-search resume paper/abl`" in error


@pytest.mark.usefixtures("runs")
def test_a_study_has_parts_with_trials(run: Run) -> None:
    error = said(run, "show", "paper/abl/zinc")
    assert "recorded as" not in error  # it has its own name still
    error = said(run, "explain", "paper/abl", "--trial", 0, code=2)
    parts = "paper/abl/zinc/split, paper/abl/zinc/inner"
    assert f"is a study: name one of its parts ({parts}) and one of its runs" in error


@pytest.mark.usefixtures("runs")
def test_a_folder_is_no_space_and_no_study(run: Run) -> None:
    assert "runs/sweep is a folder" in said(run, "plan", "runs/sweep", code=2)
    assert "goes on with `pdf-search resume`" in said(run, "study", "paper/abl", code=2)
