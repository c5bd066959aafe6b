"""Reads a user's own molecules: a table with a SMILES column and target columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from pdf_search.config import FEATURISER, DataConfig
from pdf_search.data.option_words import TARGETS
from pdf_search.data.tables.cells import is_missing
from pdf_search.data.tables.read_table import read_table
from pdf_search.data.tables.table import Table, at_lines, times
from pdf_search.data.targets.columns import Targets, read_targets, target_names, wrong_cells
from pdf_search.errors import DataError
from pdf_search.records import Task

__all__ = [
    "Table",
    "Targets",
    "read_own",
    "read_own_of",
    "read_table",
    "read_targets",
    "rows_for_lines",
]

_COLUMNS = 8  # columns named in the note on missing values


def read_own(
    path: Path,
    smiles: str,
    names: Sequence[str],
    task: Task | None,
    version: int = FEATURISER,
    skip_bad: bool = False,
) -> tuple[Table, Targets]:
    """Read the rows of a file that have a target, and their targets.

    Rows without any target are left out, with a note, because a model can neither be trained nor
    evaluated on them. ``version`` is ``data.featuriser``. Version 1 keeps these rows and refuses no
    doubtful targets, so that old records can be reproduced. ``skip_bad`` is ``data.skip_bad_rows``:
    rows that are no rows and those with a target cell that cannot be read are left out, and named.

    Raises:
        DataError: The file cannot be read, or its targets cannot be used.
    """
    table = read_table(path, skip_bad=skip_bad)
    with rows_for_lines(table):
        return _with_targets(table, smiles, names, task, version, skip_bad)


def read_own_of(config: DataConfig) -> tuple[Table, Targets]:
    """Read the table that ``config`` names, as ``read_own`` does."""
    assert config.path is not None
    return read_own(
        Path(config.path),
        config.smiles,
        config.targets,
        config.task,
        config.featuriser,
        config.skip_bad_rows,
    )


@contextmanager
def rows_for_lines(table: Table) -> Iterator[None]:
    """Add to errors about a table whose file has no lines what is counted instead."""
    try:
        yield
    except DataError as error:
        if table.kind != "Parquet":
            raise
        raise DataError(f"{error}\n  (lines are the rows of the Parquet file, from 1)") from None


def _with_targets(
    table: Table,
    smiles: str,
    names: Sequence[str],
    task: Task | None,
    version: int,
    skip_bad: bool,
) -> tuple[Table, Targets]:
    if skip_bad:
        chosen = target_names(table, smiles, names)
        wrong = wrong_cells(table, chosen, task)
        table = table.without(wrong, "as a target in them cannot be read")
    targets = read_targets(table, smiles, names, task, strict=version > 1)
    known = np.flatnonzero(~np.isnan(targets.values).all(axis=1))
    words, left = _words(table, targets.names), table
    if len(known) < len(table.rows) and version > 1:
        left = table.kept(known.tolist(), "no target")
        targets = replace(targets, values=targets.values[known])
    # Rows that are left out have a note of their own. With one target no others lack a value.
    notes = (*targets.notes, *_gaps(left, targets.names), *words)
    return left, replace(targets, notes=notes)


def _gaps(table: Table, names: Sequence[str]) -> list[str]:
    """A note on missing values by column."""
    found = []
    for name in names:
        column = table.column(name, TARGETS)
        if places := [i for i, cell in enumerate(column) if is_missing(cell)]:
            lines = at_lines([table.lines[i] for i in places])
            found.append(f"{len(places):,} of {len(column):,} cells of {name} ({lines})")
    rest = [f"and in {len(found) - _COLUMNS:,} columns more"] if len(found) > _COLUMNS else []
    return [f"no value in {', '.join([*found[:_COLUMNS], *rest])}"] if found else []


def _words(table: Table, names: Sequence[str]) -> list[str]:
    """A note on words that are read as a missing value."""
    columns = [table.column(name, TARGETS) for name in names]
    words = Counter(cell for column in columns for cell in column if cell and is_missing(cell))
    spelt = ", ".join(f"{word!r} ({times(count)})" for word, count in words.items())
    return [f"read as no value: {spelt}"] if spelt else []
