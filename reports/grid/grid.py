"""A table of cells: named columns, lines in groups, footnotes. Other files render it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from string import ascii_lowercase
from typing import Any

from pdf_search.records import Metric
from reports.grid.cell import Cell
from reports.grid.marks import marks

ABSENT = "–"


class Formula(str):
    """A text that is LaTeX already, such as ``$O(n^2)$``."""

    @property
    def plain(self) -> str:
        """The formula without LaTeX, such as ``O(n²)``."""
        return self.replace("$", "").replace("^2", "²")


@dataclass(frozen=True)
class Line:
    """One line of a grid: its name, and a cell or plain text for each column.

    A rule is drawn where ``section`` changes. ``group`` is printed in a column of its own, on the
    first of consecutive lines that share it. ``record`` is the line of the CSV, if the grid names
    ``fields``.
    """

    name: str
    cells: tuple[Cell | str, ...]
    kind: str = "ours"
    section: str = ""
    group: str = ""
    record: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Grid:
    """A table that the renderers print.

    ``key`` is the LaTeX label, and the value of column ``table`` in the CSV. ``corner`` is the
    header over the names of the lines. ``partial`` is added to the title; ``notices`` say in full
    what is unfinished. ``lead`` has the paragraphs above the table. ``asides`` are columns that
    LaTeX leaves out and a page sets in small print. ``fields`` are the columns of the CSV, which
    then has one line per record; without them it has one line per number. ``sort_keys`` name, for
    the corner and each column, the value of a record by which a page sorts; without them a table
    keeps its order.
    """

    key: str
    title: str
    corner: str
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    provenance: tuple[str, ...] = ()  # commands and commits
    partial: str = ""
    notices: tuple[str, ...] = ()
    subscripts: bool = False  # whether parameter counts stand under the numbers
    lead: tuple[str, ...] = ()
    asides: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    sort_keys: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """The title, followed by ``partial`` in brackets."""
        return self.title + (f" ({self.partial})" if self.partial else "")

    @property
    def label_columns(self) -> tuple[str, ...]:
        """Headers of the columns that name the lines: one, or two if the lines have groups."""
        return ("", self.corner) if self.grouped else (self.corner,)

    @property
    def grouped(self) -> bool:
        """Whether any line has a group."""
        return any(line.group for line in self.lines)

    def labels(self, index: int) -> tuple[str, ...]:
        """Texts that name line ``index``, one for each label column.

        The group is empty where it is that of the line above.
        """
        line = self.lines[index]
        if not self.grouped:
            return (line.name,)
        begins = index == 0 or self.lines[index - 1].group != line.group
        return (line.group if begins else "", line.name)

    def sort_values(self, index: int) -> list[Any]:
        """What line ``index`` is sorted by in each column: a number, a text, or None."""
        values = [self.lines[index].record.get(key) for key in self.sort_keys]
        return [v if _sortable(v) else None if v is None else str(v) for v in values]

    @property
    def begins_section(self) -> tuple[bool, ...]:
        """For each line, whether its section differs from that of the line above."""
        sections = [line.section for line in self.lines]
        return tuple(i > 0 and sections[i - 1] != own for i, own in enumerate(sections))

    def numbers(self) -> Iterator[tuple[Line, str, Cell]]:
        """Yield every cell with its line and the name of its column."""
        for line in self.lines:
            for column, cell in zip(self.columns, line.cells, strict=True):
                if isinstance(cell, Cell):
                    yield line, column, cell

    def footnotes(self) -> dict[str, str]:
        """Footnotes of the cells in order, each with the letter that marks it (a, b, ..., aa)."""
        texts = dict.fromkeys(cell.footnote for *_, cell in self.numbers() if cell.footnote)
        return {text: _letters(i) for i, text in enumerate(texts)}


def without_columns(grid: Grid, names: Collection[str]) -> Grid:
    """The grid without the columns of these names; one that a page does not sort."""
    kept = [i for i, column in enumerate(grid.columns) if column not in names]
    lines = [replace(line, cells=tuple(line.cells[i] for i in kept)) for line in grid.lines]
    return replace(grid, columns=tuple(grid.columns[i] for i in kept), lines=tuple(lines))


def marked(metric: Metric, lines: Sequence[Line], column: int) -> list[Line]:
    """The lines with the best and second-best number of one column marked."""
    places = [i for i, line in enumerate(lines) if isinstance(line.cells[column], Cell)]
    cells = [cell for i in places if isinstance(cell := lines[i].cells[column], Cell)]
    result = list(lines)
    for i, cell, mark in zip(places, cells, marks(metric, cells), strict=True):
        old = result[i].cells
        result[i] = replace(
            result[i], cells=(*old[:column], replace(cell, mark=mark), *old[column + 1 :])
        )
    return result


def _sortable(value: Any) -> bool:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and isfinite(value)


def _letters(number: int) -> str:
    more, last = divmod(number, len(ascii_lowercase))
    return (ascii_lowercase[more - 1] if more else "") + ascii_lowercase[last]
