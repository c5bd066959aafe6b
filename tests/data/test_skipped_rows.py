"""Rows of a person's table that cannot be read: refused by line, or left out and named."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdf_search.config import DataConfig
from pdf_search.data import Prepared, load_prepared, prepare
from pdf_search.errors import DataError

COUNT = 30


def rows(**changes: str) -> list[str]:
    """A header on line 1 and molecules on lines 2 to 31; ``line7="..."`` replaces that line."""
    lines = ["smiles,y,z", *(f"{'C' * (i + 1)},{i / 4},{i % 7}" for i in range(COUNT))]
    for line, text in changes.items():
        lines[int(line.removeprefix("line")) - 1] = text
    return lines


def load(folder: Path, lines: list[str], end: str = "\n", **keys: object) -> Prepared:
    (folder / "mine.csv").write_bytes(end.join([*lines, ""]).encode())
    tree = {"name": "csv", "path": str(folder / "mine.csv"), "targets": ["y"], "featuriser": 2}
    config = DataConfig.model_validate({**tree, **keys})
    return load_prepared(prepare(config, cache=folder / "cache"))


def kept(data: Prepared) -> list[int]:
    """The lines that are used; a molecule's number of carbon atoms says on which it stood."""
    return [int(count) + 1 for count in data.graphs.node_count]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_up_to_a_tenth_of_unreadable_molecules_is_named_and_left_out(
    tmp_path: Path, end: str
) -> None:
    data = load(tmp_path, rows(line5="C(C,1,1", line9="CC C,2,2", line11=",3,3"), end)
    assert kept(data) == [line for line in range(2, 32) if line not in (5, 9, 11)]
    said = (
        "3 of 30 rows are left out, as their molecule cannot be read: line 5: 'C(C': not a SMILES"
    )
    assert any(said in note and "line 9: 'CC C': a blank" in note for note in data.notes)
    assert any("line 11: the cell is empty" in note for note in data.notes)
    assert data.rows is not None
    assert [int(row) + 2 for row in data.rows] == kept(data)
    assert data.graphs.targets[:, 0].tolist() == [(line - 2) / 4 for line in kept(data)]


def test_more_than_a_tenth_is_refused_unless_asked_for(tmp_path: Path) -> None:
    lines = rows(line5="C(C,1,1", line9="C(C,2,2", line11="C(C,3,3", line12="C(C,4,4")
    with pytest.raises(DataError, match=r"4 of 30 SMILES .*--skip-bad-rows") as caught:
        load(tmp_path, lines)
    assert "line 12: 'C(C': not a SMILES string" in str(caught.value)
    assert not list((tmp_path / "cache" / "prepared").glob("*/meta.json"))
    assert len(load(tmp_path, lines, skip_bad_rows=True).graphs) == 26
    with pytest.raises(DataError, match="no row is left"):
        load(tmp_path, ["smiles,y", "C(C,1", "C(C,2"], skip_bad_rows=True)


@pytest.mark.parametrize(
    ("changes", "keys", "refused", "said"),
    [
        ({"line7": "CC,abc,1"}, {}, "line 7: 'abc'", "line 7: y = 'abc'"),
        ({"line7": 'CC,"1,5",1'}, {}, "line 7: '1,5': a decimal", "line 7: y = '1,5': a decimal"),
        ({"line7": "CC,1e99,1"}, {}, "line 7: '1e99' is out of", "line 7: y = '1e99' is out of"),
        ({"line7": "CC,1"}, {}, "line 7: 2 cells, not 3", "line 7: 2 cells, not 3: 'CC, 1'"),
        ({"line7": '"CC,1,1'}, {}, "line 7: a quotation mark", "line 7: a quotation mark"),
        ({"line7": 'CC,1,"1"x'}, {}, "line 7: text stands behind", "line 7: a quotation mark"),
        (
            {"line7": 'CC,1,"1', "line9": 'CC,1,1"'},
            {},
            "line 7: a quotation mark on this line opens",
            "line 7: a quotation mark in the wrong place; line 9",
        ),
        ({"line7": "CC,NA,1"}, {"task": "multiclass"}, "line 7: 'NA'", "line 7: y = 'NA'"),
    ],
)
def test_a_bad_row_is_refused_by_line_and_left_out_if_asked_for(
    tmp_path: Path, changes: dict[str, str], keys: dict[str, object], refused: str, said: str
) -> None:
    lines = rows(**changes)
    with pytest.raises(DataError, match=refused):
        load(tmp_path, lines, **keys)
    data = load(tmp_path, lines, skip_bad_rows=True, **keys)
    bad = {int(line.removeprefix("line")) for line in changes}
    assert kept(data) == [line for line in range(2, 32) if line not in bad]
    assert any(said in note for note in data.notes)


def test_gaps_are_no_bad_rows_and_an_unknown_column_stays_refused(tmp_path: Path) -> None:
    data = load(
        tmp_path, rows(line7="CC,,1", line8="CC,NA,2"), targets=["y", "z"], skip_bad_rows=True
    )
    assert len(data.graphs) == COUNT
    assert any("no value in 2 of 30 cells of y (lines 7, 8)" in note for note in data.notes)
    with pytest.raises(DataError, match="has no column 'logS'"):
        load(tmp_path, rows(), targets=["logS"], skip_bad_rows=True)


def test_a_file_of_broken_marks_is_given_up(tmp_path: Path) -> None:
    lines = rows(**{f"line{i}": f'C,1,"{i}"x' for i in range(2, 31)})
    assert kept(load(tmp_path, lines, skip_bad_rows=True)) == [31]
    many = ["smiles,y,z", *(f'C,1,"{i}"x' for i in range(200)), "CC,1,1"]
    with pytest.raises(DataError, match="line 102: text stands behind"):
        load(tmp_path, many, skip_bad_rows=True)
