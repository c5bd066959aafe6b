"""The command that an ended sweep prints: ready to paste, without a password."""

from __future__ import annotations

import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pdf_search.cli.ending import unfinished
from pdf_search.sweep.driver import SweepResult
from pdf_search.sweep.folder import SweepFolder


def result(ended: str, **options: Any) -> SweepResult:
    folder = SweepFolder.of(options.get("out", Path("runs")), "night", options.get("db"))
    plan = SimpleNamespace(name="night", folder=folder, trials=50)
    return SweepResult(cast(Any, plan), cast(Any, ended), [], [], ())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, ["pdf-search", "resume", "night"]),
        (
            {"out": Path("my runs")},
            ["pdf-search", "resume", "night", "--out", str(Path("my runs").resolve())],
        ),
        ({"db": "/data/a b.db"}, ["pdf-search", "resume", "night", "--db", "/data/a b.db"]),
    ],
)
def test_words_survive_the_shell(options: dict[str, Any], words: list[str]) -> None:
    assert shlex.split(result("interrupted", **options).how_to_resume) == words


def test_a_password_is_masked() -> None:
    command = result("time", db="postgresql+psycopg://ann:secret@host/results").how_to_resume
    assert "secret" not in command
    assert "ann:***@host/results" in command


def test_a_finished_sweep_has_nothing_to_resume() -> None:
    assert result("").how_to_resume == ""


def test_a_time_limit_says_that_the_sweep_is_not_finished() -> None:
    assert unfinished(result("time")) == (
        "sweep night is not finished: stopped by --time with 0 of 50 search trials ended; "
        "go on with: pdf-search resume night"
    )
