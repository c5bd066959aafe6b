"""Interprets a cell: whether it has no value, a number, or something else, and what is wrong."""

from __future__ import annotations

import re
import unicodedata

MISSING = frozenset({"", "nan", "na", "n/a", "none", "null", "-", "#n/a", "<na>"})
GAPS = "NA, N/A, #N/A, <NA>, NaN, none, null and -"  # ``MISSING`` for messages, without ""
TEXT = "no number"  # the cause if a cell does not look like a number at all
DECIMAL_COMMA = "a decimal comma: write a point"

_NUMBER = r"[+-]?(?:\d+(?:[.,]\d+)*|\.\d+)(?:[eE][+-]?\d+)?"
_MONTH = r"(?:jan|feb|mar|mrz|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-z]*"
_DATE = "a date, as spreadsheets make of numbers such as 3.1: take the number from its source"
# The first pattern that matches the whole cell gives the cause.
_CAUSES = [
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), cause)
    for pattern, cause in (
        (r"#[A-Z0-9/_]+[!?]", "an error of a spreadsheet's formula"),
        (r".*[\r\n].*", "a line break inside the cell"),
        (r"[+-]?0x[0-9a-f]+", "a hexadecimal number"),
        (r"[+-]?\d{1,3}(?:,\d{3})+\.\d*", "commas between thousands: leave them out"),
        (r"[+-]?\d{1,3}(?:,\d{3}){2,}", "commas between thousands: leave them out"),
        (r"[+-]?\d{1,3}(?:\.\d{3})+,\d*", f"points between thousands and {DECIMAL_COMMA}"),
        (r"[+-]?\d{1,3}(?:\.\d{3}){2,}", "points between thousands: leave them out"),
        (r"[+-]?\d{1,3}(?:'\d{3})+(?:\.\d*)?", "marks between thousands: leave them out"),
        (r"[+-]?[1-9]\d{0,2},\d{3}", f"a comma between thousands, or {DECIMAL_COMMA}"),
        (r"[+-]?\d*,\d+(?:e[+-]?\d+)?", DECIMAL_COMMA),
        (r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?:[ T].*)?", "a date"),
        (rf"\d{{1,2}}[-. ]+{_MONTH}(?:[-. ]+\d+)?", _DATE),
        (rf"{_MONTH}[-. ]+\d+", _DATE),
        (r"\d+/\d+", "a fraction, or a date as spreadsheets make of some numbers: write a decimal"),
        (r"[<>~=]+ *[+-]?[.\d].*", "a bound or an estimate: give a value, or leave the cell empty"),
        (r".*\d *(?:\+/?-|\+ -) *[.\d].*", "a value with its spread: give the value alone"),
        (rf"{_NUMBER} *%", "a percent sign: write the number alone"),
        (rf"{_NUMBER} *(?:-|to|\.\.\.) *{_NUMBER}", "a range: give one value"),
        (rf"{_NUMBER} *(?:[*^#]+|\[.*\]|\(.*\)|[a-z]\))", "a mark behind the number: remove it"),
        (r"[+-]? *\d+(?: \d+)+(?:\.\d*)?", "a blank inside the number: remove it"),
        (r"[+-] +[.\d].*", "a blank behind the sign: remove it"),
        (r"[+-]?[\d.]*_[\d_.]*", "an underscore inside the number: remove it"),
        (r"[+-]?\d*(?:\.\d*){2,}", "two decimal points"),
        (rf"{_NUMBER} *[a-z].*", "a unit or a word behind the number: write the number alone"),
        (rf"[$] *{_NUMBER}", "a sign in front of the number: remove it"),
    )
]
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d*)?")
_MINUS = "\u2212\u2010\u2011\u2012\u2013\u2014\u2015\ufe58\ufe63\uff0d\u00ad\u207b"
_ADVICE = {
    **dict.fromkeys(_MINUS, "write the ASCII -"),
    "\u00b1": "give the value alone",
    **dict.fromkeys("\u2264\u2265\u2248\u223c\u226a\u226b", "a bound or an estimate"),
    **dict.fromkeys("\u00d7\u00b7\u22c5\u2219", "write powers of ten as 3.2e5"),
}


def is_missing(cell: str) -> bool:
    """Whether a cell is empty or a word for a missing value, such as NA; case does not matter."""
    return cell.lower() in MISSING


def has_thousands(cell: str) -> bool:
    """Whether a cell may be a number with points between thousands, such as 1.234,5."""
    return _THOUSANDS.fullmatch(cell) is not None


def is_number(cell: str) -> bool:
    """Whether ``number`` can read a cell; infinities and nan count as numbers."""
    try:
        number(cell)
    except ValueError:
        return False
    return True


def number(cell: str) -> float:
    """Read a cell as ``float`` does, but refuse underscores and digits of other scripts.

    Raises:
        ValueError: The cell is no number; the message is its ``cause``.
    """
    try:
        if "_" in cell or not cell.isascii():
            raise ValueError(cell)
        return float(cell)
    except ValueError:
        raise ValueError(cause(cell)) from None


def cause(cell: str) -> str:
    """Say why a cell is no number and name characters that are hard to see; ``TEXT`` for a word."""
    odd = dict.fromkeys(character for character in cell if not character.isascii())
    if odd and any(character.isdigit() for character in cell):
        return "; ".join(map(_character, odd))
    fitting = (why for pattern, why in _CAUSES if pattern.fullmatch(cell))
    return next(fitting, TEXT)


def _character(character: str) -> str:
    """The code and name of a character, and what to write in its place."""
    advice = _ADVICE.get(character, "write the number alone, in ASCII")
    if unicodedata.category(character) == "Zs":
        advice = "a space: remove it"
    elif character.isdigit():
        advice = "write the digits 0 to 9"
    name = unicodedata.name(character, "a control character")
    return f"U+{ord(character):04X} {name}, {advice}"
