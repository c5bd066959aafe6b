"""Own molecules: a table with a SMILES column and target columns."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdf_search.errors import DataError
from pdf_search.places import expanded
from pdf_search.records import Task

MISSING = frozenset({"", "nan", "na", "n/a", "none", "null", "-"})
_SHOWN = 20
# Targets are stored as float32. Where that makes distinct values equal, the column is refused if
# the rounding shows in its spread, or if it loses more than a few of its values.
_ROUNDING = 1e-4  # of the column's standard deviation
_LOST = 0.1  # of its distinct values
_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Table:
    """The rows of a table file, with the line of the file on which each row ends."""

    path: Path
    columns: tuple[str, ...]
    rows: list[list[str]]
    lines: list[int]

    def column(self, name: str, key: str) -> list[str]:
        """The cells of a column. ``key`` is the configuration key that named it, for the error."""
        if name not in self.columns:
            close = get_close_matches(name, self.columns, n=3, cutoff=0.5)
            close += [c for c in self.columns if c.lower() == name.lower() and c not in close]
            hint = f"did you mean {', '.join(close)}? " if close else ""
            raise DataError(
                f"{self.path} has no column {name!r} (data.{key}): {hint}"
                f"its columns are {', '.join(self.columns)}"
            )
        place = self.columns.index(name)
        return [row[place] for row in self.rows]


@dataclass(frozen=True)
class Targets:
    """Targets of every row, [g, tasks]; nan where a label is missing."""

    names: tuple[str, ...]
    task: Task
    values: NDArray[np.float32]
    class_names: tuple[str, ...] = ()

    @property
    def outputs(self) -> int:
        return len(self.class_names) or len(self.names)


def read_table(path: Path, as_is: bool = False) -> Table:
    """Read a CSV file (or TSV, by its suffix) with a header line.

    Cells are stripped, rows of empty cells left out; ``as_is``: neither. Blank lines are no rows.

    Raises:
        DataError: no such file, no header, doubled columns, or rows of another length (by line).
    """
    try:
        with expanded(path).open(newline="", encoding="utf-8-sig") as file:
            delimiter = "\t" if path.suffix == ".tsv" else ","
            return _parse(path, csv.reader(file, delimiter=delimiter), as_is)
    except FileNotFoundError:
        raise DataError(f"data.path: no file {expanded(path).absolute()}") from None
    except (UnicodeDecodeError, csv.Error, IsADirectoryError) as error:
        raise DataError(f"data.path: {path} is not a UTF-8 CSV file: {error}") from None


def _parse(path: Path, reader: Any, as_is: bool) -> Table:
    header = tuple(cell.strip() for cell in next(reader, []))
    doubled = sorted({name for name in header if header.count(name) > 1})
    if not header or doubled:
        problem = f"columns appear twice: {', '.join(doubled)}" if doubled else "it is empty"
        raise DataError(f"{path}: {problem}; a header line with one name per column is needed")
    rows, lines, wrong = [], [], []
    for row in reader:
        if not row or not (as_is or any(cell.strip() for cell in row)):
            continue
        if len(row) != len(header):
            wrong.append(f"line {reader.line_num}: {len(row)} cells, not {len(header)}")
        rows.append(row if as_is else [cell.strip() for cell in row])
        lines.append(reader.line_num)
    _refuse(wrong, f"{path}: rows do not fit the header", "quote cells that contain a comma")
    if not rows:
        raise DataError(f"{path} has a header but no rows")
    return Table(path, header, rows, lines)


def read_targets(
    table: Table, smiles: str, names: Sequence[str] = (), task: Task | None = None
) -> Targets:
    """The target columns as numbers, and the task they pose.

    Without ``task``: columns that hold only 0 and 1 are binary labels, other numbers regression.

    Raises:
        DataError: unknown columns, cells that are no number, labels that do not fit the task.
    """
    table.column(smiles, "smiles")
    names = _target_names(table, smiles, tuple(names))
    if task is Task.MULTICLASS:
        return _classes(table, names)
    values = np.stack([_numbers(table, name) for name in names], axis=1)
    empty = [name for name, column in zip(names, values.T, strict=True) if np.isnan(column).all()]
    if empty:
        raise DataError(f"{table.path}: no value at all in {', '.join(empty)} (data.targets)")
    task = task or _guess_task(table, names, values)
    if task is Task.MULTILABEL:
        _check_labels(table, names, values)
    return Targets(names, task, values)


def _target_names(table: Table, smiles: str, names: tuple[str, ...]) -> tuple[str, ...]:
    if not names:
        others = tuple(name for name in table.columns if name != smiles)
        if len(others) != 1:
            raise DataError(
                f"data.targets is empty: name the columns to predict, out of {', '.join(others)}"
                if others
                else f"{table.path} has only the column {smiles!r}: a target column is needed"
            )
        return others
    if len(set(names)) != len(names) or smiles in names:
        raise DataError(f"data.targets repeats a column: {', '.join(names)}")
    return names


def _numbers(table: Table, name: str) -> NDArray[np.float32]:
    exact = np.full(len(table.rows), np.nan)
    wrong = []
    for i, cell in enumerate(table.column(name, "targets")):
        if cell.lower() in MISSING:
            continue
        try:
            exact[i] = _number(cell)
        except ValueError:
            wrong.append(f"line {table.lines[i]}: {cell!r}")
        else:
            if not abs(exact[i]) <= _LARGEST:
                wrong.append(f"line {table.lines[i]}: {cell!r} is out of range")
    remedy = "write a number, or leave the cell empty where the target is unknown"
    if len(wrong) > len(table.rows) / 2:
        remedy += "; for class names set data.task to multiclass"
    _refuse(wrong, f"{table.path}: column {name!r} holds cells that are no number", remedy)
    values = exact.astype(np.float32)
    _check_precision(f"{table.path}: column {name!r}", exact[~np.isnan(exact)])
    return values


def _number(cell: str) -> float:
    """A decimal number; unlike ``float``, neither 1_50 nor digits of other scripts.

    Raises:
        ValueError: anything else.
    """
    if "_" in cell or not cell.isascii():
        raise ValueError(cell)
    return float(cell)


def _check_precision(column: str, exact: NDArray[np.float64]) -> None:
    """Refuse values that cannot be told apart as float32."""
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


def _guess_task(table: Table, names: tuple[str, ...], values: NDArray[np.float32]) -> Task:
    binary = [bool(np.isin(c[~np.isnan(c)], (0, 1)).all()) for c in values.T]
    if all(binary):
        return Task.MULTILABEL
    if any(binary):
        labels = ", ".join(name for name, is_label in zip(names, binary, strict=True) if is_label)
        raise DataError(
            f"{table.path}: {labels} hold only 0 and 1, the other targets do not; set data.task to "
            "regression, or choose data.targets of one kind"
        )
    return Task.REGRESSION


def _check_labels(table: Table, names: tuple[str, ...], values: NDArray[np.float32]) -> None:
    wrong = []
    for name, column in zip(names, values.T, strict=True):
        bad = np.flatnonzero(~np.isnan(column) & ~np.isin(column, (0, 1)))
        wrong += [f"line {table.lines[i]}: {name} = {column[i]:g}" for i in bad]
    _refuse(wrong, f"{table.path}: labels must be 0 or 1", "set data.task, or correct the labels")
    if all(len(np.unique(column[~np.isnan(column)])) < 2 for column in values.T):
        raise DataError(
            f"{table.path}: every label in {', '.join(names)} is the same, so there are no two "
            "classes to tell apart: choose other data.targets, or set data.task to regression"
        )


def _classes(table: Table, names: tuple[str, ...]) -> Targets:
    if len(names) != 1:
        raise DataError(f"data.task multiclass takes one target column, not {', '.join(names)}")
    cells = table.column(names[0], "targets")
    missing = [
        f"line {line}" for line, c in zip(table.lines, cells, strict=True) if c.lower() in MISSING
    ]
    _refuse(missing, f"{table.path}: molecules without a class in {names[0]!r}", "remove them")
    labels = sorted(set(cells), key=_label_order)
    if len(labels) < 2:
        raise DataError(f"{table.path}: column {names[0]!r} holds the single class {labels[0]!r}")
    number = {label: i for i, label in enumerate(labels)}
    values = np.array([[number[cell]] for cell in cells], np.float32)
    return Targets(names, Task.MULTICLASS, values, tuple(labels))


def _label_order(label: str) -> tuple[float, str]:
    try:
        return float(label), label
    except ValueError:
        return float("inf"), label


def _refuse(wrong: list[str], what: str, remedy: str) -> None:
    if not wrong:
        return
    shown = wrong[:_SHOWN]
    rest = len(wrong) - len(shown)
    more = [f"and {rest} more"] if rest else []
    raise DataError("\n  ".join([f"{what} ({remedy}):", *shown, *more]))
