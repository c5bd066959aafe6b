"""The same molecule on several rows: told, never on both sides of a split, unless asked."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pdf_search.config import TrialConfig, newest
from pdf_search.data import Prepared, load_prepared, prepare, split_for, split_hash
from pdf_search.data.splits.split_notes import with_split_notes
from pdf_search.data.splits.split_units import molecules_of
from pdf_search.errors import DataError
from pdf_search.records import Phase, Replicate
from tests.data.conftest import trial
from tests.data.test_ogb import write_ogb

Make = Callable[..., tuple[Prepared, TrialConfig]]
ALKANES = [f"{'C' * (i % 20 + 1)}{'O' * (i // 20)}" for i in range(60)]
SPELT = {"CO": "OC", "CCO": "C(O)C", "CCCO": "OCCC", "CCCCO": "C(CCC)O"}


def rows(repeats: int) -> list[str]:
    """Molecules of which every third is there ``repeats`` times, spelt in two ways."""
    found = []
    for i, smiles in enumerate(ALKANES):
        found += [smiles] + [SPELT.get(smiles, smiles)] * (repeats - 1 if i % 3 == 0 else 0)
    return found


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Prepared data and the configuration that splits it."""

    def made(smiles: list[str], values: list[str], data: dict[str, Any], **changes: object) -> Any:
        path = tmp_path / "m.csv"
        lines = [f"{s},{y}\n" for s, y in zip(smiles, values, strict=True)]
        path.write_text("smiles,y\n" + "".join(lines))
        tree = newest({"name": "csv", "path": str(path), "targets": ["y"], **data})
        config = trial(data=tree, phase=Phase.CONFIRM, **changes)
        return load_prepared(prepare(config.data, cache=tmp_path / "cache")), config

    return made


def numbers(count: int) -> list[str]:
    return [f"{i / 7:.4f}" for i in range(count)]


def classes(count: int) -> list[str]:
    return ["abc"[i % 3] for i in range(count)]


def sides(data: Prepared, config: TrialConfig, fold: int | None) -> list[set[int]]:
    assert data.molecules is not None
    split = split_for(data, config, Replicate(0, fold))
    parts = (split.train, split.valid, split.test)
    return [set(data.molecules[part].tolist()) for part in parts if part is not None]


@pytest.mark.parametrize("kind", [numbers, classes])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("folds", [None, 2, 5, 10])
@pytest.mark.parametrize("fraction", [1.0, 0.4])
def test_no_molecule_is_on_two_sides(
    make: Make, kind: Callable[[int], list[str]], seed: int, folds: int | None, fraction: float
) -> None:
    smiles = rows(4)
    task = "multiclass" if kind is classes else None
    keys = {"split_seed": seed, "train_fraction": fraction, "task": task}
    protocol = {"protocol": "inner", "folds": folds} if folds else {}
    data, config = make(smiles, kind(len(smiles)), keys, **protocol)
    held_out: list[int] = []
    for fold in range(folds) if folds else [None]:
        train, valid, test = sides(data, config, fold)
        assert all((train, valid, test))
        assert not train & valid
        assert not train & test
        assert not valid & test
        if fraction == 1:
            assert train | valid | test == set(range(60))
        held_out += test
    if folds:
        assert sorted(held_out) == list(range(60))


def test_all_rows_of_a_molecule_come_along(make: Make) -> None:
    smiles = rows(3)
    data, config = make(smiles, numbers(len(smiles)), {})
    split = split_for(data, config, Replicate(0))
    assert split.test is not None
    every = np.concatenate([split.train, split.valid, split.test])
    assert sorted(every.tolist()) == list(range(len(smiles)))
    assert len(sides(data, config, None)[0]) == 48


@pytest.mark.parametrize("how", [{"split_by": "row"}, {"split_version": 1}])
def test_rows_are_dealt_out_where_asked_and_in_version_1(make: Make, how: dict[str, Any]) -> None:
    smiles = rows(4)
    data, config = make(smiles, numbers(len(smiles)), how)
    split = split_for(data, config, Replicate(0))
    assert len(split.train) == len(smiles) * 8 // 10
    train, valid, test = sides(data, config, None)
    assert train & (valid | test)
    told = with_split_notes(data, config).notes[-1]
    shared = len(train & (valid | test))
    assert f"that are in the training part too: {shared} (rows are dealt out singly" in told


