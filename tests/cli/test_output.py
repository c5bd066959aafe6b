"""What verbs print for programs: strict JSON of records, paths and numbers."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest

from pdf_search.cli.output import print_json, print_table, terminal_width
from pdf_search.records import State
from tests.results import samples


def test_json_of_records_paths_and_numbers_is_strict(capsys: pytest.CaptureFixture[str]) -> None:
    trial = replace(samples.trial(0, state=State.PRUNED), seconds=nan, peak_mb=np.float64(2.5))
    print_json({"trial": trial, "files": (Path("a/ö.csv"),), 3: [inf, -0.5, None, True]})
    printed = capsys.readouterr().out
    assert "ö" in printed
    found = json.loads(printed, parse_constant=pytest.fail)
    assert (found["files"], found["3"]) == (["a/ö.csv"], [None, -0.5, None, True])
    shown = found["trial"]
    assert (shown["state"], shown["phase"], shown["number"]) == ("PRUNED", "search", 0)
    assert (shown["seconds"], shown["peak_mb"]) == (None, 2.5)
    assert shown["replicates"][0] == {"seed": 0, "fold": None}
    assert shown["config"] == trial.config


TABLE = """\
# a: test RMSE

| method | test RMSE |
|---|---|
| ours \\[a] | **1.28 ± 0.11** |
| theirs \\<u> | <u>1.30 ± 0.10</u> |
"""


def test_a_narrow_terminal_folds_a_table_and_loses_no_letter(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "24")
    print_table("| method | parameters |\n|---|---|\n| one | 12345678901234567890 |\n")
    drawn = re.sub("\x1b\\[[0-9;]*m", "", capsys.readouterr().out)  # without bold
    last = [line.split()[-1] for line in drawn.split("\n") if line.split()]
    assert "12345678901234567890" in "".join(last)
    assert max(map(len, last)) < 24


@pytest.mark.parametrize(("tty", "width"), [(True, 60), (False, None)])
def test_only_a_terminal_has_a_width(
    monkeypatch: pytest.MonkeyPatch, tty: bool, width: int | None
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: tty)
    monkeypatch.setenv("COLUMNS", "60")
    assert terminal_width() == width


def test_a_table_is_drawn_on_a_terminal_and_markdown_elsewhere(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    print_table(TABLE)
    assert capsys.readouterr().out == TABLE
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    print_table(TABLE)
    drawn = capsys.readouterr().out
    assert "ours [a]" in drawn
    assert "theirs <u>" in drawn
    assert "\033[1m1.28 ± 0.11\033[0m" in drawn  # bold
    assert "\033[4m1.30 ± 0.10\033[0m" in drawn  # underlined
    assert "|" not in drawn
