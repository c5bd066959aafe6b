"""Reads a user's table file into columns and rows, with notes on how it was read."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

from pdf_search.data.tables.cells import is_number
from pdf_search.data.tables.csv_rows import (
    SEPARATORS,
    Layout,
    QuoteError,
    Row,
    check_lines,
    find_layout,
    rows_of,
    usual_separator,
)
from pdf_search.data.tables.text_file import read_text
from pdf_search.errors import DataError
from pdf_search.wording import counted

_SHOWN = 20  # wrong lines in an error
_LISTED = 10  # lines in a note
_WIDTH = 60  # characters of a wrong row
_SIGN = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a vertical bar"}


@dataclass(frozen=True)
class Table:
    """The rows of a table file, each with the line of the file on which it begins."""

    path: Path
    columns: tuple[str, ...]  # a name may be empty or occur twice as long as nobody asks for it
    rows: list[list[str]]
    lines: list[int]
    numbers: list[int] = field(default_factory=list)  # pandas' row numbers; if empty: 0, 1, 2...
    notes: tuple[str, ...] = ()  # how the file was read, a sentence each
    padded: Mapping[str, list[int]] = field(default_factory=dict)  # lines of cells with blanks
    as_pandas: str = "sep=','"  # the options with which pandas reads it

    def column(self, name: str, key: str) -> list[str]:
        """Return the cells of a column. ``key`` is the setting that named it, for the message.

        Raises:
            DataError: There is no such column, or there are several.
        """
        places = [place for place, column in enumerate(self.columns) if column == name]
        if not name or not places:
            raise DataError(self._unknown(name, key))
        if len(places) > 1:
            among = " and ".join(str(place + 1) for place in places)
            raise DataError(
                f"{self.path}: columns appear twice: {name} ({key}) is the name of columns "
                f"{among}; rename all but one"
            )
        return [row[places[0]] for row in self.rows]

    def kept(self, places: Sequence[int], lack: str) -> Table:
        """Return a table with the rows at these places alone, and a note on the others.

        ``lack`` is what the note says that they have, such as ``no target``.
        """
        numbers = self.numbers or list(range(len(self.rows)))
        places_kept = set(places)
        others = [line for i, line in enumerate(self.lines) if i not in places_kept]
        left = "is left out" if len(others) == 1 else "are left out"
        note = f"{rows_have(len(others))} {lack} and {left}: {at_lines(others)}"
        return replace(
            self,
            rows=[self.rows[i] for i in places],
            lines=[self.lines[i] for i in places],
            numbers=[numbers[i] for i in places],
            notes=(*self.notes, note),
        )

    def _line_of(self, name: str) -> int | None:
        """The line of the first row that has a name as one of its cells; None if no row has."""
        fitting = (i for i, row in zip(self.lines, self.rows, strict=True) if name in row)
        return next(fitting, None)

    def _unknown(self, name: str, key: str) -> str:
        close = get_close_matches(name, self.columns, n=3, cutoff=0.5)
        close += [c for c in self.columns if c.lower() == name.lower() and c not in close]
        hint = f"did you mean {_listed(close)}? " if close else ""
        if line := self._line_of(name):
            hint = f"line {line} has it: remove the lines above, so that names come first; "
        elif not close and any(is_number(column) for column in self.columns):
            hint = "its first line looks like a row, not like names: add a line of names; "
        elif any(separator in column for column in self.columns for separator in SEPARATORS):
            hint += "name the separator on a line before the names, as in sep=; "
        elif len(self.columns) == 1 and len(self.columns[0].split()) > 1:
            hint = "only blanks stand between its names: separate cells by commas; "
        return (
            f"{self.path} has no column {name!r} ({key}): {hint}"
            f"its columns are {_listed(self.columns)}"
        )


def read_table(path: Path, as_is: bool = False, option: str = "data.path") -> Table:
    """Read a table with a header line, separated by commas, semicolons, tabs or vertical bars.

    Blank lines are no rows. Cells are stripped, and rows of empty cells are left out with a note;
    with ``as_is`` neither is done. ``option`` is the setting that named the file, for messages.

    Raises:
        DataError: There is no such file, it is not UTF-8 text, it has no header or no rows, a
            quotation mark is not closed or encloses whole rows, or rows have another number of
            cells than the header.
    """
    text = read_text(path, option)
    layout = find_layout(text, path)
    try:
        rows = list(rows_of(text, layout.separator))[layout.said :]
        header = _header(path, rows)
        _check_said(path, layout, header)
        spread = check_lines(text, layout.separator, rows, len(header))
    except QuoteError as error:
        raise DataError(f"{path}: {error}") from None
    notes = []
    if layout.said or layout.separator != usual_separator(path):
        notes.append(f"the cells of the file are separated by {SEPARATORS[layout.separator]}")
    if spread:
        notes.append(f"{rows_have(len(spread))} a cell over several lines: {at_lines(spread)}")
    head, *body = rows
    full = [i for i, row in enumerate(body) if as_is or any(map(str.strip, row.cells))]
    if not full:
        raise DataError(f"{path} has a header but no rows")
    _check_widths(path, layout.separator, head, [body[i] for i in full])
    cells = [row.cells if as_is else [cell.strip() for cell in row.cells] for row in body]
    lines = [row.first for row in body]
    options = f"sep={layout.separator!r}" + (", skiprows=1" if layout.said else "")
    padded = {} if as_is else _padded(header, body)
    table = Table(path, header, cells, lines, notes=tuple(notes), padded=padded, as_pandas=options)
    if not as_is:
        _refuse_second_header(path, head, body)
    return table if len(full) == len(body) else table.kept(full, "no content")


def _header(path: Path, rows: list[Row]) -> tuple[str, ...]:
    header = tuple(cell.strip() for cell in rows[0].cells) if rows else ()
    if not any(header):
        problem = "its first line holds no names" if rows else "it is empty"
        raise DataError(f"{path}: {problem}; a header line with one name per column is needed")
    return header


def _padded(header: tuple[str, ...], rows: list[Row]) -> dict[str, list[int]]:
    """For each column the first lines of the rows whose cell has blanks around its content."""
    found: dict[str, list[int]] = {}
    for row in rows:
        for name, cell in zip(header, row.cells, strict=False):  # of empty rows any width
            if cell.strip() not in ("", cell):
                found.setdefault(name, []).append(row.first)
    return found


def _refuse_second_header(path: Path, header: Row, rows: list[Row]) -> None:
    """Refuse a table in which the header occurs again among the rows."""
    names = [cell.strip().casefold() for cell in header.cells]
    again = [row.first for row in rows if [c.strip().casefold() for c in row.cells] == names]
    refuse(
        [f"line {line}" for line in again],
        f"{path}: the names of the columns, line {header.first}, stand once more among the rows",
        "files were put one after another: keep the first line of names only",
    )


def _check_said(path: Path, layout: Layout, header: tuple[str, ...]) -> None:
    """Refuse a line such as ``sep=;`` if the header has other separators instead."""
    if not layout.said or len(header) > 1:
        return
    for other, name in SEPARATORS.items():
        if other in header[0]:
            raise DataError(
                f"{path}: line 1 says that cells are separated by {SEPARATORS[layout.separator]}, "
                f"but in line 2 {name} stand between them: remove line 1 or correct it"
            )


def _check_widths(path: Path, separator: str, header: Row, rows: list[Row]) -> None:
    width = len(header.cells)
    other = [row for row in rows if len(row.cells) != width]
    shown = (_shortened(row.cells, separator) for row in other)
    wrong = [
        f"line {row.first}: {_cells(len(row.cells))}, not {width}: {text}"
        for row, text in zip(other, shown, strict=True)
    ]
    names = ", ".join(cell.strip() for cell in header.cells)
    what = f"{path}: rows do not fit the header, line {header.first}, {names}"
    refuse(wrong, what, _width_remedy(separator, width, rows, other))


def _width_remedy(separator: str, width: int, rows: list[Row], other: list[Row]) -> str:
    """Say what to do about the rows ``other``, which are not as wide as the header."""
    starts = {cell.strip()[:1] for row in other for cell in row.cells}
    if width == 1:
        return "the line of names comes first: remove lines above it"
    if '"' in starts or "'" in starts:
        return "a cell is quoted by \", not by ', with no blank before the mark"
    remedies = []
    if all(len(row.cells) == width + 1 for row in rows):
        remedies.append("every row has a cell more than the header: name all columns")
    if any(len(row.cells) == 1 for row in other):
        remedies.append("remove lines that are no rows, such as a comment or a total")
    if any(len(row.cells) > width for row in other):
        remedies.append(f"quote cells that contain {_SIGN[separator]}, remove those too many")
        remedies += ["numbers have a decimal point"] if separator == "," else []
    return "; ".join(remedies or ["give every row all its cells, also empty ones"])


def _cells(count: int) -> str:
    return counted(count, "cell")


def _shortened(cells: list[str], separator: str) -> str:
    text = f"{separator} ".join(cells)
    return repr(text if len(text) <= _WIDTH else f"{text[:_WIDTH]}...")


def refuse(wrong: list[str], what: str, remedy: str) -> None:
    """Raise an error that lists the first 20 items of ``wrong``; do nothing if it is empty.

    Raises:
        DataError: ``wrong`` is not empty. The message begins with ``what`` and ``remedy``.
    """
    if not wrong:
        return
    shown = wrong[:_SHOWN]
    rest = len(wrong) - len(shown)
    more = [f"and {rest} more"] if rest else []
    raise DataError("\n  ".join([f"{what} ({remedy}):", *shown, *more]))


def at_lines(lines: Sequence[int]) -> str:
    """Return ``line 3`` or ``lines 3, 5, 8 and 12 more``; the first 10 lines are listed."""
    shown = ", ".join(map(str, lines[:_LISTED]))
    rest = len(lines) - _LISTED
    return f"line{'s'[: len(lines) > 1]} {shown}" + (f" and {rest} more" if rest > 0 else "")


def rows_have(count: int) -> str:
    """Return the beginning of a note: ``1 row has`` or ``2,000 rows have``."""
    return "1 row has" if count == 1 else f"{count:,} rows have"


def times(count: int) -> str:
    """Return ``once`` or ``2,000 times``."""
    return "once" if count == 1 else f"{count:,} times"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(visible, names))


def visible(name: str) -> str:
    """Return a name for messages, quoted in ASCII if it is empty or has characters hard to see."""
    plain = name.isprintable() and " ".join(name.split()) == name
    return name if name and plain and unicodedata.is_normalized("NFKC", name) else ascii(name)
