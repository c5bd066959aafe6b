"""A split given with graphs of one's own: used unless another is asked for, and checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from pdf_search import Dataset
from pdf_search.config import DataConfig
from pdf_search.data import Asked, load_prepared, prepare, read_graphs, split_words
from pdf_search.errors import DataError
from pdf_search.space import Space, load_space, space_text
from tests.data.test_own_graphs import graph, load, saved
from tests.training.trials import trial

PARTS = ["train"] * 14 + ["val"] * 2 + ["Test"] * 4
GIVEN = "split: given with the graphs (--split random divides them at random)"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return saved([graph(i) for i in range(20)], tmp_path, split=PARTS)


def split_of(space: Space, cache: Path) -> str:
    config = DataConfig.model_validate(space.definition["data"])
    return split_words(load_prepared(prepare(config, cache=cache)), trial(data=config))


def test_a_split_given_with_the_graphs_is_used(file: Path, tmp_path: Path) -> None:
    space = load_space(str(file))
    assert GIVEN in space.notes
    assert not any("tenth" in note for note in space.notes)
    given = "given with the graphs: 14 training, 2 validation, 4 test graphs"
    assert split_of(space, tmp_path / "cache") == given
    copied = tmp_path / "copy.yaml"
    copied.write_text(space_text(str(file)), encoding="utf-8")
    assert split_of(load_space(str(copied)), tmp_path / "cache") == given
    torch.save([graph(i, split=part) for i, part in enumerate(PARTS)], tmp_path / "mine.pt")
    assert split_of(load_space(str(tmp_path / "mine.pt")), tmp_path / "cache") == given


@pytest.mark.parametrize(
    ("asked", "sets"),
    [
        (Asked(split="random"), []),
        (Asked(), ["data.split_column=null"]),
        (Asked(), ["data.split_by=row"]),
    ],
)
def test_another_split_may_be_asked_for(
    file: Path, tmp_path: Path, asked: Asked, sets: list[str]
) -> None:
    space = load_space(str(file), sets, asked=asked)
    assert GIVEN not in space.notes
    random = "random, classes in proportion: 16 training, 2 validation, 2 test graphs"
    assert split_of(space, tmp_path / "cache") == random
    notes = load(file, tmp_path / "cache").notes
    assert any(
        note.startswith("the split that the graphs give is not used: --split split")
        for note in notes
    )


def test_folds_leave_a_given_split_unused_and_it_is_said(file: Path) -> None:
    space = load_space(str(file), ["protocol=inner"])
    assert "protocol inner deals out folds: the given split (split) is not used" in space.notes


@pytest.mark.parametrize(
    ("split", "said"),
    [
        (
            ["train", "foo", "valid", "test"] * 5,
            r"split names no part .*write train, valid or test",
        ),
        (["train", "valid", "test", None] * 5, "graph 3: 'None'"),
        (
            ["train"] * 18 + ["valid"] * 2,
            "split: none is test: each of train, valid and test needs",
        ),
        (PARTS[:5], "split: 5 parts for 20 graphs"),
        ("train", "split: 'train' is no list: give a list of parts"),
    ],
)
def test_a_split_that_is_none_is_refused(split: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        Dataset.from_pyg([graph(i) for i in range(20)], split=split)


def test_the_attribute_is_checked_where_it_is_used(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"attribute 'split' names no part(.|\n)*graph 1: '3'"):
        Dataset.from_pyg([graph(0, split="test"), graph(1, split=3)])
    with pytest.raises(DataError, match="graph 1 has no split, others have: give all or none"):
        Dataset.from_pyg([graph(0, split="test"), graph(1)])
    held_out = saved([graph(i, split="test") for i in range(20)], tmp_path)  # to be predicted
    assert len(read_graphs(held_out)) == 20
    with pytest.raises(DataError, match=r"none is train or valid: .*--split random"):
        split_of(load_space(str(held_out)), tmp_path / "cache")
    torch.save([graph(i, split=i % 3) for i in range(20)], tmp_path / "coded.pt")
    with pytest.raises(DataError, match=r"names no part .*--split random(.|\n)*graph 0: '0'"):
        split_of(load_space(str(tmp_path / "coded.pt")), tmp_path / "cache")
    random = load_space(str(tmp_path / "coded.pt"), asked=Asked(split="random"))
    assert split_of(random, tmp_path / "cache").startswith("random")
