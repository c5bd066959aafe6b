"""The space and study that the documents show can be loaded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pdf_search.errors import SpaceError
from pdf_search.space import load_space, load_study
from tests.docs.test_commands import FENCE, ROOT


def shown(page: str) -> str:
    """The first YAML of a page."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return next(body for _, kind, body in FENCE.findall(text) if kind == "yaml")


def written(folder: Path, text: str) -> str:
    (folder / "shown.yaml").write_text(text)
    return str(folder / "shown.yaml")


def test_the_space_is_one(tmp_path: Path) -> None:
    text = shown("spaces.md").replace("basis: ...", "basis: {eps: [-0.3], k: 2}")
    (tmp_path / "molecules.csv").write_text("smiles,logS\nCCO,1.5\n")
    space = load_space(written(tmp_path, text))
    found = {parameter.path for parameter in space.parameters()}
    assert found >= {"model.hidden", "model.layers", "training.learning_rate"}
    with pytest.raises(SpaceError, match=r"shown\.yaml:\d+: bugdet"):
        load_space(written(tmp_path, text.replace("budget", "bugdet")))


def test_the_study_is_one(tmp_path: Path) -> None:
    study = load_study(written(tmp_path, shown("studies.md")))
    names = re.findall(r"- name: (.+?)(?:  |\n)", shown("studies.md"))
    assert [row.name for row in study.rows] == [name.strip().strip('"') for name in names]
