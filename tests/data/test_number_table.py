"""Files of numbers: every line as it stands, or named."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from pdf_search.data.raw.number_table import read_integers, read_labels, read_reals
from pdf_search.errors import DataError


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "T.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1\n2\n", [[1], [2]]),
        ("1,2\n3, 4", [[1, 2], [3, 4]]),
        ("1.0\n2\n-3.00\n", [[1], [2], [-3]]),
        ("1\r\n2\r\n", [[1], [2]]),
        ("\ufeff1\n2\n", [[1], [2]]),
        ("1\n2\n\n \n", [[1], [2]]),
        ("\ufeff 1.0 , 2\r\n\r\n", [[1, 2]]),
        ("9007199254740993\n\n", [[9007199254740993]]),
    ],
)
def test_what_is_used_as_it_stands(tmp_path: Path, text: str, values: list[list[int]]) -> None:
    read = read_integers(written(tmp_path, text))
    assert read.dtype == np.int64
    assert read.tolist() == values


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n\n2\n", "line 2: blank"),
        ("\n1\n", "line 1: blank"),
        ("1\n1.5\n", "line 2: '1.5' is not a whole number$"),
        ("1\nx\n", "line 2: 'x' is not a whole number$"),
        ("node\n1\n", "line 1: 'node' is not a whole number$"),
        ("1,2\n3 4\n", "line 2: '3 4' is not a whole number; numbers are separated by commas"),
        ("1;2\n3;4\n", "line 1: '1;2' is not a whole number; numbers are separated by commas"),
        ("1,2\n3\n", "line 2: 1 number, but line 1 holds 2"),
        ("1,2\n3,4,5\n", "line 2: 3 numbers, but line 1 holds 2"),
        ("1,2,\n3,4,\n", "line 1: '' is not a whole number$"),
        ('1\n"2\n3"\n', "line 2: '\"2' is not a whole number$"),
        ("True\nFalse\n", "line 1: 'True' is not a whole number$"),
        ("1\nnan\n", "line 2: 'nan' is not a whole number$"),
        ("1\n1_0\n", "line 2: '1_0' is not a whole number$"),
        ("1\n\u22122\n", "line 2: '\u22122' is not a whole number$"),
        ("1\n9223372036854775808\n", "line 2: '9223372036854775808' is not a whole number$"),
    ],
)
def test_what_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=rf"T\.txt, {message}"):
        read_integers(written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n0\n1.0\n", "line 3: '1.0' is the number '1' of line 1 in another spelling"),
        ("01\n0\n0\n1\n", "line 4: '1' is the number '01' of line 1 in another"),
        ("1,2\n2,+2\n", "line 2: '+2' is the number '2' of line 1"),
    ],
)
def test_a_label_in_two_spellings_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, text)
    assert read_integers(path).size
    with pytest.raises(DataError, match=re.escape(f"T.txt, {message}")):
        read_labels(path)


@pytest.mark.parametrize("text", ["1.0\n2.0\n1.0\n", "1\r\n2\r\n 1 \r\n\r\n", "\ufeff1\n2\n1"])
def test_labels_in_one_spelling(tmp_path: Path, text: str) -> None:
    assert read_labels(written(tmp_path, text), columns=1).tolist() == [[1], [2], [1]]


def test_columns_of_labels_may_be_spelt_differently(tmp_path: Path) -> None:
    assert read_labels(written(tmp_path, "1,1.0\n2,2.0\n")).tolist() == [[1, 1], [2, 2]]


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"T\.txt is not a text file: save it as plain text"):
        read_integers(written(tmp_path, "1\n2\n".encode("utf-16")))


def test_nothing_is_a_table_without_lines(tmp_path: Path) -> None:
    assert read_integers(written(tmp_path, ""), columns=2).shape == (0, 2)
    assert read_integers(written(tmp_path, "\n\n"), columns=2).shape == (0, 2)


def test_real_numbers_do_not_depend_on_blank_lines_at_the_end(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(200, 3)) * 1e-7
    text = "".join(",".join(map(repr, row)) + "\n" for row in values.tolist())
    plain = read_reals(written(tmp_path, text))
    np.testing.assert_allclose(plain, values, rtol=1e-15)
    assert read_reals(written(tmp_path, text + "\n\n")).tobytes() == plain.tobytes()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0.5,1\n2\n", "line 2: 1 number, but line 1 holds 2"),
        ("0.5\nNA\n", "line 2: 'NA' is not a number"),
        ("0.5\nnan\n", "line 2: 'nan' is not a number"),
        ("0.5\n\n1\n", "line 2: blank"),
        ("0.5\n1,5\n", "line 2: 2 numbers, but line 1 holds 1"),
    ],
)
def test_real_numbers_that_are_missing_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=rf"T\.txt, {message}"):
        read_reals(written(tmp_path, text))
