"""The columns and rows of a user's table, and messages about its rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

from pdf_search.data.tables.cells import is_number
from pdf_search.data.tables.csv_rows import SEPARATORS
from pdf_search.errors import DataError
from pdf_search.wording import visible

_SHOWN = 20  # wrong lines in an error
_LISTED = 10  # lines in a note


@dataclass(frozen=True)
class Table:
    """The rows of a table file, each with the line of the file on which it begins.

    A Parquet file has no lines; its rows are counted from 1 instead.
    """

    path: Path
    columns: tuple[str, ...]  # a name may be empty or occur twice as long as nobody asks for it
    rows: list[list[str]]
    lines: list[int]
    numbers: list[int] = field(default_factory=list)  # pandas' row numbers; if empty: 0, 1, 2...
    notes: tuple[str, ...] = ()  # how the file was read, a sentence each
    padded: Mapping[str, list[int]] = field(default_factory=dict)  # lines of cells with blanks
    as_pandas: str = "sep=','"  # the options with which pandas reads it
    kind: str = "text"  # the format of the file: text, Parquet or SDF
    molecules: str = ""  # the column of molecules that the format itself has, as SDF does
    unreadable: Mapping[int, str] = field(default_factory=dict)  # line: why it has no molecule

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
                f"{self.path}: columns appear twice: {visible(name)} ({key}) is the name of "
                f"columns {among}; rename all but one"
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
        return replace(self._at(places, numbers), notes=(*self.notes, note))

    def without(self, wrong: Mapping[int, str], what: str) -> Table:
        """Return a table without the rows at the places ``wrong``, and a note on these.

        ``wrong`` has what is wrong at each place, and ``what`` begins the note.

        Raises:
            DataError: No row is left.
        """
        if not wrong:
            return self
        note = left_out([(self.lines[i], why) for i, why in wrong.items()], len(self.rows), what)
        if len(wrong) == len(self.rows):
            raise DataError(f"{self.path}: no row is left: {note}")
        numbers = self.numbers or list(range(len(self.rows)))
        places = [i for i in range(len(self.rows)) if i not in wrong]
        return replace(self._at(places, numbers), notes=(*self.notes, note))

    def _at(self, places: Sequence[int], numbers: Sequence[int]) -> Table:
        return replace(
            self,
            rows=[self.rows[i] for i in places],
            lines=[self.lines[i] for i in places],
            numbers=[numbers[i] for i in places],
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


def left_out(wrong: Sequence[tuple[int, str]], rows: int, what: str) -> str:
    """Return a note on rows that are left out; the first 10 are named with their causes.

    ``wrong`` has the line and the cause of each, ``rows`` is the number of rows before, and
    ``what`` says what the rows have in common.
    """
    named = "; ".join(f"line {line}: {why}" for line, why in wrong[:_LISTED])
    rest = [line for line, _ in wrong[_LISTED:]]
    more = f"; and {len(rest)} more, {at_lines(rest)}" if rest else ""
    are = "is" if len(wrong) == 1 else "are"
    return f"{len(wrong):,} of {rows:,} rows {are} left out, {what}: {named}{more}"


def rows_have(count: int) -> str:
    """Return the beginning of a note: ``1 row has`` or ``2,000 rows have``."""
    return "1 row has" if count == 1 else f"{count:,} rows have"


def times(count: int) -> str:
    """Return ``once`` or ``2,000 times``."""
    return "once" if count == 1 else f"{count:,} times"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(visible, names))
