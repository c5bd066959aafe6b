"""Splits text into rows of cells: finds the separator, checks quotation marks, counts lines."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from pdf_search.data.tables.file_bytes import unpacked_name

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_SAMPLE = 100  # the first rows, in which a separator must give equal numbers of cells
_EXCEL_LINE = re.compile(r"""["']?sep=([,;|\t])["']?\s*?(\r|\n|$)""", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n|\r|\n")


class Row(NamedTuple):
    """The cells of a row, and the first and last line that it stands on, counted from 1."""

    first: int
    last: int
    cells: list[str]


class QuoteError(Exception):
    """A quotation mark that is not closed, or is closed in the wrong place.

    ``lines`` are those without which the others can be read.
    """

    def __init__(self, message: str, *lines: int) -> None:
        super().__init__(message)
        self.lines = lines


class Layout(NamedTuple):
    """The separator of the cells, and whether the first line is only there to name it."""

    separator: str
    said: bool


def find_layout(text: str, path: Path) -> Layout:
    """Find the separator of the cells.

    It is the one that a first line such as ``sep=;`` names, as Excel writes it. Without such a
    line it is the usual one for the file's suffix if that gives all rows equal numbers of cells,
    else the one that does and gives the most cells. If none does, it is one that gives the first
    row several cells, or else the usual one.
    """
    if found := _EXCEL_LINE.match(text):
        return Layout(found[1], said=True)
    usual = usual_separator(path)
    order = [usual, *(s for s in SEPARATORS if s != usual)]
    widths = {separator: _widths(text, separator) for separator in order}
    fitting = [s for s in order if len(set(widths[s])) == 1 and widths[s][0] > 1]
    if fitting:
        best = fitting[0] if fitting[0] == usual else max(fitting, key=lambda s: widths[s][0])
        return Layout(best, said=False)
    several = [separator for separator in order if widths[separator][:1] > [1]]
    return Layout([*several, usual][0], said=False)


def usual_separator(path: Path) -> str:
    """Return the separator that is usual for a file's suffix: a tab or a comma."""
    return "\t" if unpacked_name(path).suffix.lower() in (".tsv", ".tab") else ","


def rows_of(text: str, separator: str) -> Iterator[Row]:
    """Yield every row; blank lines are left out.

    Raises:
        QuoteError: A quotation mark is not closed, or other text follows the one that closes it.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    first = 1
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise QuoteError(_unclosed(first, reader.line_num, str(error)), first) from None
        if cells and not (len(cells) == 1 and cells[0].isspace()):
            yield Row(first, reader.line_num, cells)
        first = reader.line_num + 1


def check_lines(text: str, separator: str, rows: list[Row], width: int) -> list[int]:
    """Find the rows that stand on several lines because a quoted cell contains a line break.

    ``width`` is the number of cells of a row.

    Returns:
        The first line of each such row.

    Raises:
        QuoteError: Such a row has lines that look like rows themselves.
    """
    spread = [row for row in rows if row.last > row.first]
    lines = _LINE_END.split(text) if spread else []
    for row in spread:
        begin, *rest = lines[row.first - 1 : row.last]
        if _is_row(begin, separator, width) and any(_is_row(r, separator, width) for r in rest):
            raise QuoteError(
                f"line {row.first}: a quotation mark on this line opens a cell that is closed on "
                f"line {row.last} only and holds whole rows: remove the mark, or, if the cell is "
                "right, the line breaks inside it",
                row.first,
                row.last,
            )
    return [row.first for row in spread]


def without_lines(text: str, lines: Collection[int]) -> str:
    """Return the text with these lines emptied; the others keep their numbers."""
    parts = re.split(f"({_LINE_END.pattern})", text)  # lines and their ends in turn
    for line in lines:
        parts[2 * (line - 1)] = ""
    return "".join(parts)


def _widths(text: str, separator: str) -> list[int]:
    """The number of cells in each of the first rows."""
    widths: list[int] = []
    try:
        for row in islice(rows_of(text, separator), _SAMPLE):
            widths.append(len(row.cells))
    except QuoteError:
        pass  # reported when the rows are read
    return widths


def _is_row(line: str, separator: str, width: int) -> bool:
    """Whether a line looks like a row: all cells are there, and none begins with a blank.

    In prose, a blank follows a comma.
    """
    plain = line.split(separator)
    quoted = next(csv.reader([line], delimiter=separator), [])
    return any(
        len(cells) == width and not any(cell.startswith(" ") for cell in cells)
        for cells in (plain, quoted)
    )


def _unclosed(first: int, last: int, problem: str) -> str:
    if "limit" in problem:
        what = "a cell is longer than 131,072 characters; a quotation mark may not be closed"
    elif "end of data" in problem:
        what = "a quotation mark opens a cell that is never closed"
    elif first == last:
        what = "text stands behind the quotation mark that closes a cell"
    else:
        what = (
            f"a quotation mark opens a cell that goes on to line {last}, where text stands behind "
            "the mark that closes it"
        )
    return f'line {first}: {what}: remove the mark, or put the cell in " and double the marks in it'
