"""Reads text files of numbers, one row a line; a line that cannot be used is named in an error."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdf_search.errors import DataError
from pdf_search.wording import counted

_LIMIT = 2**63  # whole numbers must be below it, and not below its negative
_SHOWN = 40  # characters of a cell that are shown


def read_integers(path: Path, columns: int | None = None) -> NDArray[np.int64]:
    """Read whole numbers, [lines, columns]. 1.0 is read as 1; blank lines at the end are ignored.

    Raises:
        DataError: A line has something else or another number of cells; the message names the
            first such line. Or the file does not have ``columns`` columns.
    """
    values: NDArray[np.int64] = _read(path, np.int64)
    if columns is None or values.shape[1] == columns:
        return values
    if not values.size:
        return np.empty((0, columns), np.int64)
    raise DataError(f"{path}: lines hold {_count(values.shape[1])}, not {columns}")


def read_labels(path: Path, columns: int | None = None) -> NDArray[np.int64]:
    """Read whole numbers that are labels, in the same way as ``read_integers``.

    Raises:
        DataError: As in ``read_integers``, or a column spells a number in two ways, as 1 and 1.0.
    """
    values = read_integers(path, columns)
    first: dict[str, int] = {}
    for number, line in enumerate(_lines(path), 1):
        first.setdefault(line, number)
    spelt: dict[tuple[int, int], tuple[str, int]] = {}
    for line, number in first.items():
        for column, cell in enumerate(map(str.strip, line.split(","))):
            other, where = spelt.setdefault((column, _whole(cell)), (cell, number))
            if other != cell:
                raise DataError(
                    f"{path}, line {number}: {cell!r} is the number {other!r} of line {where} "
                    "in another spelling: write one label in one way"
                )
    return values


def read_reals(path: Path) -> NDArray[np.float64]:
    """Read numbers [lines, columns], infinite ones included; otherwise as ``read_integers``."""
    values: NDArray[np.float64] = _read(path, np.float64)
    return values


def line_count(path: Path) -> int:
    """The number of lines, without blank ones at the end. Raises DataError if it is not text."""
    return len(_lines(path))


def _read(path: Path, dtype: type[np.generic]) -> NDArray[Any]:
    """Read a table with pandas; if pandas refuses it, check it line by line and read it again."""
    import pandas as pd  # noqa: PLC0415

    try:
        if not _begins_wrong(path, dtype):
            table = _parse(path, dtype)
            if table.dtype != dtype:  # pandas 2 reads numbers that are too large as uint64
                list(_checked(path, dtype))
            return table
        lines = list(_checked(path, dtype))
    except pd.errors.EmptyDataError:
        return np.empty((0, 1), dtype)
    except (ValueError, OverflowError):  # pandas' parser errors are ValueErrors
        lines = list(_checked(path, dtype))
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from None
    return _parse(io.StringIO("\n".join(lines)), dtype) if lines else np.empty((0, 1), dtype)


def _begins_wrong(path: Path, dtype: type[np.generic]) -> bool:
    """Whether the first line is wrong. Pandas accepts some such lines: a blank one, True for 1."""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        first = file.readline()
    return bool(first) and _problem(first, first.count(",") + 1, dtype) is not None


def _parse(source: Path | io.StringIO, dtype: type[np.generic]) -> NDArray[Any]:
    """Read a table with pandas, which raises ValueError at a cell that is no number."""
    import pandas as pd  # noqa: PLC0415

    frame = pd.read_csv(
        source,
        header=None,
        dtype=dtype,
        skipinitialspace=True,
        skip_blank_lines=False,  # a skipped line would assign all later rows to the wrong nodes
        na_filter=False,
        quoting=csv.QUOTE_NONE,
    )
    return frame.to_numpy()


def _checked(path: Path, dtype: type[np.generic]) -> Iterator[str]:
    """Yield the lines of a file that pandas refused, without blank ones at the end.

    Raises:
        DataError: A line is wrong; the message names the first.
    """
    lines = _lines(path)
    width = lines[0].count(",") + 1 if lines else 0
    for number, line in enumerate(lines, 1):
        if problem := _problem(line, width, dtype):
            raise DataError(f"{path}, line {number}: {problem}")
        yield line


def first_wrong(lines: Iterable[str], dtype: type[np.generic]) -> str | None:
    """Describe the first cell that is no number, with its line; None if there is none.

    Empty cells are allowed, as missing values.
    """
    for number, line in enumerate(lines, 1):
        for cell in map(str.strip, line.split(",")):
            if cell and not _is_number(cell, dtype):
                return f"line {number}: {cell[:_SHOWN]!r} is not a {_kind(dtype)}"
    return None


def _whole(cell: str) -> int:
    return int(cell) if "." not in cell and "e" not in cell.lower() else int(float(cell))


def _kind(dtype: type[np.generic]) -> str:
    return "whole number" if dtype is np.int64 else "number"


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path} is not a text file: save it as plain text (UTF-8)") from None
    text = text.rstrip()
    return text.split("\n") if text else []


def _problem(line: str, width: int, dtype: type[np.generic]) -> str | None:
    """Say what is wrong with a line that should have ``width`` numbers; None if nothing."""
    if not line.strip():
        return "blank, so that the lines after it would be counted wrongly: remove it"
    cells = [cell.strip() for cell in line.split(",")]
    for cell in cells:
        if not _is_number(cell, dtype):
            apart = any(mark in cell for mark in " \t;")
            hint = "; numbers are separated by commas" if apart else ""
            return f"{cell[:_SHOWN]!r} is not a {_kind(dtype)}{hint}"
    if len(cells) != width:
        return f"{_count(len(cells))}, but line 1 holds {width}"
    return None


def _count(numbers: int) -> str:
    return counted(numbers, "number")


def _is_number(cell: str, dtype: type[np.generic]) -> bool:
    try:
        value = float(cell)
    except ValueError:
        return False
    if math.isnan(value) or "_" in cell or not cell.isascii():
        return False
    return dtype is not np.int64 or (value.is_integer() and -_LIMIT <= value < _LIMIT)
