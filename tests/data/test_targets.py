"""Target columns: what is guessed is said or refused, and every gap is named."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from pdf_search.config import DataConfig
from pdf_search.data import Prepared, load_prepared, prepare
from pdf_search.data.molecules.smiles_table import Table, Targets, read_own
from pdf_search.errors import DataError
from pdf_search.records import Task


def own(
    folder: Path, text: str, *targets: str, task: Task | None = None
) -> tuple[Table, Targets, str]:
    """Table, targets, and the notes on both."""
    path = folder / "mine.csv"
    path.write_text(text, encoding="utf-8")
    table, found = read_own(path, "smiles", targets, task)
    return table, found, "; ".join((*table.notes, *found.notes))


def refusal(folder: Path, text: str, *targets: str, task: Task | None = None) -> str:
    with pytest.raises(DataError) as caught:
        own(folder, text, *targets, task=task)
    return str(caught.value)


def column(cells: Iterable[object], name: str = "y") -> str:
    return f"smiles,{name}\n" + "".join(f'{"C" * (i + 1)},"{c}"\n' for i, c in enumerate(cells))


NUMBERS = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]


def test_plain_numbers_need_no_word(tmp_path: Path) -> None:
    table, found, notes = own(tmp_path, column(NUMBERS))
    assert (found.task, notes, table.numbers) == (Task.REGRESSION, "", [])


def test_rows_without_the_only_target_are_named_and_left_out(tmp_path: Path) -> None:
    table, found, notes = own(tmp_path, column([1.5, "", "n/a", 2.5, "-", "n/a", 3.5]))
    assert found.values[:, 0].tolist() == [1.5, 2.5, 3.5]
    assert (table.numbers, table.lines) == ([0, 3, 6], [2, 5, 8])
    assert "4 rows have no target and are left out: lines 3, 4, 6, 7" in notes
    assert "read as no value: 'n/a' (2 times), '-' (once)" in notes


def test_gaps_among_several_targets_are_counted_by_column_with_their_lines(tmp_path: Path) -> None:
    text = "smiles,a,b,c\nC,1.5,2,\nCC,NA,3,1\nCCC,,,\nCCCC,2.5,#N/A,5\n"
    table, found, notes = own(tmp_path, text, "a", "b", "c")
    assert table.numbers == [0, 1, 3]
    assert np.isnan(found.values).sum() == 3
    counts = "1 of 3 cells of a (line 3), 1 of 3 cells of b (line 5), 1 of 3 cells of c (line 2)"
    assert f"no value in {counts}" in notes  # of the rows that stay, as in the values
    assert "read as no value: 'NA' (once), '#N/A' (once)" in notes
    assert "1 row has no target and is left out: line 4" in notes


def test_a_column_without_any_value_is_left_out_and_said(tmp_path: Path) -> None:
    text = "smiles,a,b,c,d\n" + "".join(f"{'C' * i},{i}.5,,{i},{i * i}\n" for i in range(1, 6))
    _, found, notes = own(tmp_path, text, "a", "b", "c", "d")
    assert found.names == ("a", "c", "d")
    assert found.values.shape == (5, 3)
    assert "no value at all in b: the targets are a, c, d only" in notes
    data = load_prepared(
        prepare(
            DataConfig(
                featuriser=2,
                name="csv",
                path=str(tmp_path / "mine.csv"),
                targets=("a", "b", "c", "d"),
            ),
            cache=tmp_path / "cache",
        )
    )
    assert data.target_names == ("a", "c", "d")
    assert any("no value at all in b" in note for note in data.notes)


def test_rows_and_notes_reach_the_prepared_data(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("smiles;y;id\nC;0.5;a\n;;\nCC;;b\n\nCCC;2.5;c\n")
    config = DataConfig(featuriser=2, name="csv", path=str(tmp_path / "mine.csv"), targets=("y",))
    data = load_prepared(prepare(config, cache=tmp_path / "cache"))
    assert data.rows is not None
    assert data.rows.tolist() == [0, 3]
    assert data.graphs.targets[:, 0].tolist() == [0.5, 2.5]
    assert [note.partition(":")[0] for note in data.notes[:3]] == [
        "the cells of the file are separated by semicolons",
        "1 row has no content and is left out",
        "1 row has no target and is left out",
    ]


def test_what_was_recorded_by_version_1_is_read_as_it_was(tmp_path: Path) -> None:
    def read(text: str, **keys: object) -> Prepared:
        (tmp_path / "mine.csv").write_text(text)
        path = str(tmp_path / "mine.csv")
        config = DataConfig.model_validate({"name": "csv", "path": path, "targets": ["y"], **keys})
        return load_prepared(prepare(config, cache=tmp_path / "cache"))

    gaps = read("smiles,y\nC,0.5\nCC,\nCCC,2.5\n")
    np.testing.assert_array_equal(gaps.graphs.targets[:, 0], np.float32([0.5, np.nan, 2.5]))
    assert gaps.rows is None
    assert "no value in 1 of 3 cells of y (line 3)" in gaps.notes
    labels = read(column([-1, 1, 1]))
    assert (labels.info.task, labels.graphs.targets[:, 0].tolist()) == (Task.REGRESSION, [-1, 1, 1])
    assert len(read(column([3.5] * 3)).graphs) == 3
    assert read(column([0, "0.0", 1]), task="multiclass").class_names == ("0", "0.0", "1")


def test_notes_depend_on_whether_the_task_was_given(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(column([1, 2, 3] * 10))
    given = DataConfig(
        featuriser=2, name="csv", path=str(tmp_path / "mine.csv"), task=Task.REGRESSION
    )
    guessed = given.model_copy(update={"task": None})
    notes = [
        load_prepared(prepare(config, cache=tmp_path / "cache")).notes
        for config in (given, guessed, given)
    ]
    assert notes[0] == notes[2]
    assert not any("different whole numbers" in note for note in notes[0])
    assert any("y holds 3 different whole numbers only" in note for note in notes[1])


def test_a_molecule_without_smiles_but_with_a_target_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("smiles,y\nC,1.5\n,2.5\nCC,3.5\n")
    config = DataConfig(featuriser=2, name="csv", path=str(tmp_path / "mine.csv"))
    with pytest.raises(DataError, match="line 3"):
        prepare(config, cache=tmp_path / "cache")


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([-1, 1] * 10, "holds only two values, -1 (10 times), 1 (10 times)"),
        ([1, 2, 2], "holds only two values, 1 (once, line 2), 2 (2 times)"),
        ([0, 1] * 10 + [2], "holds 0 and 1 but in 1 of 21 cells"),
        ([0, 1] * 10 + [2], "line 22: 2"),
        ([3.5] * 4, "every value in y is 3.5 (4 cells): there is nothing to learn"),
        ([1] * 4, "every label in y is the same"),
    ],
)
def test_a_guess_in_doubt_is_refused(tmp_path: Path, cells: list[float], said: str) -> None:
    assert said in refusal(tmp_path, column(cells))


def test_what_is_named_is_believed(tmp_path: Path) -> None:
    for cells in ([-1, 1] * 10, [0, 1] * 10 + [2], [0, 1] * 5):
        _, found, notes = own(tmp_path, column(cells), task=Task.REGRESSION)
        assert (found.task, found.values[:, 0].tolist(), notes) == (Task.REGRESSION, cells, "")
    _, found, _ = own(tmp_path, column([-1, 1] * 10), task=Task.MULTICLASS)
    assert found.class_names == ("-1", "1")
    assert "nothing to learn" in refusal(tmp_path, column([2.5] * 9), task=Task.REGRESSION)


def test_few_whole_numbers_may_be_classes(tmp_path: Path) -> None:
    _, found, notes = own(tmp_path, column([1, 2, 3] * 10 + [4]))
    assert found.task is Task.REGRESSION
    assert "y holds 4 different whole numbers only, 1 (10 times)" in notes
    assert (
        "4 (once, line 32): if they are classes, --task classification (data.task=multiclass)"
        in notes
    )
    assert not own(tmp_path, column([1, 2, 3, 4]))[2]


def test_a_number_that_may_stand_for_a_gap_is_said(tmp_path: Path) -> None:
    _, found, notes = own(tmp_path, column([*NUMBERS, -999, 7.5, -999]))
    assert found.values.min() == -999
    assert notes.startswith("y holds -999, far from its other values (lines 8, 10): if that stands")
    assert not own(tmp_path, column([*NUMBERS, 99, 45, 30]))[2]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([627], "y: 1 value lies further than 20 times the interquartile range, 4.5, from the"),
        ([627], "median, 7.5; the first is 627 (line 32): correct what is a slip"),
        (
            [-300, 4, 627],
            "y: 2 values lie further than 20 times the interquartile range, 4.5, from",
        ),
        ([-300, 4, 627], "the first is -300 (line 32)"),
    ],
)
def test_numbers_far_from_all_others_are_said_and_stay(
    tmp_path: Path, more: list[float], said: str
) -> None:
    cells = [3.25 + 0.25 * i for i in range(30)]
    middle = [7.5 - (2.25 if i % 2 else -2.25) for i in range(30)]
    assert not own(tmp_path, column(cells))[2]
    _, found, notes = own(tmp_path, column([*middle[:-2], 7.5, 7.5, *more]))
    assert said in notes
    assert set(more) <= set(found.values.ravel().tolist())


def test_what_is_not_far_or_has_no_quartiles_needs_no_word(tmp_path: Path) -> None:
    spread = [2.5 - i % 6 for i in range(30)]
    assert not own(tmp_path, column([*spread, 59.9]))[2]
    assert "1 value lies" in own(tmp_path, column([*spread, 61]))[2]
    assert not own(tmp_path, column([0.5] * 20 + [1, 2.25, 900]))[2]


def test_a_code_for_a_gap_is_said_once(tmp_path: Path) -> None:
    notes = own(tmp_path, column([*(i / 7 for i in range(30)), -9999]))[2]
    assert "if that stands for a gap" in notes
    assert "interquartile" not in notes


@pytest.mark.parametrize(("labels", "said"), [(1, "a holds only 0"), (2, "a, b hold only 0")])
def test_a_mixed_kind_is_said_in_the_right_number(tmp_path: Path, labels: int, said: str) -> None:
    names = ["a", "b"][:labels]
    rows = [f"{'C' * (i + 1)},{i % 2},{(i + 1) % 2},{i}.5\n" for i in range(4)]
    assert said in refusal(tmp_path, "smiles,a,b,y\n" + "".join(rows), *names, "y")


def test_a_label_column_of_one_class_among_others_is_said(tmp_path: Path) -> None:
    text = "smiles,a,b\nC,1,1\nCC,0,1\nCCC,1,1\n"
    _, found, notes = own(tmp_path, text, "a", "b")
    assert found.task is Task.MULTILABEL
    assert notes == "every label in b is 1 (3 cells), so its metric is undefined"


def test_a_constant_among_several_numbers_is_refused(tmp_path: Path) -> None:
    text = "smiles,a,b\nC,1.5,7\nCC,0.5,7\nCCC,1,7\n"
    assert "every value in b is 7 (3 cells)" in refusal(tmp_path, text, "a", "b")


def test_a_column_without_a_name_is_no_target(tmp_path: Path) -> None:
    text = ",smiles,y,\n" + "".join(f"{i},{'C' * (i + 1)},{i}.5,\n" for i in range(4))
    _, found, notes = own(tmp_path, text)
    assert (found.names, notes) == (("y",), "without a name, and not used: column 1")
    assert not own(tmp_path, text, "y")[2]


@pytest.mark.parametrize(
    ("cells", "said", "unsaid"),
    [
        (["1,38", "2,41"] * 9, "read_csv(OLD, sep=',', decimal=',').to_csv", "thousands"),
        (["1,385", "2,410", "0,5"], "decimal=',').to_csv", "multiclass"),
        (
            ["1.385,5", "2,41", "2.500"],
            "sep=',', decimal=',', thousands='.').to_csv",
            "write points",
        ),
        (["1,38", "2,41", "2.5"], "some cells of the column have a decimal point", "pandas"),
        (["1,385", "2,410"] * 9, "a comma between thousands, or a decimal", "pandas"),
        (["+", "+", "-"] * 9, "'+' (18 times), '-' (9 times): write 1 and 0", "comma"),
        (["1,138.0", "2,141.5"] * 9, "commas between thousands", "multiclass"),
        (["active", "inactive"] * 9, "'active' (9 times), 'inactive' (9 times): write 1", "comma"),
        (
            ["True", "False"] * 9,
            "for class names --task classification (data.task=multiclass)",
            "comma",
        ),
        ([*NUMBERS, "high"], "line 8: 'high'", "multiclass"),
        ([*NUMBERS, "?"], "NA, N/A, #N/A, <NA>, NaN, none, null and - are read as empty", "units"),
        ([*NUMBERS, "1e400"], "is out of range", "read as empty"),
        ([*NUMBERS, f"1{'0' * 300}"], "line 8: '1e+300' is out of range", "000"),
        (["mol/L", *NUMBERS], "line 2: 'mol/L'", "multiclass"),
        (["mol/L", *NUMBERS], "a line of units under the names is no row: remove it", "comma"),
        (["10^-3 M", *NUMBERS], "a line of units under the names is no row", "comma"),
        (["high", *NUMBERS, "low"], "line 2: 'high'", "units"),
        ([*NUMBERS, "inf"], "line 8: 'inf' is out of range", "multiclass"),
        ([*NUMBERS, "1e400"], "line 8: '1e400' is out of range", "multiclass"),
        ([*NUMBERS, "-nan"], "line 8: '-nan' is out of range", "multiclass"),
        ([*NUMBERS, "#DIV/0!"], "line 8: '#DIV/0!': an error of a spreadsheet", "multiclass"),
        ([*NUMBERS, "\u22123"], "U+2212 MINUS SIGN", "multiclass"),
    ],
)
def test_cells_that_are_no_number(
    tmp_path: Path, cells: list[object], said: str, unsaid: str
) -> None:
    message = refusal(tmp_path, column(cells))
    assert said in message
    assert unsaid not in message


def test_labels_that_are_none_say_how_to_read_them(tmp_path: Path) -> None:
    message = refusal(tmp_path, column([-1, 1, 1]), task=Task.MULTILABEL)
    assert "line 2: y = -1" in message
    assert "write 1 and 0" in message


CLASSES = ["red", "blue"] * 8


def test_classes_without_doubt_need_no_word(tmp_path: Path) -> None:
    _, found, notes = own(tmp_path, column(CLASSES), task=Task.MULTICLASS)
    assert (found.class_names, notes) == (("blue", "red"), "")


def test_blanks_around_some_classes_are_said(tmp_path: Path) -> None:
    _, found, notes = own(tmp_path, column([*CLASSES, " red", "blue "]), task=Task.MULTICLASS)
    assert found.class_names == ("blue", "red")
    assert notes == "blanks around the classes of y are left out (lines 18, 19)"
    rows = column([f" {name}" for name in CLASSES])
    assert not own(tmp_path, rows, task=Task.MULTICLASS)[2]


def test_molecules_without_a_class_are_named_and_left_out(tmp_path: Path) -> None:
    table, found, notes = own(tmp_path, column([*CLASSES, "", "red"]), task=Task.MULTICLASS)
    assert len(found.values) == len(table.rows) == 17
    assert notes == "1 row has no target and is left out: line 18"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["Red", "Red"], "the classes Red (2 times) and red (8 times) differ in case or blanks"),
        (["bl ue", "bl ue"], "bl ue (2 times) and blue (8 times) differ in case or blanks"),
        (["red\u200b"] * 2, r"red (8 times) and 'red\u200b' (2 times) differ"),
        (
            ["green"],
            "classes with one member, which is in one part of a split only: green (line 18",
        ),
    ],
)
def test_doubtful_classes_are_said(tmp_path: Path, more: list[str], said: str) -> None:
    _, _, notes = own(tmp_path, column([*CLASSES, *more]), task=Task.MULTICLASS)
    assert said in notes


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["none"], "line 18: 'none'"),
        (["-"], "holds cells that may be a class or none"),
        (["1", "1.0", "01"], "01 (once) and 1 (once) and 1.0 (once)"),
        (["re\nd"], "holds classes with a line break"),
        (["re\nd"], r"line 18: 're\nd'"),
    ],
)
def test_classes_that_cannot_be_told_apart_are_refused(
    tmp_path: Path, more: list[str], said: str
) -> None:
    assert said in refusal(tmp_path, column([*CLASSES, *more]), task=Task.MULTICLASS)


def test_numbers_as_classes_are_doubted(tmp_path: Path) -> None:
    _, _, notes = own(tmp_path, column([*NUMBERS, 1.5]), task=Task.MULTICLASS)
    assert "6 classes in 7 molecules; for numbers --task regression (data.task=regression)" in notes
