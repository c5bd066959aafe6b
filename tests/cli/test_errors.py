"""Errors are one message on standard error and a true exit code; bugs are not hidden."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pdf_search.cli import app
from tests.cli.conftest import PROGRAM, Run


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("plan freesolf", 2, "did you mean freesolv?"),
        ("plan freesolv --method tpe+ash", 2, "Did you mean tpe+asha?"),
        ("plan freesolv --metric rsme", 2, "did you mean rmse?"),
        ("plan freesolv --metric test_rmse", 2, "the test split is not for search"),
        ("plan freesolv --gpus-per-trial 2", 2, "a trial computes on one GPU"),
        ("plan freesolv --set model.hiden=3", 2, "did you mean hidden?"),
        ("plan freesolv --name a/b", 2, "--name 'a/b'"),
        ("plan freesolv --db mysql://u@h/d", 2, "not supported"),
        ("plan freesolv --db ://bad", 2, "database URL cannot be read"),
        ("data frsolv", 1, "did you mean freesolv"),
        ("data nothere.csv", 1, "no file"),
        ("data freesolv --set model.hidden=3", 2, "unknown path; known: data, data.feat"),
        ("data freesolv --set data.tsak=regression", 2, "tsak"),
        ("report nothing", 1, "no sweep in"),
        ("show nothing", 1, "no sweep in"),
        ("resume nothing", 1, "no sweep in"),
        ("confirm nothing", 1, "no sweep in"),
        ("rerun nothing 0", 1, "no sweep in"),
        ("train freesolv --resume", 2, "--resume needs the --name"),
        ("train freesolv --name ../x", 2, "--name '../x': use letters, digits"),
        ("train freesolv --resume --name x", 2, "x: leave out --resume to begin one"),
    ],
)
def test_message_and_code(run: Run, command: str, code: int, message: str) -> None:
    result = run(*command.split(), code=code)
    assert message in " ".join(result.stderr.split())
    assert "error: " in result.stderr
    assert "Traceback" not in result.stderr
    assert not result.stdout


@pytest.mark.parametrize(
    "command",
    [
        "list",
        "show x",
        "plan freesolv",
        "train freesolv",
        "study paper/zinc --dry-run",
        "predict x new.csv",
        "delete x --yes",
    ],
)
@pytest.mark.parametrize("out", ["file", "file/below"])
def test_a_file_in_place_of_the_folder_of_sweeps(
    run: Run, home: Path, command: str, out: str
) -> None:
    (home / "file").touch()
    result = run(*command.split(), "--out", out, code=2)
    wanted = f"--out {out}: {home / 'file'} is a file: name a folder, in which each sweep or run"
    assert wanted in result.stderr


@pytest.mark.parametrize(
    "command",
    [
        "nonsense",
        "sweep",
        "sweep freesolv --nonsense 3",
        "sweep freesolv --trials 0",
        "sweep freesolv --time soon",
        "rerun a b",
    ],
)
def test_usage_is_two(run: Run, command: str) -> None:
    result = run(*command.split(), code=2)
    assert "Usage" in result.stderr


def test_a_failed_command_leaves_nothing(run: Run, home: Path) -> None:
    run("sweep", "freesolv", "--method", "nonsense", code=2)
    run("resume", "nothing", code=1)
    run("train", "freesolv", "--set", "model.hidden=-1", code=2)
    assert not list(home.iterdir())


def test_a_bug_shows_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("pdf_search.space.space_names", broken)
    result = CliRunner().invoke(app, ["spaces"])
    assert isinstance(result.exception, ZeroDivisionError)


def test_no_traceback_from_the_program(tmp_path: Path) -> None:
    done = subprocess.run(
        [*PROGRAM, "report", "nothing"], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: no sweep in")
    assert "Traceback" not in done.stderr
