"""Odd names of columns, files and folders: the same in every verb, and nothing lies elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

COLUMNS = ["% inhibition", "@10uM", "IC50: nM", "pKa #2", "2019", "NO", "[M+H]", "*"]


def molecules(file: Path) -> None:
    header = ",".join(["smiles", *COLUMNS])
    rows = ["C" * (i + 1) + f",{i / 10}" * len(COLUMNS) for i in range(30)]
    file.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_in_data_and_plan(run: Run, home: Path, name: str) -> None:
    molecules(home / "names.csv")
    quoted = f"data.targets={json.dumps([name])}"
    found = json.loads(run("data", "names.csv", "--set", quoted, "--json").stdout)
    own = ["--set", "data.name=csv", "--set", "data.path=names.csv", "--set", quoted]
    planned = json.loads(run("plan", "freesolv", *own, "--json").stdout)
    assert planned["fingerprint"] == found["fingerprint"]
    assert planned["first"]["data"]["targets"] == [name]
    for words in (["data", "names.csv"], ["plan", "freesolv", *own[:4]]):
        if name in ("2019", "NO"):
            run(*words, "--set", f"data.targets=[{name}]")
        else:
            result = run(*words, "--set", f"data.targets=[{name}]", code=2)
            assert f"must be quoted: --set '{quoted}'" in result.stderr


def test_a_file_whose_name_yaml_would_cut(run: Run, home: Path) -> None:
    molecules(home / "batch #2.csv")
    own = ["data.name=csv", "data.path=batch #2.csv", 'data.targets=["2019"]']
    words = [word for value in own for word in ("--set", value)]
    planned = json.loads(run("plan", "freesolv", *words, "--json").stdout)
    assert planned["first"]["data"]["path"] == str(home / "batch #2.csv")
