"""Splits of own molecules: by scaffold, and as a column gives them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pdf_search.config import DataConfig
from pdf_search.data import (
    Prepared,
    load_prepared,
    prepare,
    search_view,
    split_for,
    split_hash,
    split_words,
    with_split_notes,
)
from pdf_search.data.molecules.scaffolds import scaffolds_of
from pdf_search.errors import DataError
from pdf_search.records import Phase, Protocol, Replicate
from tests.data.conftest import trial

RINGS = ["c1ccccc1", "C1CCCCC1", "c1ccncc1", "c1ccoc1", "C1CCNC1", "c1ccc2ccccc2c1", "c1ccsc1"]
MOLECULES = [f"{'C' * i}{ring}" for i in range(1, 5) for ring in RINGS] + [
    "C" * i for i in range(1, 13)
]


def own(folder: Path, header: str, rows: list[str], **keys: object) -> tuple[Prepared, DataConfig]:
    (folder / "mine.csv").write_text("\n".join([header, *rows]) + "\n")
    tree = {"name": "csv", "path": str(folder / "mine.csv"), "targets": ["y"], "featuriser": 2}
    config = DataConfig.model_validate({**tree, "split_version": 2, **keys})
    return load_prepared(prepare(config, cache=folder / "cache")), config


def parts(data: Prepared, config: DataConfig) -> list[list[int]]:
    confirm = trial(data=config, phase=Phase.CONFIRM)
    split = split_for(data, confirm, Replicate(0, None))
    assert split.test is not None
    return [part.tolist() for part in (split.train, split.valid, split.test)]


@pytest.mark.parametrize("seed", range(5))
def test_no_scaffold_is_in_two_parts(tmp_path: Path, seed: int) -> None:
    rows = [f"{smiles},{i / 4}" for i, smiles in enumerate(MOLECULES)]
    data, config = own(tmp_path, "smiles,y", rows, split_by="scaffold", split_seed=seed)
    found = parts(data, config)
    scaffolds = scaffolds_of(MOLECULES)
    each = [{scaffolds[i] for i in part} for part in found]
    assert sorted(i for part in found for i in part) == list(range(len(MOLECULES)))
    assert len(set().union(*each)) == sum(map(len, each))
    assert "no ring" in each[0]  # twelve of forty
    assert [len(part) for part in found] == [32, 4, 4]
    noted = with_split_notes(data, trial(data=config)).notes
    assert any(
        note.startswith("split by scaffold: 32 training of 6, 4 validation") for note in noted
    )


def test_another_seed_gives_other_scaffolds(tmp_path: Path) -> None:
    rows = [f"{smiles},{i / 4}" for i, smiles in enumerate(MOLECULES)]
    found = []
    for seed in range(5):
        data, config = own(tmp_path, "smiles,y", rows, split_by="scaffold", split_seed=seed)
        found.append(tuple(parts(data, config)[2]))
    assert len(set(found)) > 1


def test_scaffolds_need_a_split_of_molecules(tmp_path: Path) -> None:
    rows = [f"{smiles},{i / 4}" for i, smiles in enumerate(MOLECULES)]
    data, config = own(tmp_path, "smiles,y", rows, split_by="scaffold")
    folds = trial(data=config, protocol=Protocol.INNER, folds=4)
    with pytest.raises(DataError, match="scaffold deals out 80:10:10, protocol inner has folds"):
        split_for(data, folds, Replicate(0, 0))
    data, config = own(
        tmp_path, "smiles,y", [f"{'C' * (i + 1)},{i}" for i in range(30)], split_by="scaffold"
    )
    with pytest.raises(DataError, match="1 scaffolds over 30 graphs are too few"):
        parts(data, config)


def test_a_column_gives_the_parts(tmp_path: Path) -> None:
    words = ["train", "Val", "TEST", "training", "dev"]
    rows = [f"{smiles},{i / 4},{words[i % 5]}" for i, smiles in enumerate(MOLECULES)]
    data, config = own(tmp_path, "smiles,y,fold", rows, split_column="fold")
    wanted = [[i for i in range(40) if i % 5 in (0, 3)], [i for i in range(40) if i % 5 in (1, 4)]]
    assert parts(data, config) == [*wanted, [i for i in range(40) if i % 5 == 2]]
    rows[3] = "C(C,1,no part"  # left out before the column is read
    data, config = own(tmp_path, "smiles,y,fold", rows, split_column="fold")
    assert [len(part) for part in parts(data, config)] == [15, 16, 8]
    assert data.rows is not None
    assert np.asarray(data.rows)[parts(data, config)[2]].tolist() == list(range(2, 40, 5))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["train", "valid", "test", "", "?"], r"line 5: ''\n  line 6: '\?'"),
        (["train", "train", "test", "test", "test"], "column 'fold': none is valid"),
    ],
)
def test_a_column_that_gives_no_split(tmp_path: Path, words: list[str], said: str) -> None:
    rows = [f"{smiles},{i / 4},{words[i % 5]}" for i, smiles in enumerate(MOLECULES)]
    with pytest.raises(DataError, match=said):
        own(tmp_path, "smiles,y,fold", rows, split_column="fold")
    with pytest.raises(DataError, match="no column 'part'"):
        own(tmp_path, "smiles,y,fold", rows, split_column="part")


@pytest.mark.parametrize(("task", "cells"), [("multilabel", "01"), ("multiclass", "xy")])
@pytest.mark.parametrize("seed", range(3))
def test_classes_keep_their_share_in_every_part(
    tmp_path: Path, task: str, cells: str, seed: int
) -> None:
    rows = [f"{'C' * (i + 1)},{cells[i % 10 == 0]}" for i in range(100)]
    keys = {"task": task, "stratify": True, "split_seed": seed}
    data, config = own(tmp_path, "smiles,y", rows, **keys)
    found = parts(data, config)
    rare = {i for i in range(100) if i % 10 == 0}
    assert [len(part) for part in found] == [80, 10, 10]
    assert [len(rare & set(part)) for part in found] == [8, 1, 1]
    assert parts(data, config.model_copy(update={"split_seed": seed + 10})) != found


@pytest.mark.parametrize(("task", "cells"), [("multilabel", "01"), ("multiclass", "xy")])
def test_a_search_has_the_parts_of_its_confirmation(tmp_path: Path, task: str, cells: str) -> None:
    rows = [f"{'C' * (i + 1)},{cells[i % 10 == 0]}" for i in range(100)]
    data, config = own(tmp_path, "smiles,y", rows, task=task, stratify=True)
    train, valid, test = parts(data, config)
    search = trial(data=config)
    view = search_view(data, search)
    seen = split_for(view, search, Replicate(0))
    assert [seen.train.tolist(), seen.valid.tolist()] == [train, valid]
    assert np.flatnonzero(np.isnan(view.graphs.targets[:, 0])).tolist() == test
    assert split_hash(view, search) == split_hash(data, search)


def test_stratify_needs_classes_of_one_target(tmp_path: Path) -> None:
    rows = [f"{'C' * (i + 1)},{i / 4},{i % 2},{i // 2 % 2}" for i in range(40)]
    for targets, said in ((["y"], "task is regression, of 1 target"), (["a", "b"], "of 2 targets")):
        data, config = own(tmp_path, "smiles,y,a,b", rows, targets=targets, stratify=True)
        with pytest.raises(DataError, match=said):
            parts(data, config)


def test_a_plan_says_how_graphs_are_divided(tmp_path: Path) -> None:
    rows = [f"{smiles},{i % 2}" for i, smiles in enumerate(MOLECULES)]
    sizes = "32 training, 4 validation, 4 test graphs"
    ways: dict[str, dict[str, object]] = {
        "random": {"task": "regression"},
        "random (data.stratify: true keeps the classes in proportion)": {},
        "random, classes in proportion": {"task": "multiclass", "stratify": True},
    }
    ways["by scaffold"] = {"split_by": "scaffold"}
    for words, keys in ways.items():
        data, config = own(tmp_path, "smiles,y", rows, **keys)
        assert split_words(data, trial(data=config)) == f"{words}: {sizes}"
    data, config = own(tmp_path, "smiles,y", rows)
    assert split_words(data, trial(data=config, protocol=Protocol.INNER, folds=5)) == "5 folds"
    named = ["train"] * 30 + ["valid"] * 6 + ["test"] * 4
    rows = [f"{row},{part}" for row, part in zip(rows, named, strict=True)]
    data, config = own(tmp_path, "smiles,y,part", rows, split_column="part")
    words = split_words(data, trial(data=config))
    assert words == "by column part: 30 training, 6 validation, 4 test graphs"
