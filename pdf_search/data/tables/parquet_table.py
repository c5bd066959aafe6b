"""Reads a Parquet file as a table of text cells, so that one set of checks serves all formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pdf_search.data.tables.table import Table
from pdf_search.errors import DataError

_MAGIC = b"PAR1"


def is_parquet(data: bytes) -> bool:
    """Whether a file's content is Parquet."""
    return data.startswith(_MAGIC) and data.endswith(_MAGIC) and len(data) > 2 * len(_MAGIC)


def begins_as_parquet(data: bytes) -> bool:
    """Whether a file's content begins as Parquet, as that of a file does which was cut off."""
    return data.startswith(_MAGIC)


def parquet_table(data: bytes, path: Path, option: str) -> Table:
    """Read a Parquet file; rows are counted from 1.

    A missing value is an empty cell, true and false are 1 and 0, and a number is written with as
    many digits as its type needs. An index that pandas stored without a name is no column.

    Raises:
        DataError: The file is damaged, or has no rows.
    """
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        found = pq.read_table(pa.BufferReader(data))
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{option}: {path} is a damaged Parquet file: {error}") from None
    names = [name for name in found.column_names if not name.startswith("__index_level_")]
    if not found.num_rows or not names:
        raise DataError(f"{path} is a Parquet file without {'rows' if names else 'columns'}")
    truths = [name for name in names if pa.types.is_boolean(found.schema.field(name).type)]
    notes = [f"true and false are read as 1 and 0: {', '.join(truths)}"] if truths else []
    columns = [_cells(found.column(name)) for name in names]
    rows = [list(row) for row in zip(*columns, strict=True)]
    lines = list(range(1, len(rows) + 1))
    return Table(path, tuple(names), rows, lines, notes=tuple(notes), kind="Parquet")


def _cells(column: Any) -> list[str]:
    """A column as text."""
    import pyarrow as pa  # noqa: PLC0415

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    try:
        values = column.cast(pa.string()).to_pylist()
    except pa.ArrowException:  # lists and other nested values
        values = column.to_pylist()
    return ["" if value is None else str(value).strip() for value in values]
