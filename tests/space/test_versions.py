"""Versions of featuriser and split: new work gets the newest, recorded work keeps its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pdf_search.config import FEATURISER, SPLIT, TrialConfig, parse_trial
from pdf_search.errors import SpaceError
from pdf_search.space import Space, load_space, load_study, recorded_study
from pdf_search.sweep.samplers.trial_builder import random_points

OLD = {
    "data": {"name": "csv", "path": "/m.csv", "targets": ["y"], "split_seed": 3},
    "basis": {"eps": [-0.5, 0.0], "k": 2},
}
STUDY = """
title: Mine
table: results
protocols: [split]
rows:
  - {name: small, data: {name: freesolv}, basis: {eps: [0.0], k: 1}}
"""


def versions(config: TrialConfig) -> tuple[int, int]:
    return config.data.featuriser, config.data.split_version


def first(space: Space) -> TrialConfig:
    return space.config(next(iter(random_points(space, 1))))


def without_versions(tree: Any) -> Any:
    """The tree as it was recorded before there were versions."""
    if isinstance(tree, dict):
        new = ("featuriser", "split_version", "split_by")
        return {key: without_versions(value) for key, value in tree.items() if key not in new}
    return [without_versions(item) for item in tree] if isinstance(tree, list) else tree


def test_a_recorded_configuration_is_of_version_1_and_keeps_its_hash() -> None:
    config = parse_trial(OLD)
    assert versions(config) == (1, 1)
    assert not config.data.by_molecule
    assert config.content_hash() == "7a70cd104250d2d3"


def test_other_versions_are_other_configurations() -> None:
    keys = ({"featuriser": 2}, {"split_version": 2}, {"split_version": 2, "split_by": "row"})
    trees = [{**OLD, "data": {**OLD["data"], **more}} for more in keys]
    assert len({parse_trial(tree).content_hash() for tree in (OLD, *trees)}) == 4


def test_a_version_that_is_not_there_is_refused() -> None:
    with pytest.raises(SpaceError, match=r"data\.featuriser"):
        load_space("freesolv", ["data.featuriser=7"])


def test_a_space_that_is_begun_gets_the_newest(tmp_path: Path) -> None:
    assert versions(first(load_space("freesolv"))) == (FEATURISER, SPLIT)
    (tmp_path / "s.yaml").write_text("extends: freesolv\ndata: {name: freesolv}\n")
    assert versions(first(load_space(str(tmp_path / "s.yaml")))) == (FEATURISER, SPLIT)
    (tmp_path / "m.csv").write_text("smiles,y\nC,0.5\nCC,1.5\nCCC,3\n")
    own = ["data.name=csv", f"data.path={tmp_path / 'm.csv'}", "data.targets=[y]"]
    assert versions(first(load_space("freesolv", own))) == (FEATURISER, SPLIT)


def test_a_space_that_asks_for_a_version_gets_it() -> None:
    space = load_space("freesolv", ["data.featuriser=1", "data.split_version=1"])
    assert versions(first(space)) == (1, 1)


def test_a_recorded_space_keeps_its_versions() -> None:
    recorded = load_space("freesolv").as_dict()
    assert versions(first(Space.from_dict(recorded))) == (FEATURISER, SPLIT)
    assert versions(first(Space.from_dict(without_versions(recorded)))) == (1, 1)


def test_a_study_that_is_begun_gets_the_newest_and_a_recorded_one_keeps_its_own(
    tmp_path: Path,
) -> None:
    (tmp_path / "s.yaml").write_text(STUDY)
    study = load_study(str(tmp_path / "s.yaml"))
    assert [versions(row.config) for row in study.rows] == [(FEATURISER, SPLIT)]
    paper = load_study("paper/ablation").rows[0]
    assert versions(paper.config) == (FEATURISER, SPLIT)
    old = recorded_study(without_versions(study.as_dict()))
    assert [versions(row.config) for row in old.rows] == [(1, 1)]
