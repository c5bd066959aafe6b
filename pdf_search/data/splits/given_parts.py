"""Reads the split that a column of the user's file gives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pdf_search.data.option_words import SPLIT
from pdf_search.data.tables.table import Table, refuse
from pdf_search.errors import DataError

PARTS = ("train", "valid", "test")
_WORDS = {
    "train": ("train", "training", "tr"),
    "valid": ("valid", "validation", "val", "dev"),
    "test": ("test", "testing", "tst"),
}
_OTHERWISE = "without a given split they are dealt out at random"
_PART_OF = {word: part for part, words in _WORDS.items() for word in words}


def given_parts(table: Table, column: str) -> dict[str, NDArray[np.int64]]:
    """Return the sorted row numbers of each part, as a column names them: train, valid or test.

    Raises:
        DataError: There is no such column, a cell names no part, or a part has no row.
    """
    cells = table.column(column, SPLIT)
    places = [f"line {line}" for line in table.lines]
    return parts_named(cells, places, f"{table.path}: column {column!r}")


def graph_places(count: int) -> list[str]:
    """Return how messages name each of so many graphs."""
    return [f"graph {i}" for i in range(count)]


def parts_named(
    words: Sequence[str], places: Sequence[str], what: str, otherwise: str = _OTHERWISE
) -> dict[str, NDArray[np.int64]]:
    """Return the sorted numbers of each part, as ``words`` name the part of each row or graph.

    ``places`` and ``what`` say in messages where the words stand, ``otherwise`` how to do without.

    Raises:
        DataError: A word names no part, or a part has no row.
    """
    parts = np.array(part_of_each(words, places, what, otherwise))
    found = {part: np.flatnonzero(parts == part) for part in PARTS}
    if empty := [part for part, rows in found.items() if not len(rows)]:
        raise DataError(
            f"{what}: none is {' or '.join(empty)}: each of train, valid and test needs some; "
            f"{otherwise}"
        )
    return found


def part_of_each(
    words: Sequence[str], places: Sequence[str], what: str, otherwise: str = _OTHERWISE
) -> list[str]:
    """Return the part that each of ``words`` names; see ``parts_named``.

    Raises:
        DataError: A word names no part.
    """
    parts = [_PART_OF.get(word.strip().lower(), "") for word in words]
    wrong = [
        f"{place}: {word!r}"
        for place, word, part in zip(places, words, parts, strict=True)
        if not part
    ]
    remedy = f"write train, valid or test; {otherwise}"
    refuse(wrong, f"{what} names no part of the split", remedy)
    return parts
