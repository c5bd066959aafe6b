"""Reads the split that a column of the user's file gives."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
    cells = table.column(column, "data.split_column")
    parts = [_PART_OF.get(cell.strip().lower()) for cell in cells]
    wrong = [
        f"line {line}: {cell!r}"
        for line, cell, part in zip(table.lines, cells, parts, strict=True)
        if part is None
    ]
    what = f"{table.path}: column {column!r} names no part of the split"
    refuse(wrong, what, "write train, valid or test")
    found = {
        part: np.array([i for i, p in enumerate(parts) if p == part], np.int64) for part in PARTS
    }
    if empty := [part for part, rows in found.items() if not len(rows)]:
        raise DataError(
            f"{table.path}: no row is {' or '.join(empty)} in column {column!r}: each of train, "
            "valid and test needs rows; without the column rows are dealt out at random"
        )
    return found
