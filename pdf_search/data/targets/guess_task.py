"""Guesses the task of target columns when the user names none, and notes what is doubtful."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdf_search.data.option_words import AS_CLASSES, AS_NUMBERS, TARGETS
from pdf_search.data.tables.table import Table, at_lines, refuse, times
from pdf_search.errors import DataError
from pdf_search.records import Task

_STRAY = 0.1  # up to this fraction of other values, a column of 0 and 1 may hold labels with errors
_FEW = 10  # up to so many different whole numbers may be the codes of classes
_REPEATS = 5  # if each of them occurs so often on average
_GAP_CODES = (99, 999, 9999, 99999, 999999)  # people write these, or minus these, for no value
_FAR = 5  # a gap code is more than so many times as large as every other value
_QUARTILES = 20  # a value so many interquartile ranges from the median may be a mistake

GUESSED = {
    Task.MULTILABEL: "guessed: the targets hold only 0 and 1; --task regression, or "
    "data.task=multiclass, reads them otherwise",
    Task.REGRESSION: f"guessed: the targets are numbers; {AS_CLASSES} reads them as classes",
}
"""Why a task was guessed, and what to do if the guess is wrong."""


def guess_task(
    table: Table, names: tuple[str, ...], values: NDArray[np.float32], strict: bool = True
) -> Task:
    """Return MULTILABEL if every column holds only 0 and 1, else REGRESSION.

    Raises:
        DataError: Some columns hold only 0 and 1 and others do not. If ``strict``, also: a column
            of 0 and 1 has a few other values, or a column has just two different values.
    """
    columns = dict(zip(names, values.T, strict=True))
    labels = [name for name, column in columns.items() if np.isin(_known(column), (0, 1)).all()]
    if len(labels) == len(names):
        return Task.MULTILABEL
    others = [name for name in names if name not in labels]
    for name in others if strict else ():
        _refuse_strays(table, name, columns[name])
        _refuse_two(table, name, columns[name])
    if labels:
        hold = "holds" if len(labels) == 1 else "hold"
        raise DataError(
            f"{table.path}: {', '.join(labels)} {hold} only 0 and 1, the other targets do not: "
            f"{AS_NUMBERS}, or targets of one kind ({TARGETS})"
        )
    return Task.REGRESSION


def whole_number_note(
    table: Table, names: tuple[str, ...], values: NDArray[np.float32]
) -> list[str]:
    """Return a note on each column of a few different whole numbers, which may be classes."""
    notes = []
    for name, column in zip(names, values.T, strict=True):
        known = _known(column)
        count = len(np.unique(known))
        whole = (known == np.round(known)).all()
        if whole and 2 < count <= _FEW and len(known) >= _REPEATS * count:
            notes.append(
                f"{name} holds {count} different whole numbers only, {_counted(table, column)}: "
                f"if they are classes, {AS_CLASSES}"
            )
    return notes


def gap_code_note(table: Table, names: tuple[str, ...], values: NDArray[np.float32]) -> list[str]:
    """Return a note on each column with numbers like -999, which often mean a missing value."""
    notes = []
    for name, column in zip(names, values.T, strict=True):
        code = _gap_codes(column)
        if code.any():
            lines = at_lines([table.lines[i] for i in np.flatnonzero(code)])
            shown = " and ".join(f"{value:g}" for value in np.unique(column[code]))
            notes.append(
                f"{name} holds {shown}, far from its other values ({lines}): if that stands for "
                "a gap, leave the cell empty"
            )
    return notes


def outlier_note(table: Table, names: tuple[str, ...], values: NDArray[np.float32]) -> list[str]:
    """Return a note on each column with numbers so far from the median that they may be mistakes.

    A column whose quartiles are equal gets none, because they say nothing about its spread.
    """
    notes = []
    for name, column in zip(names, values.astype(np.float64).T, strict=True):
        low, middle, high = np.nanquantile(column, (0.25, 0.5, 0.75))
        far = (np.abs(column - middle) > _QUARTILES * (high - low)) & ~_gap_codes(column)
        if low < high and far.any():
            first = np.flatnonzero(far)[0]
            lie = "value lies" if far.sum() == 1 else "values lie"
            notes.append(
                f"{name}: {far.sum():,} {lie} further than {_QUARTILES} times the interquartile "
                f"range, {high - low:g}, from the median, {middle:g}; the first is "
                f"{column[first]:g} (line {table.lines[first]}): correct what is a slip"
            )
    return notes


def in_words(counts: Mapping[str, int]) -> str:
    """List values with their counts: ``'yes' (3 times), 'no' (once)``."""
    return ", ".join(f"{value!r} ({times(count)})" for value, count in counts.items())


def _known(column: NDArray[np.float32]) -> NDArray[np.float32]:
    return column[~np.isnan(column)]


def _gap_codes(column: NDArray[np.floating[Any]]) -> NDArray[np.bool_]:
    """Which values of a column are gap codes, bool [g]; none if other values come near them."""
    code = np.isin(np.abs(column), _GAP_CODES)
    others = np.abs(column[~code & ~np.isnan(column)])
    far = code.any() and len(others) and others.max() * _FAR < np.abs(column[code]).min()
    return code if far else np.zeros_like(code)


def _refuse_strays(table: Table, name: str, column: NDArray[np.float32]) -> None:
    """Refuse a column of 0 and 1 in which a few cells hold something else."""
    known = _known(column)
    is_label = np.isin(known, (0, 1))
    if is_label.mean() < 1 - _STRAY or len(np.unique(known[is_label])) < 2:
        return
    bad = np.flatnonzero(~np.isnan(column) & ~np.isin(column, (0, 1)))
    refuse(
        [f"line {table.lines[i]}: {column[i]:g}" for i in bad],
        f"{table.path}: column {name!r} holds 0 and 1 but in {len(bad)} of {len(known)} cells",
        f"correct them if they are labels; for numbers {AS_NUMBERS}",
    )


def _refuse_two(table: Table, name: str, column: NDArray[np.float32]) -> None:
    """Refuse a column of two different values: probably labels, but which one is 1 is unknown."""
    known = _known(column)
    if len(np.unique(known)) != 2 or len(known) == 2:
        return
    raise DataError(
        f"{table.path}: column {name!r} holds only two values, {_counted(table, column)}: for "
        f"labels write 0 and 1, or {AS_CLASSES}; for numbers {AS_NUMBERS}"
    )


def _counted(table: Table, column: NDArray[np.float32]) -> str:
    """List each value with its count, or with its line if it occurs once."""
    counts = Counter(sorted(_known(column).tolist()))
    lines = dict(zip(column.tolist(), table.lines, strict=True))
    return ", ".join(
        f"{value:g} ({f'{count:,} times' if count > 1 else f'once, {at_lines([lines[value]])}'})"
        for value, count in counts.items()
    )
