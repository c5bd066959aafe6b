"""A person's table file: encodings, separators, quotation marks, headers, rows without content."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from pdf_search.data.tables.read_table import read_table
from pdf_search.data.tables.table import Table
from pdf_search.errors import DataError

PLAIN = "smiles,y\nCC,1.5\nCCO,2.5\n"
ROWS = [["CC", "1.5"], ["CCO", "2.5"]]


def table(folder: Path, content: str | bytes, name: str = "mine.csv", as_is: bool = False) -> Table:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_table(path, as_is)


def refusal(folder: Path, content: str | bytes, name: str = "mine.csv") -> str:
    with pytest.raises(DataError) as caught:
        table(folder, content, name)
    return str(caught.value)


def many(first: int, last: int) -> str:
    return "".join(f"{'C' * i},{i}.5,name {i}\n" for i in range(first, last))


@pytest.mark.parametrize(
    ("content", "name", "separated"),
    [
        (PLAIN, "mine.csv", None),
        (PLAIN.replace(",", "\t"), "mine.tsv", None),
        (PLAIN.replace(",", "\t"), "mine.TAB", None),
        (PLAIN.replace(",", ";"), "mine.csv", "semicolons"),
        (PLAIN.replace(",", "\t"), "mine.csv", "tabs"),
        (PLAIN.replace(",", "\t"), "mine.txt", "tabs"),
        (PLAIN.replace(",", "|"), "mine.csv", "vertical bars"),
        (PLAIN, "mine.tsv", "commas"),
        ("sep=;\n" + PLAIN.replace(",", ";"), "mine.csv", "semicolons"),
        ('"sep=;"\r\n' + PLAIN.replace(",", ";"), "mine.csv", "semicolons"),
        ("\ufeffsep=,\r\n" + PLAIN, "mine.csv", "commas"),
    ],
)
def test_the_separator_is_found_and_an_unusual_one_is_said(
    tmp_path: Path, content: str, name: str, separated: str | None
) -> None:
    found = table(tmp_path, content, name)
    assert (found.columns, found.rows) == (("smiles", "y"), ROWS)
    notes = [f"the cells of the file are separated by {separated}"] if separated else []
    assert list(found.notes) == notes
    first = 3 if "sep=" in content else 2
    assert found.lines == [first, first + 1]


def test_semicolons_with_decimal_commas_keep_their_cells(tmp_path: Path) -> None:
    found = table(tmp_path, "smiles;y;z\nCC;1,5;2,5\nCCO;2,5;3,5\n")
    assert found.rows == [["CC", "1,5", "2,5"], ["CCO", "2,5", "3,5"]]
    assert found.as_pandas == "sep=';'"
    said = table(tmp_path, "sep=;\nsmiles;y\nCC;1,5\n")
    assert said.as_pandas == "sep=';', skiprows=1"


def test_one_column_of_smiles_is_one_column(tmp_path: Path) -> None:
    found = table(tmp_path, "smiles\nCC\nC(=O)O |note|\n[Na+].[Cl-]\n")
    assert found.rows == [["CC"], ["C(=O)O |note|"], ["[Na+].[Cl-]"]]
    assert not found.notes


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("start", ["", "\ufeff", "\n \n"])
def test_line_ends_marks_and_blank_lines_are_no_matter(
    tmp_path: Path, end: str, start: str
) -> None:
    text = start + PLAIN.replace("CCO", " \n\nCCO")
    found = table(tmp_path, text.replace("\n", end))
    assert (found.columns, found.rows) == (("smiles", "y"), ROWS)
    first = 2 + start.count("\n")
    assert found.lines == [first, first + 3]
    assert not found.notes


ACCENT = "smiles,y,by\nCC,1.5,Ann\nCCO,2.5,Andr\xe9\nC,3.5,Bob\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (PLAIN.encode("utf-16"), "it is UTF-16 .*iconv -f UTF-16"),
        (PLAIN.encode("utf-16-le"), "it is UTF-16"),
        (PLAIN.encode("utf-16-be"), "it is UTF-16"),
        (PLAIN.encode("utf-32"), "it is UTF-32: .*iconv -f UTF-32"),
        (PLAIN.encode("utf-32-be"), "it is UTF-32"),
        (ACCENT.encode("latin-1"), r"line 3 holds the byte 0xE9, in 'CCO,2.5,André' .*iconv"),
        (ACCENT.replace("\n", "\r").encode("latin-1"), "line 3 holds the byte 0xE9"),
        (PLAIN.replace("2.5", "2.5\0").encode(), "line 3 holds a NUL byte: the file is damaged"),
        (b"\xd0\xcf\x11\xe0" + bytes(60), "it is an old Excel workbook"),
        (b"\xef\xbb\xbf\n<!DOCTYPE html>\n<html>", "it is a web page"),
        (b'[{"smiles": "CC"}]', "it is JSON"),
    ],
)
def test_what_is_not_utf8_says_what_it_is_and_how_to_save_it(
    tmp_path: Path, content: bytes, said: str
) -> None:
    with pytest.raises(DataError, match=f"mine.csv is not a UTF-8 text file: {said}"):
        table(tmp_path, content)


def test_a_column_called_par1_is_no_parquet_file(tmp_path: Path) -> None:
    assert table(tmp_path, "PAR1,smiles\n1,CC\n").columns == ("PAR1", "smiles")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"--csv: .* cannot be read: Is a directory"):
        read_table(tmp_path, option="--csv")


def test_quoted_cells_are_read_as_they_stand(tmp_path: Path) -> None:
    text = 'smiles,note,y\nCC,"a, ""b""\nsecond, line",1.5\nCCO,5" pipe,2.5\n'
    found = table(tmp_path, text)
    assert found.rows == [["CC", 'a, "b"\nsecond, line', "1.5"], ["CCO", '5" pipe', "2.5"]]
    assert found.lines == [2, 4]
    assert found.notes == ("1 row has a cell over several lines: line 2",)


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ({'"name 9': "name 9"}, "line 9: a quotation mark opens a cell that is never closed"),
        (
            {'"name 9': "name 9", '"name 15': "name 15"},
            "line 9: a quotation mark opens a cell that goes on to line 15, where text stands",
        ),
        (
            {'"name 9': "name 9", 'name 15"': "name 15"},
            "line 9: a quotation mark on this line opens a cell that is closed on line 15 only",
        ),
        ({'"name" 9': "name 9"}, "line 9: text stands behind the quotation mark"),
    ],
)
def test_a_stray_quotation_mark_is_named_with_its_line(
    tmp_path: Path, mark: dict[str, str], said: str
) -> None:
    text = "smiles,y,name\n" + many(2, 30)
    for new, old in mark.items():
        text = text.replace(f",{old}\n", f",{new}\n")
    assert said in refusal(tmp_path, text)
    with pytest.raises(DataError, match="line 9"):
        table(tmp_path, text, as_is=True)


def test_a_stray_mark_never_gives_one_molecule_the_value_of_another(tmp_path: Path) -> None:
    text = 'smiles,name,y\nC,c,0.5\nCC,"a,1.5\nCCC,b",2.5\nCCCC,d,3.5\n'
    assert "line 3: a quotation mark on this line" in refusal(tmp_path, text)


def test_a_mark_that_swallows_more_than_a_cell_can_hold(tmp_path: Path) -> None:
    text = 'smiles,y,name\nCC,1.5,"name\n' + "CCC,2.5,another\n" * 20_000
    assert "line 2: a cell is longer than" in refusal(tmp_path, text)


GAPS = "smiles,y,id\nC,0.5,a\n,,\n\nCC,1.5,b\n  , ,\nCCC,2.5,c\n"


def test_rows_without_content_are_named_and_the_others_keep_pandas_numbers(tmp_path: Path) -> None:
    found = table(tmp_path, GAPS)
    assert found.rows == [["C", "0.5", "a"], ["CC", "1.5", "b"], ["CCC", "2.5", "c"]]
    assert found.lines == [2, 5, 7]
    assert found.notes == ("2 rows have no content and are left out: lines 3, 6",)
    as_pandas = pd.read_csv(found.path)
    assert as_pandas["id"][found.numbers].tolist() == ["a", "b", "c"]
    as_is = table(tmp_path, GAPS, as_is=True)
    assert [row[2] for row in as_is.rows] == ["a", "", "b", "", "c"]
    assert as_is.rows[3] == ["  ", " ", ""]
    assert not as_is.notes


def test_columns_that_nobody_asks_for_may_be_doubled_or_nameless(tmp_path: Path) -> None:
    found = table(tmp_path, ",smiles,y,z,z,,\n0,CC,1.5,3,4,,\n")
    assert found.column("y", "data.targets") == ["1.5"]
    with pytest.raises(DataError, match=r"columns appear twice: z \(data\.targets\) .* 4 and 5"):
        found.column("z", "data.targets")
    with pytest.raises(DataError, match="no column ''"):
        found.column("", "data.targets")


@pytest.mark.parametrize(
    ("text", "asked", "said"),
    [
        ("smiles,log  S\nCC,1\n", "log S", r"did you mean 'log  S'\?"),
        ("smiles,log\u00a0S\nCC,1\n", "log S", r"did you mean 'log\xa0S'\?"),
        ("smiles,LOGS\nCC,1\n", "logS", "did you mean LOGS?"),
        ("CC,1.5\nCCO,2.5\n", "smiles", "its first line looks like a row, not like names"),
        ("smiles;y, exp\nCC;1,5\n", "smiles", "name the separator on a line before the names"),
        ("Solubility, 2020\nsmiles,y\nC,1\n", "smiles", "line 2 has it: remove the lines above"),
        ("Solubility,\n,\nsmiles,y\nC,1\n", "y", "line 3 has it: remove the lines above"),
        ("smiles y\nCC 1.5\n", "smiles", "only blanks stand between its names"),
        ("smiles,2019\nCC,1\n", "2020", "did you mean 2019?"),
    ],
)
def test_a_column_that_is_not_there(tmp_path: Path, text: str, asked: str, said: str) -> None:
    with pytest.raises(DataError) as caught:
        table(tmp_path, text).column(asked, "data.targets")
    assert said.replace("\\?", "?") in str(caught.value)


def test_names_that_differ_by_blanks_around_them_are_the_same_name(tmp_path: Path) -> None:
    found = table(tmp_path, "smiles,y ,y\nCC,1,2\n")
    with pytest.raises(DataError, match="columns appear twice: y"):
        found.column("y", "data.targets")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("smiles,y\nCC,1,5\nC,2,5\n", "every row has a cell more than the header"),
        ("smiles,y\nCC,1,5\nC,2\n", "line 2: 3 cells, not 2: 'CC, 1, 5'"),
        ("smiles,y\nCC\t1\nC\t2\n", r"line 2: 1 cell, not 2: 'CC\t1'"),
        ("smiles,y\nCC,1\nC,2\n# end\n", "remove lines that are no rows, such as a comment"),
        ("smiles,y\nCC,1\nC,2\n# end\n", "line 4: 1 cell, not 2: '# end'"),
        ("smiles;y\nCC;1,5\nC;2,5;x\n", "(quote cells that contain a semicolon, remove those"),
        ("smiles;y\nCC;1,5\nC;2,5;x\n", "line 3: 3 cells, not 2: 'C; 2,5; x'"),
        ("smiles,y,z\nCC,1,2\nC,2\n", "give every row all its cells, also empty ones"),
        ("smiles,y\nCC,1\nsmiles,y\nC,2\n", "the names of the columns, line 1, stand once more"),
        ("smiles,y\nCC,1\nSmiles, Y\nC,2\n", "keep the first line of names only):\n  line 3"),
        ("smiles,y\n'a, b',1\n", "a cell is quoted by \", not by '"),
        ('smiles, y\nCC, "1,5"\n', "with no blank before the mark"),
        ("# from Ann\n# in 2019\nsmiles,y\nCC,1\n", "the line of names comes first"),
        ("solubility\nsmiles,y\nCC,1\n", "the line of names comes first"),
        (",,\nsmiles,y,z\nC,1,2\n", "its first line holds no names"),
        ("\n \n", "it is empty"),
        (
            "sep=;\nsmiles,y\nCC,1\n",
            "by semicolons, but in line 2 commas stand between them",
        ),
        ("smiles,y\n,\n", "a header but no rows"),
    ],
)
def test_headers_and_rows_that_do_not_fit(tmp_path: Path, text: str, said: str) -> None:
    assert said in refusal(tmp_path, text)
