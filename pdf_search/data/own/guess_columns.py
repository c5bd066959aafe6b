"""Guesses the columns of a table that a user did not name, where there is one candidate."""

from __future__ import annotations

from collections.abc import Sequence

from pdf_search.data.molecules.smiles import read_smiles
from pdf_search.data.tables.cells import is_missing, is_number
from pdf_search.data.tables.table import Table
from pdf_search.errors import DataError
from pdf_search.wording import visible

USUAL = "smiles"
_SAMPLE = 50  # cells of a column that are looked at
_MOST = 0.9  # share of them that must be readable
_LETTERS = 3  # mean length of cells: the shorter ones may be names of classes


def guess_smiles(table: Table) -> tuple[str, str]:
    """Return the column of molecules, and how it was guessed; "" if the format itself has one.

    It is the column ``smiles``, else the only one with that word in its name, else the only one
    whose cells are SMILES.

    Raises:
        DataError: There is no candidate, or more than one, or the first line is a molecule's row.
    """
    if table.molecules:
        return table.molecules, ""
    names = [name for name in dict.fromkeys(table.columns) if name]
    if USUAL in names:
        return USUAL, ""
    called = [name for name in names if USUAL in name.lower()]
    if len(called) == 1:
        return called[0], f"SMILES: column {visible(called[0])} (guessed by its name)"
    found = called or [name for name in names if _holds_smiles(table, name)]
    if len(found) == 1:
        _refuse_row_as_header(table, found[0])
        name = visible(found[0])
        return found[0], f"SMILES: column {name} (guessed: the only one whose cells are SMILES)"
    which = f"{_listed(found)} may be it" if found else "no column holds SMILES"
    raise DataError(
        f"{table.path}: which column has the SMILES? {which}: name it with --smiles COLUMN "
        f"(data.smiles); its columns are {_listed(names)}"
    )


def guess_targets(table: Table, smiles: str, others: Sequence[str]) -> tuple[str, str]:
    """Return the column to predict, and how it was guessed.

    It is the only column besides that of the SMILES, else the only one of numbers. ``others`` are
    columns that are known to be something else.

    Raises:
        DataError: There is no candidate, or more than one.
    """
    names = [name for name in dict.fromkeys(table.columns) if name not in ("", smiles, *others)]
    if len(names) == 1:
        return names[0], f"target: column {visible(names[0])} (guessed: the only other one)"
    numbers = [name for name in names if _holds_numbers(table, name)]
    if len(numbers) == 1:
        name = visible(numbers[0])
        return numbers[0], f"target: column {name} (guessed: the only other one of numbers)"
    which = f"{_listed(numbers)} hold numbers" if numbers else "no other column holds numbers"
    if not names:
        which = f"there is only the column {smiles!r}"
    raise DataError(
        f"{table.path}: which column is to be predicted? {which}: name it with --target "
        f"COLUMN[,COLUMN] (data.targets); its columns are {_listed(table.columns)}"
    )


def _refuse_row_as_header(table: Table, smiles: str) -> None:
    """Refuse a file without a header: its first molecule would be lost as the columns' names."""
    number = next(filter(is_number, table.columns), None)
    if number is not None and not isinstance(read_smiles(smiles), str):
        raise DataError(
            f"{table.path}: the first line seems to be a row, not a header, as it holds "
            f"{visible(smiles)} and {number}: put a line with the names of the columns before it "
            "(or name the columns with --smiles and --target)"
        )


def _sample(table: Table, name: str) -> list[str]:
    place = table.columns.index(name)
    cells = (row[place] for row in table.rows[: 20 * _SAMPLE])
    return [cell for cell in cells if not is_missing(cell)][:_SAMPLE]


def _holds_smiles(table: Table, name: str) -> bool:
    cells = _sample(table, name)
    if not cells or sum(map(len, cells)) < _LETTERS * len(cells) or all(map(is_number, cells)):
        return False
    readable = sum(not isinstance(read_smiles(cell), str) for cell in cells)
    return readable >= _MOST * len(cells)


def _holds_numbers(table: Table, name: str) -> bool:
    cells = _sample(table, name)
    return bool(cells) and sum(map(is_number, cells)) >= _MOST * len(cells)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(visible, names))
