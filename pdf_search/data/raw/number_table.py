"""Text files of numbers, one row a line: each line is used as it stands, or named."""

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

_LIMIT = 2**63  # of whole numbers
_SHOWN = 40  # characters of a cell


def read_integers(path: Path, columns: int | None = None) -> NDArray[np.int64]:
    """Whole numbers [lines, columns]. A 1.0 is a 1; blank lines at the end are no lines.

    Raises:
        DataError: the first line that holds something else, or another count than ``columns``.
    """
    values: NDArray[np.int64] = _read(path, np.int64)
    if columns is None or values.shape[1] == columns:
        return values
    if not values.size:
        return np.empty((0, columns), np.int64)
    raise DataError(f"{path}: lines hold {_count(values.shape[1])}, not {columns}")


def read_labels(path: Path, columns: int | None = None) -> NDArray[np.int64]:
    """Whole numbers that name kinds, as ``read_integers`` reads them.

    Raises:
        DataError: also where a column spells one number in two ways, such as 1 and 1.0.
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
    """Numbers [lines, columns], infinite ones among them; otherwise as ``read_integers``."""
    values: NDArray[np.float64] = _read(path, np.float64)
    return values


def _read(path: Path, dtype: type[np.generic]) -> NDArray[Any]:
    import pandas as pd  # noqa: PLC0415

    try:
        if not _begins_wrong(path, dtype):
            table = _parse(path, dtype)
            if table.dtype != dtype:  # pandas 2 takes uint64 for what is too large
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
    """Whether pandas may pass over what is wrong with a file: a blank first line, True for 1."""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        first = file.readline()
    return bool(first) and _problem(first, first.count(",") + 1, dtype) is not None


def _parse(source: Path | io.StringIO, dtype: type[np.generic]) -> NDArray[Any]:
    """The table as pandas reads it, which stops at anything that is not a number."""
    import pandas as pd  # noqa: PLC0415

    frame = pd.read_csv(
        source,
        header=None,
        dtype=dtype,
        skipinitialspace=True,
        skip_blank_lines=False,  # or every row after one would belong to the node before it
        na_filter=False,
        quoting=csv.QUOTE_NONE,
    )
    return frame.to_numpy()


def _checked(path: Path, dtype: type[np.generic]) -> Iterator[str]:
    """The lines of a file that pandas refused, without blank ones at the end.

    Raises:
        DataError: the first line that is wrong.
    """
    lines = _lines(path)
    width = lines[0].count(",") + 1 if lines else 0
    for number, line in enumerate(lines, 1):
        if problem := _problem(line, width, dtype):
            raise DataError(f"{path}, line {number}: {problem}")
        yield line


def first_wrong(lines: Iterable[str], dtype: type[np.generic]) -> str | None:
    """The first cell of a table that is no number, with its line; empty cells are gaps."""
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
