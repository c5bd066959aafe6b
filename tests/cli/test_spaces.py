"""spaces: what is printed for people and for programs, and a copy to start from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


def test_spaces(run: Run) -> None:
    names = {space["name"] for space in json.loads(run("spaces", "--json").stdout)}
    assert {"freesolv", "zinc", "ogbg-ppa"} <= names
    assert "zinc" in run("spaces").stdout
    one = json.loads(run("spaces", "freesolv", "--json").stdout)
    paths = {parameter["path"] for parameter in one["parameters"]}
    assert "training.learning_rate" in paths
    assert "training.learning_rate" in run("spaces", "freesolv").stdout


@pytest.mark.parametrize("name", ["freesolv", "ogbg-molhiv"])
def test_a_copied_space_is_the_same(run: Run, home: Path, name: str) -> None:
    run("spaces", name, "--copy", "mine.yaml")
    copied, shipped = (
        json.loads(run("spaces", space, "--json").stdout) for space in ("mine.yaml", name)
    )
    for key in ("parameters", "defaults", "limits", "size"):
        assert copied[key] == shipped[key]
    run("spaces", name, "--copy", "mine.yaml", code=2)
    assert "plan" not in (home / "mine.yaml").read_text()
