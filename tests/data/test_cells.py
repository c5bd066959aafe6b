"""Numbers as people write them: refused with the cause."""

from __future__ import annotations

import math

import pytest

from pdf_search.data.tables.cells import GAPS, MISSING, TEXT, cause, is_missing, number


@pytest.mark.parametrize(
    ("cell", "value"),
    [("1.5", 1.5), ("-2", -2.0), (".5", 0.5), ("5.", 5.0), ("1e-3", 1e-3), ("+1E3", 1000.0)],
)
def test_numbers(cell: str, value: float) -> None:
    assert number(cell) == value


def test_infinity_is_left_to_the_range() -> None:
    assert math.isinf(number("1e400"))


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("\u22123.44", "U+2212 MINUS SIGN, write the ASCII -"),
        ("3.44e\u221200", "U+2212 MINUS SIGN, write the ASCII -"),
        ("\u20133", "U+2013 EN DASH, write the ASCII -"),
        ("\uff11.5", "U+FF11 FULLWIDTH DIGIT ONE, write the digits 0 to 9"),
        ("1\u202f344", "U+202F NARROW NO-BREAK SPACE, a space: remove it"),
        ("3.44 \u00b1 0.2", "U+00B1 PLUS-MINUS SIGN, give the value alone"),
        ("\u226410", "U+2264 LESS-THAN OR EQUAL TO, a bound or an estimate"),
        ("3.2\u00d710^5", "U+00D7 MULTIPLICATION SIGN, write powers of ten as 3.2e5"),
        ("5 \u00b5M", "U+00B5 MICRO SIGN"),
        ("3.4\u200b", "U+200B ZERO WIDTH SPACE"),
        ("1,38", "a decimal comma"),
        ("-0,5", "a decimal comma"),
        ("0,125", "a decimal comma"),
        (",5", "a decimal comma"),
        ("1,138.0", "commas between thousands"),
        ("1,234,567", "commas between thousands"),
        ("1.138,0", "points between thousands and a decimal comma"),
        ("1,138", "a comma between thousands, or a decimal comma"),
        ("1.234.567", "points between thousands"),
        ("1'138.5", "marks between thousands"),
        ("1 344", "a blank inside the number"),
        ("- 3", "a blank behind the sign"),
        ("3.44 +/- 0.2", "a value with its spread"),
        ("3.44+-0.2", "a value with its spread"),
        ("3.44*", "a mark behind the number"),
        ("3.44 (2)", "a mark behind the number"),
        ("3.44[a]", "a mark behind the number"),
        ("34.4%", "a percent sign"),
        (">10", "a bound or an estimate"),
        ("<0.1", "a bound or an estimate"),
        ("~5", "a bound or an estimate"),
        (">= 10", "a bound or an estimate"),
        ("3-5", "a range"),
        ("3 to 5", "a range"),
        ("2024-01-05", "a date"),
        ("05/01/2024", "a date"),
        ("5.1.2024", "a date"),
        ("1.2.3", "a date"),
        ("5-Jan", "a date, as spreadsheets make of numbers such as 3.1: take the number from"),
        ("03.Jan", "a date, as spreadsheets make"),
        ("3. Jan", "a date, as spreadsheets make"),
        ("3.Jan.2020", "a date, as spreadsheets make"),
        ("01. Dez", "a date, as spreadsheets make"),
        ("Mai 20", "a date, as spreadsheets make"),
        ("3/1", "a fraction, or a date"),
        ("Jan-05", "a date"),
        ("1..2", "two decimal points"),
        ("0x1F", "a hexadecimal number"),
        ("1_50", "an underscore"),
        ("5 nM", "a unit or a word"),
        ("5nM", "a unit or a word"),
        ("$5", "a sign in front"),
        ("#DIV/0!", "an error of a spreadsheet's formula"),
        ("#NAME?", "an error of a spreadsheet's formula"),
        ("1.5\n2.5", "a line break inside the cell"),
        ("high", TEXT),
        ("h\u00f6her", TEXT),
        ("+", TEXT),
    ],
)
def test_what_is_no_number_says_why(cell: str, why: str) -> None:
    assert why in cause(cell)
    with pytest.raises(ValueError, match=r".") as caught:
        number(cell)
    assert str(caught.value) == cause(cell)


@pytest.mark.parametrize("cell", ["", "NaN", "n/a", "NA", "#N/A", "-", "None", "null"])
def test_cells_without_a_value(cell: str) -> None:
    assert is_missing(cell)


@pytest.mark.parametrize("cell", ["0", "--", "?", "#REF!", "missing", "-nan"])
def test_everything_else_is_a_value_or_refused(cell: str) -> None:
    assert not is_missing(cell)


def test_words_for_a_gap_are_told_whole() -> None:
    told = GAPS.replace(" and", ",").lower().split(", ")
    assert {"", *told} == MISSING
