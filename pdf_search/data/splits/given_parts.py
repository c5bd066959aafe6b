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
_PART_OF = {word: part for part, words in _WORDS.items() for word in words}


def given_parts(table: Table, column: str) -> dict[str, NDArray[np.int64]]:
    """Return the sorted row numbers of each part, as a column names them: train, valid or test.

    Raises:
        DataError: There is no such column, a cell names no part, or a part has no row.
    """
    cells = table.column(column, SPLIT)
    places = [f"line {line}" for line in table.lines]
    return parts_named(cells, places, f"{table.path}: column {column!r}")


def parts_named(
    words: Sequence[str], places: Sequence[str], what: str
) -> dict[str, NDArray[np.int64]]:
    """Return the sorted numbers of each part, as ``words`` name the part of each row or graph.

    ``places`` and ``what`` say in messages where the words stand.

    Raises:
        DataError: A word names no part, or a part has no row.
    """
    parts = [_PART_OF.get(word.strip().lower()) for word in words]
    wrong = [
        f"{place}: {word!r}"
        for place, word, part in zip(places, words, parts, strict=True)
        if part is None
    ]
    refuse(wrong, f"{what} names no part of the split", "write train, valid or test")
    found = {
        part: np.array([i for i, p in enumerate(parts) if p == part], np.int64) for part in PARTS
    }
    if empty := [part for part, rows in found.items() if not len(rows)]:
        raise DataError(
            f"{what}: none is {' or '.join(empty)}: each of train, valid and test needs some; "
            "without a given split they are dealt out at random"
        )
    return found
