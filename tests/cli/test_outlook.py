"""What cannot be split or judged is noted by ``data`` in the words with which a plan refuses it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run

ALKANES = ["C" * count for count in range(1, 41)]
NUMBERS = [f"{i / 7:.3f}" for i in range(40)]
TOO_FEW = "for a split of 80:10:10; 10 is the least"


def write(home: Path, smiles: list[str], *columns: list[str]) -> list[str]:
    names = ["y", "z"][: len(columns)]
    rows = [",".join(row) for row in zip(smiles, *columns, strict=False)]
    (home / "m.csv").write_text("\n".join([",".join(["smiles", *names]), *rows, ""]))
    return ["--set", f"data.targets=[{','.join(names)}]"]


def notes(run: Run, home: Path, *sets: str) -> list[str]:
    found: list[str] = json.loads(run("data", home / "m.csv", *sets, "--json").stdout)["notes"]
    text = run("data", home / "m.csv", *sets).stdout
    assert [line for line in text.splitlines() if line.startswith("note: ")] == [
        f"note: {note}" for note in found
    ]
    return found


@pytest.mark.parametrize(
    ("smiles", "column", "said"),
    [
        (ALKANES[:9], NUMBERS, f"9 graphs are too few {TOO_FEW}"),
        (ALKANES[:1], NUMBERS, f"1 graph is too few {TOO_FEW}"),
        (
            ["CCO", "OCC"] * 5,
            NUMBERS,
            f"1 molecule (of 10 rows; data.split_by: row deals out rows) is too few {TOO_FEW}",
        ),
        (ALKANES, ["1", "2.5"] + [""] * 38, f"2 graphs are too few {TOO_FEW}"),
        (ALKANES, ["1"] + ["0"] * 39, "the valid part (4 graphs) has no task with graphs of both"),
    ],
)
def test_a_file_that_a_plan_refuses(
    run: Run, home: Path, smiles: list[str], column: list[str], said: str
) -> None:
    sets = write(home, smiles, column)
    last = notes(run, home, *sets)[-1]
    assert last.startswith(f"a sweep would be refused: {home}/m.csv: ")
    assert said in last
    code = 2 if "part" in said else 1
    refused = run("plan", home / "m.csv", *sets, code=code).stderr
    assert refused == f"error: {last.removeprefix('a sweep would be refused: ')}\n"


@pytest.mark.parametrize("part", ["training", "test"])
def test_what_a_plan_says_of_the_split_is_said_before_it(run: Run, home: Path, part: str) -> None:
    order = np.random.default_rng(0).permutation(40)  # the first 32 train, the last 4 are the test
    rare = [""] * 40
    rare[order[0 if part == "training" else -1]] = "1.5"
    sets = write(home, ALKANES, NUMBERS, rare)
    found = notes(run, home, *sets)
    plan = run("plan", home / "m.csv", *sets, "--json")
    assert json.loads(plan.stdout)["data_notes"] == found
    nothing = "no value in the training part, so nothing is learned of it: z"
    assert (nothing in found) == (part == "test")
    lacking = [note for note in found if "1 of 2 tasks have a graph with a value" in note]
    assert len(lacking) == (2 if part == "training" else 1)


def test_a_file_that_can_be_used_says_nothing(run: Run, home: Path) -> None:
    assert notes(run, home, *write(home, ALKANES, NUMBERS)) == []
