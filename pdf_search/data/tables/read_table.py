"""Reads a user's table file, whatever its format, as one kind of table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pdf_search.data.tables.file_bytes import read_bytes, unpacked_name
from pdf_search.data.tables.parquet_table import is_parquet, parquet_table
from pdf_search.data.tables.sdf_table import is_sdf, sdf_table
from pdf_search.data.tables.table import Table
from pdf_search.data.tables.text_file import text_of
from pdf_search.data.tables.text_table import text_table

TABLE_SUFFIXES = (".csv", ".tsv", ".tab", ".txt", ".parquet", ".pq", ".sdf", ".sd")


def is_table_name(path: Path) -> bool:
    """Whether a file's name, without the suffix of a compression, is that of a table."""
    return unpacked_name(path).suffix.lower() in TABLE_SUFFIXES


def read_table(
    path: Path, as_is: bool = False, option: str = "data.path", skip_bad: bool = False
) -> Table:
    """Read a table: text with a header line, Parquet, or SDF; compressed or not.

    The format is recognised by the content, SDF also by the name. ``as_is`` and ``skip_bad`` are
    those of ``text_table``. ``option`` is the setting that named the file, for messages.

    Raises:
        DataError: There is no such file, its format is not known, or it cannot be read.
    """
    data, packed = read_bytes(path, option)
    if is_parquet(data):
        table = parquet_table(data, path, option)
    else:
        text = text_of(data, path, option)
        sdf = is_sdf(text, path)
        table = sdf_table(text, path) if sdf else text_table(text, path, as_is, skip_bad)
    return (
        replace(table, notes=(f"the file is compressed ({packed})", *table.notes))
        if packed
        else table
    )