def test_a_file_without_repeats_is_split_as_it_always_was(make: Make) -> None:
    """Hashes of the first version of this program."""

    def found(data: dict[str, Any], **changes: object) -> str:
        made, config = make(ALKANES, values, {"task": "multiclass", **data}, **changes)
        return split_hash(made, config)

    values = ["abc"[i * i % 3 if i % 7 else 1] for i in range(60)]
    assert found({}) == "d4c8e917a5030f05"
    assert found({"split_seed": 5, "train_fraction": 0.3}) == "834d6c57d6e07a06"
    assert found({}, protocol="inner", folds=5) == "cb58b1acc01729d1"
    assert found({"train_fraction": 0.5}, protocol="gin-curve", folds=10) == "69ffffcbf02e3dcf"
    inner = {"protocol": "inner", "folds": 5}
    data, config = make(ALKANES, values, {"task": "multiclass", "train_fraction": 0.3}, **inner)
    train = split_for(data, config, Replicate(0, 2)).train
    assert hashlib.sha256(train.tobytes()).hexdigest()[:16] == "251eb0027629346c"


def test_freesolv_is_split_as_it_always_was(freesolv: Prepared) -> None:
    for version in (1, 2):
        data = {"name": "freesolv", "split_version": version}
        assert split_hash(freesolv, trial(data=data)) == "c95a047f7708ea03"
        folds = trial(data=data, protocol="inner", folds=5)
        assert split_hash(freesolv, folds) == "6994266c038d9b46"


def test_repeats_are_counted_and_conflicts_shown(make: Make) -> None:
    smiles = ["CCO", "C", "OCC", "C(C)O", "CC", "CC", "N", "N"]
    data, _ = make(smiles, ["1.5", "2", "1.7", "1.5", "3", "3", "4.5", "4.5"], {})
    assert data.notes[-2:] == (
        "molecules on more than one line: 3, with 7 lines in all: CCO on lines 2, 4, 5; CC on "
        "lines 6, 7; N on lines 8, 9",
        "of these, with different values: 1: CCO has y 1.5 (line 2), 1.7 (line 4), 1.5 (line 5)",
    )


def test_conflicting_classes_are_shown_by_name(make: Make) -> None:
    data, _ = make(["CCO", "OCC", "C"], ["red", "blue", "red"], {"task": "multiclass"})
    assert data.notes[-1].endswith("CCO has y red (line 2), blue (line 3)")


def test_mirror_images_are_other_molecules(make: Make) -> None:
    smiles = ["C[C@H](N)O", "C[C@@H](N)O", "CC(N)O", "C[C@H](O)N"]
    data, _ = make(smiles, numbers(4), {})
    assert data.molecules is not None
    assert data.molecules.tolist() == [0, 1, 2, 1]


def test_a_split_by_molecule_is_told(make: Make) -> None:
    smiles = rows(2)
    data, config = make(smiles, numbers(len(smiles)), {})
    assert with_split_notes(data, config).notes[-1] == (
        "all rows of a molecule are in the same part of the split (data.split_by: molecule)"
    )
    alone, config = make(ALKANES, numbers(60), {})
    assert with_split_notes(alone, config).notes == ()


def test_too_few_molecules_on_many_rows(make: Make) -> None:
    smiles = ["C", "CC", "CCC"] * 10
    data, config = make(smiles, numbers(30), {})
    with pytest.raises(DataError, match=r"3 molecules \(of 30 rows; .*split_by: row"):
        split_for(data, config, Replicate(0))
    data, config = make(smiles, numbers(30), {"split_by": "row"})
    assert len(split_for(data, config, Replicate(0)).train) == 24


def test_units_number_the_graphs_where_all_differ() -> None:
    units = molecules_of(np.array([7, 3, 9]))
    assert units.first.tolist() == units.of.tolist() == [0, 1, 2]
    units = molecules_of(np.array([7, 3, 7, 9, 3]))
    assert units.first.tolist() == [0, 1, 3]
    assert units.of.tolist() == [0, 1, 0, 2, 1]
    assert units.graphs(np.array([2, 0])).tolist() == [0, 2, 3]


def test_an_official_split_is_left_and_its_overlap_counted(tmp_path: Path) -> None:
    folder = write_ogb(tmp_path, "ogbg-molbace", "scaffold", np.arange(12) % 2, categorical=True)
    mapping = folder / "mapping" / "mol.csv.gz"
    mapping.parent.mkdir()
    spelt = ["C", "CC", "CCC", "CCCC", "N", "NC", "NCC", "O", "C", "OC", "OCC", "NC"]
    with gzip.open(mapping, "wt") as file:
        file.write("Class,smiles,mol_id\n" + "".join(f"0,{s},{s}\n" for s in spelt))
    config = trial(data=newest({"name": "ogbg-molbace"}), phase=Phase.CONFIRM)
    data = load_prepared(prepare(config.data, tmp_path, tmp_path / "cache"))
    assert data.official is not None
    split = split_for(data, config, Replicate(0))
    assert split.train.tolist() == data.official["train"].tolist()
    train = {spelt[i] for i in data.official["train"]}
    both = train & {spelt[i] for part in ("valid", "test") for i in data.official[part]}
    assert both
    assert with_split_notes(data, config).notes[-1] == (
        "molecules of a validation or test part that are in the training part too: "
        f"{len(both)} (the official split is used as it is)"
    )
