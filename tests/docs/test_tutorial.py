"""The tutorial's commands, one after another in an empty folder, with a small budget."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

from tests.cli.conftest import Run, cache, home, run
from tests.docs.test_commands import FENCE, ROOT, commands

__all__ = ["cache", "home", "run"]  # fixtures
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
STEPS = [
    words
    for kind, body in ((k, b) for _, k, b in FENCE.findall(TUTORIAL) if k == "console")
    for words in commands(f"```\n{body}```\n")
]
SMALL = {"sweep": ["--trials", "2", "--epochs", "1", "--top-k", "1", "--seeds", "2"]}


@pytest.mark.ray
@pytest.mark.slow
def test_the_tutorial_runs_from_a_table_to_predictions(run: Run, home: Path) -> None:
    new = next(body for _, kind, body in FENCE.findall(TUTORIAL) if kind == "csv")
    (home / "new.csv").write_text(new)
    assert [words[0] for words in STEPS] == [
        "data",
        "data",
        "plan",
        "sweep",
        "show",
        "predict",
        "export",
    ]
    for words in STEPS:
        run(*words, *SMALL.get(words[0], []))
        if "--copy" in words:  # the first molecules are enough here
            lines = (home / "molecules.csv").read_text().splitlines(keepends=True)
            (home / "molecules.csv").write_text("".join(lines[:41]))
    predicted = pd.read_csv(home / "predicted.csv")
    assert list(predicted["name"]) == ["vanillin", "lidocaine", "tetramethylsilane"]
    assert predicted[["predicted_expt", "spread_expt"]].notna().all(axis=None)
    assert "Si" in predicted["unlike"].iloc[2]
    for file in set(re.findall(r"`(runs/molecules/[\w/.]+)`", TUTORIAL)):
        assert (home / file).is_file()
    again = run("predict", "solvation", "new.csv").stdout
    assert again == (home / "predicted.csv").read_text()
    for file in ("table.md", "table.csv", "table.tex", "leaderboard.csv", "findings.md"):
        assert (home / "runs" / "molecules" / "report" / file).is_file()


def test_the_readme_begins_as_the_tutorial_does() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = list(commands(readme))
    for step in (STEPS[0], STEPS[3], STEPS[5]):
        assert step in shown
