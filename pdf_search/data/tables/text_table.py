"""Reads the text of a table file into columns and rows, with notes on how it was read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pdf_search.data.tables.csv_rows import (
    SEPARATORS,
    Layout,
    QuoteError,
    Row,
    check_lines,
    find_layout,
    rows_of,
    usual_separator,
    without_lines,
)
from pdf_search.data.tables.table import Table, at_lines, left_out, refuse, rows_have
from pdf_search.errors import DataError
from pdf_search.wording import counted, visible

_WIDTH = 60  # characters of a wrong row
_MOST_MARKS = 100  # wrong quotation marks after which a file is given up
_SIGN = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a vertical bar"}


@dataclass(frozen=True)
class _Split:
    """A text split into rows; ``bad`` are lines that were left out, with what is wrong."""

    layout: Layout
    header: tuple[str, ...]
    rows: list[Row]
    spread: list[int]
    bad: dict[int, str]


def text_table(text: str, path: Path, as_is: bool, skip_bad: bool) -> Table:
    """Read the text of a table with a header line.

    Cells are separated by commas, semicolons, tabs or vertical bars. Blank lines are no rows. Cells
    are stripped, and rows of empty cells are left out with a note; with ``as_is`` neither is done.
    With ``skip_bad``, lines with a wrong quotation mark and rows with another number of cells than
    the header are left out, with a note, instead of refused.

    Raises:
        DataError: There is no header or no row, a quotation mark is not closed or encloses whole
            rows, or rows have another number of cells than the header.
    """
    split = _split(text, path, skip_bad)
    layout, header, (head, *body) = split.layout, split.header, split.rows
    notes = []
    if layout.said or layout.separator != usual_separator(path):
        notes.append(f"the cells of the file are separated by {SEPARATORS[layout.separator]}")
    if split.spread:
        have = rows_have(len(split.spread))
        notes.append(f"{have} a cell over several lines: {at_lines(split.spread)}")
    bad = dict(split.bad)
    if skip_bad:
        bad |= _other_widths(layout.separator, head, body)
        body = [row for row in body if row.first not in bad]
    if bad:
        wrong = sorted(bad.items())
        notes.append(left_out(wrong, len(body) + len(bad), "which cannot be split into cells"))
    full = [i for i, row in enumerate(body) if as_is or any(map(str.strip, row.cells))]
    if not full:
        raise DataError("; ".join([f"{path} has a header but no rows", *notes[-1:]]))
    _check_widths(path, layout.separator, head, [body[i] for i in full])
    cells = [row.cells if as_is else [cell.strip() for cell in row.cells] for row in body]
    lines = [row.first for row in body]
    options = f"sep={layout.separator!r}" + (", skiprows=1" if layout.said else "")
    padded = {} if as_is else _padded(header, body)
    table = Table(path, header, cells, lines, notes=tuple(notes), padded=padded, as_pandas=options)
    if not as_is:
        _refuse_second_header(path, head, body)
    return table if len(full) == len(body) else table.kept(full, "no content")


def _split(text: str, path: Path, skip_bad: bool) -> _Split:
    """Split a text into rows; with ``skip_bad``, without the lines of wrong quotation marks."""
    bad: dict[int, str] = {}
    while True:
        layout = find_layout(text, path)
        try:
            rows = list(rows_of(text, layout.separator))[layout.said :]
            header = _header(path, rows)
            _check_said(path, layout, header)
            spread = check_lines(text, layout.separator, rows, len(header))
        except QuoteError as error:
            if not skip_bad or len(bad) >= _MOST_MARKS:
                raise DataError(f"{path}: {error}") from None
            bad |= dict.fromkeys(error.lines, "a quotation mark in the wrong place")
            text = without_lines(text, error.lines)
        else:
            return _Split(layout, header, rows, spread, bad)


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


def _other_widths(separator: str, header: Row, rows: list[Row]) -> dict[int, str]:
    """For each row that is not as wide as the header and not empty: its line, and what it has."""
    width = len(header.cells)
    return {
        row.first: f"{_cells(len(row.cells))}, not {width}: {_shortened(row.cells, separator)}"
        for row in rows
        if len(row.cells) != width and any(map(str.strip, row.cells))
    }


def _check_widths(path: Path, separator: str, header: Row, rows: list[Row]) -> None:
    width = len(header.cells)
    other = [row for row in rows if len(row.cells) != width]
    shown = (_shortened(row.cells, separator) for row in other)
    wrong = [
        f"line {row.first}: {_cells(len(row.cells))}, not {width}: {text}"
        for row, text in zip(other, shown, strict=True)
    ]
    names = ", ".join(visible(cell.strip()) for cell in header.cells)
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
