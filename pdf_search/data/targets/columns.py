"""Reads target columns as numbers and decides their task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdf_search.data.option_words import AS_CLASSES, AS_NUMBERS, SMILES, TARGETS
from pdf_search.data.tables import cells
from pdf_search.data.tables.table import Table, refuse
from pdf_search.data.targets import classes
from pdf_search.data.targets.classes import class_numbers
from pdf_search.data.targets.guess_task import (
    gap_code_note,
    guess_task,
    in_words,
    outlier_note,
    whole_number_note,
)
from pdf_search.errors import DataError
from pdf_search.records import Task

# Targets are stored as float32. A column in which this makes different values equal is refused if
# the rounding error is large against its standard deviation, or if many values become equal.
_ROUNDING = 1e-4  # largest rounding error allowed, as a fraction of the standard deviation
_LOST = 0.1  # largest fraction of distinct values that may become equal to others
_LARGEST = float(np.finfo(np.float32).max)
_LONGEST = 40  # characters of a number that is shown as it stands
_FEW_WORDS = 6  # up to so many different words are shown, with their counts


@dataclass(frozen=True)
class Targets:
    """The targets of all g rows, [g, tasks]; nan where a value is missing."""

    names: tuple[str, ...]
    task: Task
    values: NDArray[np.float32]
    class_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # what is doubtful in them, a sentence each

    @property
    def outputs(self) -> int:
        """The number of outputs of the model: of classes, if there are any, else of targets."""
        return len(self.class_names) or len(self.names)


def read_targets(
    table: Table,
    smiles: str,
    names: Sequence[str] = (),
    task: Task | None = None,
    strict: bool = True,
) -> Targets:
    """Read the target columns of a table as numbers, and decide their task.

    Columns without any value are left out, with a note.

    Args:
        table: The table.
        smiles: The name of the SMILES column.
        names: The target columns. If empty, the table must have one column besides ``smiles``.
        task: The task. If None, columns of 0 and 1 alone are binary labels, others regression.
        strict: Whether doubtful columns are refused.

    Raises:
        DataError: A column is unknown, a cell is no number, the values do not fit the task or
            leave it in doubt, or all targets are the same.
    """
    table.column(smiles, SMILES)
    given = tuple(names)
    names = target_names(table, smiles, given)
    nameless = [] if given else _nameless(table)
    if task is Task.MULTICLASS:
        if len(names) != 1:
            raise DataError(f"data.task multiclass takes one target column, not {', '.join(names)}")
        numbers, labels, doubts = class_numbers(table, names[0], strict)
        return Targets(names, task, numbers, labels, (*nameless, *doubts))
    values = np.stack([_numbers(table, name) for name in names], axis=1)
    names, values, empty = _with_values(table, names, values)
    doubts = [] if task else whole_number_note(table, names, values)
    doubts += gap_code_note(table, names, values)
    task = task or guess_task(table, names, values, strict)
    if task is Task.MULTILABEL:
        doubts += _check_labels(table, names, values)
    else:
        doubts += outlier_note(table, names, values)
        if strict:
            _refuse_constant(table, names, values)
    notes = (*nameless, *empty, *doubts)
    return Targets(names, task, values, notes=notes)


def target_names(table: Table, smiles: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the target columns: ``names``, or the one column besides ``smiles``.

    Raises:
        DataError: None is named and there are several or none, or a name is repeated.
    """
    names = tuple(names)
    if not names:
        others = tuple(dict.fromkeys(name for name in table.columns if name not in (smiles, "")))
        if len(others) != 1:
            raise DataError(
                f"no target is named: choose with {TARGETS} out of {', '.join(others)}"
                if others
                else f"{table.path} has only the column {smiles!r}: a target column is needed"
            )
        return others
    if smiles in names:
        raise DataError(f"{TARGETS} names {smiles!r}, which is the column of SMILES")
    if len(set(names)) != len(names):
        raise DataError(f"{TARGETS} repeats a column: {', '.join(names)}")
    return names


def wrong_cells(table: Table, names: Sequence[str], task: Task | None) -> dict[int, str]:
    """Return for each row that has a target cell that cannot be read what is wrong with it.

    The keys are places in ``table.rows``.
    """
    wrong: dict[int, str] = {}
    for name in names:
        column = table.column(name, TARGETS)
        read = classes.odd_cells if task is Task.MULTICLASS else _odd_numbers
        for place, why in read(column).items():
            wrong.setdefault(place, f"{name} = {why}")
    return dict(sorted(wrong.items()))


def _nameless(table: Table) -> list[str]:
    """A note on columns that have content and no name."""
    places = [
        str(place + 1)
        for place, name in enumerate(table.columns)
        if not name and any(row[place] for row in table.rows)
    ]
    return [f"without a name, and not used: column {', '.join(places)}"] if places else []


def _with_values(
    table: Table, names: tuple[str, ...], values: NDArray[np.float32]
) -> tuple[tuple[str, ...], NDArray[np.float32], list[str]]:
    """The names and values [g, T] of the columns that hold a value, and a note on the others."""
    known = np.flatnonzero(~np.isnan(values).all(axis=0))
    empty = [name for place, name in enumerate(names) if place not in known]
    if not len(known):
        raise DataError(f"{table.path}: no value at all in {', '.join(empty)} ({TARGETS})")
    if not empty:
        return names, values, []
    left = tuple(name for name in names if name not in empty)
    note = f"no value at all in {', '.join(empty)}: the targets are {', '.join(left)} only"
    return left, values[:, known], [note]


