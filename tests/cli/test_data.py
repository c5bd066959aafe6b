"""data: what is printed for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run

MOLECULES = "name,SMILES,logS\n" + "".join(
    f"m{i},{'C' * (i % 7 + 1)}{'O' * (i % 3)},{0.1 * i - 1:.2f}\n" for i in range(30)
)


def test_data_statistics(run: Run) -> None:
    found = json.loads(run("data", "freesolv", "--json").stdout)
    assert found["graphs"] == 642
    assert found["unit"] == "kcal/mol"
    lines = [line.split(maxsplit=1) for line in run("data", "freesolv").stdout.splitlines()]
    assert ["graphs", "642, the largest of 24 nodes"] in lines
    assert ["nodes", "8.72 a graph (mean), with attributes"] in lines
    assert ["labelled", "100 % of the targets"] in lines


def test_data_list(run: Run) -> None:
    run("data", "freesolv")
    listed = json.loads(run("data", "--list", "--json").stdout)
    assert {"zinc", "mutag", "ogbg-molhiv"} <= set(listed["known"])
    assert "FreeSolv" in {entry["title"] for entry in listed["prepared"]}
    assert "FreeSolv" in run("data").stdout


def test_own_molecules(run: Run, home: Path) -> None:
    (home / "own.csv").write_text(MOLECULES)
    keys = ["--set", "data.smiles=SMILES", "--set", "data.targets=[logS]"]
    found = json.loads(run("data", "own.csv", *keys, "--json").stdout)
    assert (found["title"], found["graphs"], found["task"]) == ("own", 30, "regression")


def test_a_shipped_table_is_copied_and_read_as_ones_own(run: Run, home: Path) -> None:
    assert "written: mine.csv" in run("data", "freesolv", "--copy", "mine.csv").stderr
    found = json.loads(run("data", "mine.csv", "--target", "expt", "--json").stdout)
    assert found["graphs"] == json.loads(run("data", "freesolv", "--json").stdout)["graphs"]
    assert "mine.csv exists" in run("data", "freesolv", "--copy", "mine.csv", code=2).stderr
    assert "only freesolv comes along" in run("data", "zinc", "--copy", "z.csv", code=2).stderr
    assert "cannot be written" in run("data", "freesolv", "--copy", "no/z.csv", code=2).stderr
    assert sorted(path.name for path in home.iterdir()) == ["mine.csv"]
