"""What a user wrote wrong is said in plain words, with the value; never in pydantic's."""

from __future__ import annotations

import re

import pytest

from pdf_search.config import DataConfig, describe, parse_trial
from pdf_search.errors import ConfigError, SpaceError
from pdf_search.space import load_space, load_study

from .conftest import Write

TREE = {"data": "{name: zinc}", "basis": "{pairs: [[-0.1, 4]]}"}
THEIRS = re.compile(r"Input|instance of|valid (list|tuple|dict|int|string|number)|validation|tag")


def space_of(key: str, text: str) -> str:
    return "".join(f"{k}: {v}\n" for k, v in {**TREE, key: text}.items())


@pytest.mark.parametrize(
    ("key", "text", "said"),
    [
        ("budget", "{trials: 0}", "budget.trials: 0 is too small: give 1 or more (how many conf"),
        ("budget", "{trials: many}", "'many' does not fit: give a whole number (how many conf"),
        ("budget", "{trials: 2.5}", "2.5 does not fit: give a whole number"),
        ("budget", "{epochs: 0}", "0 is too small: give 1 or more (after how many epochs"),
        ("budget", "{confirm: {seeds: -1}}", "-1 is too small: give 1 or more (on how many fresh"),
        ("budget", "{confirm: {top_k: 0}}", "0 is too small: give 1 or more (how many of the best"),
        ("budget", "{method: 3}", "3 does not fit: give a text (how configurations are drawn"),
        ("budget", "3", "budget: 3 does not fit: give keys with values (how much is trained"),
        ("limits", "parameters <= 3", "'parameters <= 3' does not fit: give a list (comparisons"),
        (
            "points_to_evaluate",
            "[3]",
            "points_to_evaluate[0]: 3 does not fit: give a text or keys",
        ),
        ("description", "[a]", "description: ['a'] does not fit: give a text"),
        ("data", "zinc", "data: 'zinc' does not fit: give keys with values (the data set: {name"),
        ("data", "{name: zinc, train_fraction: 0}", "data.train_fraction: 0 is too small: give mo"),
        ("data", "{name: zinc, split_seed: -1}", "data.split_seed: -1 is too small: give 0 or mo"),
        ("model", "{dropout: 1.0}", "model.dropout: 1.0 is too large: give less than 1"),
        ("model", "{filter_norm: maybe}", "model.filter_norm: 'maybe' does not fit: give true or"),
        ("training", "{learning_rate: .inf}", "inf does not fit: give a finite number"),
        ("training", "{schedule: {gamma: 1}}", "training.schedule: kind is missing; add it"),
        (
            "training",
            "{schedule: {kind: step, step: 1, gamma: 2}}",
            "training.schedule.gamma: 2 is too large: give 1 or less",
        ),
        ("training", "{schedule: {kind: milestones, milestones: 3, gamma: 1}}", "give a list"),
        ("folds", "1", "folds: 1 is too small: give 2 or more (into how many folds)"),
        ("seeds", "[]", "seeds: empty; list at least 1"),
        ("seeds", "3", "seeds: 3 does not fit: give a list"),
        ("protocol", "none", "'none' does not fit: give split, gin-curve, inner or nested"),
        ("basis", "{eps: x, k: 2}", "basis.eps: 'x' does not fit: give keys with values or a li"),
        ("basis", "{pairs: [[1, 1]], support: sparse}", "give dense or keys with values"),
    ],
)
def test_a_space_file(write: Write, key: str, text: str, said: str) -> None:
    path = write(space_of(key, text))
    with pytest.raises(SpaceError) as caught:
        load_space(path)
    message = str(caught.value)
    assert said in message
    line = list({**TREE, key: text}).index(key) + 1
    assert message.startswith(f"{path}:{line}: {key}")
    assert not THEIRS.search(message)


def test_a_wrong_item_does_not_make_its_list_empty(write: Write) -> None:
    with pytest.raises(SpaceError) as caught:
        load_space(write(space_of("seeds", "[0.5]")))
    assert "seeds[0]: 0.5 does not fit: give a whole number" in str(caught.value)
    assert "empty" not in str(caught.value)


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("seeds: 0", "seeds: 0 is too small: give 1 or more (on how many seeds each row"),
        ("epochs: 0", "epochs: 0 is too small: give 1 or more (after how many epochs"),
        ("protocols: inner", "protocols: 'inner' does not fit: give a list"),
    ],
)
def test_a_study_file(write: Write, head: str, said: str) -> None:
    with pytest.raises(SpaceError) as caught:
        load_study(write(f"title: t\ntable: results\n{head}\nrows: [{{name: a, paper: zinc}}]\n"))
    assert f":3: {said}" in str(caught.value)
    assert not THEIRS.search(str(caught.value))


def test_a_tree_of_a_trial() -> None:
    tree = {"data": {"name": "zinc"}, "basis": {"pairs": [[-0.1, 4]]}, "folds": 1, "extra": 1}
    with pytest.raises(ConfigError) as caught:
        parse_trial(tree, "recorded trial")
    lines = str(caught.value).splitlines()
    assert lines[0] == (
        "recorded trial: folds: 1 is too small: give 2 or more (into how many folds)"
    )
    assert lines[1] == "extra: unknown key; leave it out"


def test_a_long_value_is_cut() -> None:
    with pytest.raises(ValueError, match="train_fraction") as caught:
        DataConfig.model_validate({"name": "zinc", "train_fraction": "x" * 1000})
    assert len(describe(caught.value)) < 200  # type: ignore[arg-type]