def _numbers(table: Table, name: str) -> NDArray[np.float32]:
    """A column as numbers [g], nan where a value is missing."""
    column = table.column(name, TARGETS)
    exact, odd, causes = _parsed(column)
    what = f"{table.path}: column {name!r} holds cells that are no number"
    wrong = [f"line {table.lines[i]}: {why}" for i, why in odd.items()]
    refuse(wrong, what, _remedy(table, column, causes))
    _check_precision(f"{table.path}: column {name!r}", exact[~np.isnan(exact)])
    return exact.astype(np.float32)


def _odd_numbers(column: Sequence[str]) -> dict[int, str]:
    """The cells that are no number, by place, with what is wrong."""
    return _parsed(column)[1]


def _parsed(column: Sequence[str]) -> tuple[NDArray[np.float64], dict[int, str], list[str]]:
    """The numbers of a column, what is wrong with other cells by place, and causes of no number."""
    exact = np.full(len(column), np.nan)
    odd: dict[int, str] = {}
    causes: list[str] = []
    for i, cell in enumerate(column):
        if cells.is_missing(cell):
            continue
        try:
            exact[i] = cells.number(cell)
        except ValueError as error:
            causes.append(str(error))
            odd[i] = repr(cell) + ("" if causes[-1] == cells.TEXT else f": {error}")
        else:
            if not abs(exact[i]) <= _LARGEST:
                shown = cell if len(cell) <= _LONGEST else f"{exact[i]:g}"
                odd[i] = f"{shown!r} is out of range"
    return exact, odd, causes


def _remedy(table: Table, column: list[str], causes: list[str]) -> str:
    """Say what to do about the cells that are no number; ``causes`` has the cause of each."""
    remedy = "write a number, or leave the cell empty where the target is unknown"
    if len(causes) < len(column) / 2:
        remedy += "; --skip-bad-rows leaves these rows out"
    if cells.TEXT in causes:
        remedy += f"; {cells.GAPS} are read as empty"
    if len(causes) == 1 and not (cells.is_number(column[0]) or cells.is_missing(column[0])):
        remedy += "; a line of units under the names is no row: remove it"
    # 1,234 may have a comma between thousands; in a column that also has 1,5 it has not.
    if cells.DECIMAL_COMMA in causes and all(cells.DECIMAL_COMMA in cause for cause in causes):
        remedy += _conversion(table, column)
    if causes.count(cells.TEXT) > len(column) / 2:
        words = Counter(cell for cell in column if cell)
        if len(words) <= _FEW_WORDS:
            remedy += f"; the cells are {in_words(words)}: write 1 and 0 for labels"
        remedy += f"; for class names {AS_CLASSES}"
    return remedy


def _conversion(table: Table, column: list[str]) -> str:
    """Say how to convert a column with decimal commas: by pandas, if its points are not decimal."""
    points = [cell for cell in column if "." in cell]
    if not all(map(cells.has_thousands, points)):
        return "; some cells of the column have a decimal point, others a comma: write points"
    thousands = ", thousands='.'" if points else ""
    return (
        "; a file with decimal commas throughout is converted by pandas.read_csv(OLD, "
        f"{table.as_pandas}, decimal=','{thousands}).to_csv(NEW, index=False)"
    )


def _check_precision(column: str, exact: NDArray[np.float64]) -> None:
    """Refuse a column in which too many different values are equal as float32."""
    stored = exact.astype(np.float32)
    distinct, left = len(np.unique(exact)), len(np.unique(stored))
    if distinct == left:
        return
    rounding = float(np.abs(exact - stored).max())
    if rounding > _ROUNDING * exact.std() or distinct - left > _LOST * distinct:
        raise DataError(
            f"{column}: its {distinct:,} distinct values become {left:,} when stored as 32-bit "
            f"numbers ({distinct - left:,} become equal to another): subtract an offset from the "
            "column, or rescale it"
        )


def _check_labels(table: Table, names: tuple[str, ...], values: NDArray[np.float32]) -> list[str]:
    """Refuse labels other than 0 and 1; return a note on each column of equal labels."""
    wrong = []
    for name, column in zip(names, values.T, strict=True):
        bad = np.flatnonzero(~np.isnan(column) & ~np.isin(column, (0, 1)))
        wrong += [f"line {table.lines[i]}: {name} = {column[i]:g}" for i in bad]
    remedy = f"write 1 and 0; or {AS_NUMBERS}, or {AS_CLASSES}"
    refuse(wrong, f"{table.path}: labels must be 0 or 1", remedy)
    same = _same(names, values)
    if len(same) == len(names):
        raise DataError(
            f"{table.path}: every label in {', '.join(names)} is the same, so there are no two "
            f"classes to tell apart: choose others ({TARGETS})"
        )
    return [f"every label in {text}, so its metric is undefined" for text in same.values()]


def _refuse_constant(table: Table, names: tuple[str, ...], values: NDArray[np.float32]) -> None:
    """Refuse columns in which all values are the same."""
    if same := _same(names, values):
        raise DataError(
            f"{table.path}: every value in {'; in '.join(same.values())}: there is nothing to "
            f"learn; choose others ({TARGETS})"
        )


def _same(names: tuple[str, ...], values: NDArray[np.float32]) -> dict[str, str]:
    """Describe each column that has two values or more and in which all are the same."""
    found = {}
    for name, column in zip(names, values.T, strict=True):
        known = column[~np.isnan(column)]
        if len(known) > 1 and len(np.unique(known)) == 1:
            found[name] = f"{name} is {known[0]:g} ({len(known):,} cells)"
    return found
