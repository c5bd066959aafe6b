"""Isotopes are not among OGB's features: told, and molecules that look alike count as one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pdf_search.config import DataConfig
from pdf_search.data import Prepared, load_prepared, prepare, split_for
from pdf_search.records import Replicate
from tests.data.conftest import trial


def made(folder: Path, smiles: list[str], version: int = 2) -> Prepared:
    rows = (f"{text},{i / 7:.4f}\n" for i, text in enumerate(smiles))
    (folder / "m.csv").write_text("smiles,y\n" + "".join(rows))
    return load_prepared(prepare(config(folder, version), cache=folder / "cache"))


def config(folder: Path, version: int = 2) -> DataConfig:
    return DataConfig(
        name="csv",
        path=str(folder / "m.csv"),
        targets=("y",),
        featuriser=version,
        split_version=version,
    )


def features(data: Prepared, graph: int) -> tuple[list[list[int]], int]:
    """Rows of the atoms in no order, and how many bonds."""
    one = data.graphs.subset(np.array([graph]))
    return sorted(np.asarray(one.nodes).tolist()), one.edges.shape[1]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("C", "[13CH4]", True),
        ("[13CH4]", "C", True),
        ("[12CH4]", "[14CH4]", True),
        ("CCO", "[13CH3]CO", True),
        ("CCO", "[13CH3]OC", False),
        ("Fc1ccccc1", "[18F]c1ccccc1", True),
        ("O", "[2H]O[2H]", False),
        ("[2H]O", "[2H]O[2H]", False),
        ("[3H]O[3H]", "[2H]O[2H]", True),
        ("[2H]C", "[2H][13CH3]", True),
        # The labels change which atom ranks first, or make a centre of one that is none.
        ("C[C@H](F)CC", "C[C@H](F)[13CH2]C", True),
        ("C[C@@H](F)CC", "C[C@H](F)[13CH2]C", False),
        ("CC(C)O", "[13CH3][C@H](C)O", False),
        ("[13CH3][C@@H](C)O", "[13CH3][C@H](C)O", False),
        ("[14CH3][C@H](C)O", "[13CH3][C@H](C)O", True),
        ("C/C=C/C", "C/C=C/[13CH3]", True),
        ("C/C=C/C", "C/C=C\\[13CH3]", False),
    ],
)
def test_molecules_of_equal_features_are_one(
    tmp_path: Path, one: str, other: str, same: bool
) -> None:
    data = made(tmp_path, [one, "CCCN", other])
    assert data.molecules is not None
    assert data.molecules.tolist() == ([0, 1, 0] if same else [0, 1, 2])
    if same:
        assert features(data, 0) == features(data, 2)
    assert any("on more than one line" in note for note in data.notes) == same


def test_labels_are_counted_with_the_first_line(tmp_path: Path) -> None:
    said = "isotope labels, which the model does not see"
    one = made(tmp_path, ["CC", "[13CH4]", "CCC"])
    assert one.notes == (f"1 row has {said}: [13CH4] on line 3",)
    more = made(tmp_path, ["CC", "C[13CH3]", "[2H]O[2H]", "[13CH4:1]"])
    assert more.notes[0] == (
        f"3 rows have {said}: C[13CH3] on line 3 and 2 more; a labelled hydrogen is an atom of "
        "the graph, others are not"
    )
    assert more.notes[1] == (
        "molecules on more than one line: 1, with 2 lines in all: CC on lines 2, 3"
    )
    assert "isotope" not in "".join(made(tmp_path, ["CC", "[CH3:1]C", "[OH-]"]).notes)


def test_dummy_atoms_are_said(tmp_path: Path) -> None:
    (note,) = made(tmp_path, ["CC", "*CC", "c1ccccc1[*]"]).notes
    assert note == (
        "2 rows have dummy atoms (*), which are of no element, all alike, to the model: *CC on "
        "line 3 and 1 more"
    )


def test_they_are_in_one_part_of_a_split(tmp_path: Path) -> None:
    plain = ["C" * n for n in range(1, 31)]
    data = made(tmp_path, plain + [f"[13CH3]{text[1:]}" for text in plain[1:]])
    assert data.molecules is not None
    split = split_for(data, trial(data=config(tmp_path)), Replicate(0))
    assert set(data.molecules[split.train]).isdisjoint(data.molecules[split.valid])
    assert len(np.unique(data.molecules)) == 30


def test_version_1_stays_as_it_was(tmp_path: Path) -> None:
    data = made(tmp_path, ["C", "[13CH4]", "CC"], version=1)
    assert data.notes == ()
    assert data.molecules is not None
    assert data.molecules.tolist() == [0, 1, 2]
