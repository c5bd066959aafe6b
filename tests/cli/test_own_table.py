"""data and plan on a table of one's own: what was guessed, counted and left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


def smiles(count: int) -> list[str]:
    return [f"{'C' * (i % 10 + 1)}{'O' * (i // 10 % 3)}{'N' * (i // 30)}" for i in range(count)]


def write(file: Path, cells: list[object], name: str = "y", separator: str = ",") -> None:
    rows = zip(smiles(len(cells)), cells, strict=True)
    text = "".join(f"{smile}{separator}{cell}\n" for smile, cell in rows)
    file.write_text(f"smiles{separator}{name}\n{text}")


NUMBERS: list[object] = [i / 4 for i in range(30)]


def test_data_says_what_was_guessed_and_counts(run: Run, home: Path) -> None:
    write(home / "numbers.csv", [*NUMBERS, "n/a"])
    text = run("data", "numbers.csv").stdout
    assert (
        "regression (guessed: the targets are numbers; --task classification "
        "(data.task=multiclass) reads them as classes)" in text
    )
    assert "values: 30, lowest: 0.0, mean: 3.625, highest: 7.25, missing: 0" in text
    assert "note: 1 row has no target and is left out: line 32" in text
    assert "note: read as no value: 'n/a' (once)" in text
    write(home / "small.csv", [f"{number}e-8" for number in NUMBERS])
    text = run("data", "small.csv").stdout
    assert "lowest: 0.0, mean: 3.625e-08, highest: 7.25e-08" in text
    write(home / "labels.csv", [0, 1, 1] * 10)
    text = run("data", "labels.csv").stdout
    assert "multilabel (guessed: the targets hold only 0 and 1; --task regression" in text
    assert "0: 10, 1: 20, missing: 0" in text
    told = run("data", "labels.csv", "--set", "data.task=multilabel").stdout
    assert "multilabel" in told
    assert "multilabel (guessed" not in told
    found = json.loads(run("data", "labels.csv", "--json").stdout)
    assert found["targets"] == {"y": {"0": 10, "1": 20, "missing": 0}}


def test_data_names_classes_with_their_counts(run: Run, home: Path) -> None:
    write(home / "kinds.csv", ["red", "blue", "blue"] * 10)
    words = ["data", "kinds.csv", "--set", "data.task=multiclass"]
    lines = [line.split(maxsplit=2) for line in run(*words).stdout.splitlines()]
    assert ["class", "blue", "20 graphs"] in lines
    assert ["class", "red", "10 graphs"] in lines
    found = json.loads(run(*words, "--json").stdout)
    assert (found["class_names"], found["classes"]) == (["blue", "red"], [20, 10])


def test_many_classes_are_cut_and_counted(run: Run, home: Path) -> None:
    write(home / "kinds.csv", [f"k{i:02d}" for i in range(25)] * 2)
    text = run("data", "kinds.csv", "--set", "data.task=multiclass").stdout
    assert "class k19" in text
    assert "class k20" not in text
    assert "5 more, see --json" in text


@pytest.mark.parametrize("name", ["mine.txt", "mine.CSV", "./mine", "a.b.csv"])
def test_any_file_name_is_a_table(run: Run, home: Path, name: str) -> None:
    write(home / name, NUMBERS, separator=";")
    text = run("data", name).stdout
    assert "note: the cells of the file are separated by semicolons" in text
    assert "guessed" in text


def test_the_plan_says_the_same_before_a_sweep(run: Run, home: Path) -> None:
    write(home / "codes.csv", [1, 2, 3] * 12)
    own = ["--set", "data.name=csv", "--set", "data.path=codes.csv", "--set", "data.targets=[y]"]
    words = ["plan", "freesolv", *own, "--metric", "rmse"]
    assert "y holds 3 different whole numbers only" in run(*words).stdout
    assert "y holds 3 different" in "".join(json.loads(run(*words, "--json").stdout)["data_notes"])
    write(home / "codes.csv", [-1, 1] * 12)
    assert "holds only two values, -1 (12 times)" in run(*words, code=1).stderr
