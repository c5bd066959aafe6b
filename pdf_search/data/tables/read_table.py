"""Reads a user's table file, whatever its format, as one kind of table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pdf_search.data.tables.file_bytes import read_bytes, unpacked_name
from pdf_search.data.tables.parquet_table import begins_as_parquet, is_parquet, parquet_table
from pdf_search.data.tables.sdf_table import is_sdf, sdf_table
from pdf_search.data.tables.table import Table
from pdf_search.data.tables.text_file import text_of
from pdf_search.data.tables.text_table import text_table
from pdf_search.errors import DataError

_PARQUET = (".parquet", ".pq")
TABLE_SUFFIXES = (".csv", ".tsv", ".tab", ".txt", *_PARQUET, ".sdf", ".sd")


def is_table_name(path: Path) -> bool:
    """Whether a file's name, without the suffix of a compression, is that of a table."""
    return unpacked_name(path).suffix.lower() in TABLE_SUFFIXES


def read_table(
    path: Path, as_is: bool = False, option: str = "data.path", skip_bad: bool = False
) -> Table:
    """Read a table: text with a header line, Parquet, or SDF; compressed or not.

    The format is recognised by the content, SDF also by the name. A name that ends as
    that of a Parquet file must be right. ``as_is`` and ``skip_bad`` are those of ``text_table``.
    ``option`` is the setting that named the file, for messages.

    Raises:
        DataError: There is no such file, its format is not known, or it cannot be read.
    """
    data, packed = read_bytes(path, option)
    if unpacked_name(path).suffix.lower() in _PARQUET and not is_parquet(data):
        raise DataError(
            f"{option}: {path} is not a Parquet file, though its name ends as one: it is "
            f"{_instead(data)}"
        )
    try:
        table = _table(data, path, as_is, option, skip_bad)
    except DataError as error:
        if packed or unpacked_name(path) == path:
            raise
        what = "a zip archive" if path.suffix.lower() == ".zip" else "compressed"
        raise DataError(f"{error}; {path.name} is not {what}, though its name ends so") from None
    return (
        replace(table, notes=(f"the file is compressed ({packed})", *table.notes))
        if packed
        else table
    )


def _table(data: bytes, path: Path, as_is: bool, option: str, skip_bad: bool) -> Table:
    if is_parquet(data):
        return parquet_table(data, path, option)
    text = text_of(data, path, option)
    if is_sdf(text, path):
        return sdf_table(text, path)
    return text_table(text, path, as_is, skip_bad)


def _instead(data: bytes) -> str:
    """What a file is that is named as Parquet and is none, and what to do."""
    if not data:
        return "empty: get it again"
    if begins_as_parquet(data):
        return "cut off or damaged: get it again"
    return "of another kind; a table of text is named .csv"
