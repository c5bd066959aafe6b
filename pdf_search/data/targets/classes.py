"""Reads a column of class names as class numbers."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from pdf_search.data.option_words import AS_NUMBERS, TARGETS
from pdf_search.data.tables import cells
from pdf_search.data.tables.table import Table, at_lines, refuse, times
from pdf_search.errors import DataError
from pdf_search.wording import counted, visible

_SHOWN = 5  # classes in a note
_PER_CLASS = 2  # with fewer members a class on average, the column may not hold classes at all


def class_numbers(
    table: Table, name: str, strict: bool = True
) -> tuple[NDArray[np.float32], tuple[str, ...], list[str]]:
    """Read a column as class numbers.

    Classes that are numbers come first, ordered by value; the others are ordered by name. If not
    ``strict``, a number may be spelt in two ways, which are then two classes.

    Returns:
        The class numbers [g, 1], nan where the cell is empty; the names of the classes; and a note
        on each thing that is doubtful.

    Raises:
        DataError: A cell may be a class or a missing value, a number is spelt in two ways, or there
            are fewer than two classes.
    """
    column = table.column(name, TARGETS)
    _refuse_odd(table, name, column)
    counts = Counter(cell for cell in column if cell)
    labels = sorted(counts, key=_order)
    if strict:
        _refuse_two_spellings(table, name, counts)
    if len(labels) < 2:
        only = f"the single class {labels[0]!r}" if labels else "no class at all"
        gaps = [line for line, cell in zip(table.lines, column, strict=True) if not cell]
        rest = f"; no class in {at_lines(gaps)}" if gaps else ""
        raise DataError(f"{table.path}: column {name!r} holds {only}{rest}")
    number = {label: i for i, label in enumerate(labels)}
    values = np.array([[number.get(cell, np.nan)] for cell in column], np.float32)
    notes = [*_padding(table, name, counts), *_doubts(table, column, counts)]
    return values, tuple(labels), notes


def odd_cells(column: Sequence[str]) -> dict[int, str]:
    """Return the cells, by place, that may be a class or a missing value, or have a line break."""
    return {
        i: repr(cell)
        for i, cell in enumerate(column)
        if (cell and cells.is_missing(cell)) or _is_broken(cell)
    }


def _is_broken(cell: str) -> bool:
    return len(cell.splitlines()) > 1


def _refuse_odd(table: Table, name: str, column: list[str]) -> None:
    """Refuse cells such as NA, which may be a class or none, and cells with a line break."""
    odd = odd_cells(column)
    broken = [f"line {table.lines[i]}: {why}" for i, why in odd.items() if _is_broken(column[i])]
    refuse(
        broken,
        f"{table.path}: column {name!r} holds classes with a line break",
        "give the class a name in one line",
    )
    wrong = [f"line {table.lines[i]}: {why}" for i, why in odd.items()]
    refuse(
        wrong,
        f"{table.path}: column {name!r} holds cells that may be a class or none",
        "leave the cell empty if there is no class, else give the class another name",
    )


def _refuse_two_spellings(table: Table, name: str, counts: Counter[str]) -> None:
    groups = [_counted(spellings, counts) for spellings in _groups(counts, _value)]
    what = f"{table.path}: column {name!r} spells one number in several ways"
    refuse(groups, what, "write it in one")


def _padding(table: Table, name: str, counts: Counter[str]) -> list[str]:
    """A note if some labels have blanks around them and others have not."""
    lines = table.padded.get(name, [])
    if not lines or len(lines) == counts.total():
        return []
    return [f"blanks around the classes of {name} are left out ({at_lines(lines)})"]


def _doubts(table: Table, column: list[str], counts: Counter[str]) -> list[str]:
    """Notes on classes that differ in case or blanks alone, have one member, or are too many."""
    notes = [
        f"the classes {_counted(spellings, counts)} differ in case or blanks only; if they are "
        "one, spell them alike"
        for spellings in _groups(counts, _plain)
    ]
    single = [label for label, count in counts.items() if count == 1]
    if single:
        shown = [f"{visible(s)} ({at_lines([table.lines[column.index(s)]])})" for s in single]
        rest = f" and {len(single) - _SHOWN} more" if len(single) > _SHOWN else ""
        notes.append(
            f"classes with one member, which is in one part of a split only: "
            f"{', '.join(shown[:_SHOWN])}{rest}"
        )
    if counts.total() < _PER_CLASS * len(counts):
        classes = counted(len(counts), "class", "classes")
        notes.append(
            f"{classes} in {counted(counts.total(), 'molecule')}; for numbers {AS_NUMBERS}"
        )
    return notes


def _groups(counts: Counter[str], key: Callable[[str], Hashable]) -> list[list[str]]:
    """Groups of two or more labels with the same key; labels with the key None are in no group."""
    groups: dict[Hashable, list[str]] = {}
    for label in sorted(counts):
        groups.setdefault(label if key(label) is None else (key(label),), []).append(label)
    return [labels for labels in groups.values() if len(labels) > 1]


def _counted(labels: list[str], counts: Counter[str]) -> str:
    return " and ".join(f"{visible(label)} ({times(counts[label])})" for label in labels)


def _value(label: str) -> float | None:
    return cells.number(label) if cells.is_number(label) else None


def _plain(label: str) -> str:
    """A label for comparison: without case, blanks and characters of no width."""
    seen = (c for c in unicodedata.normalize("NFKC", label) if unicodedata.category(c) != "Cf")
    return "".join("".join(seen).casefold().split())


def _order(label: str) -> tuple[float, str]:
    try:
        return float(label), label
    except ValueError:
        return float("inf"), label
