"""Reads an SDF file as a table: a SMILES of each molecule, its title, and its properties."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pdf_search.data.tables.file_bytes import unpacked_name
from pdf_search.data.tables.table import Table
from pdf_search.errors import DataError

_SUFFIXES = (".sdf", ".sd", ".mol")
_END = "$$$$"  # the line that ends a molecule
_MARK = re.compile(r"^M  END\s*$", re.MULTILINE)
_PROPERTY = re.compile(r"^>.*?<([^>\n]*)>.*\n((?:.+\n)*)", re.MULTILINE)
_LINE_END = re.compile(r"\r\n?")
_NAMES = ("smiles", "structure", "molfile")  # the first that no property has
_TITLE = "title"


def is_sdf(text: str, path: Path) -> bool:
    """Whether a text is an SDF file, by its name or by the end of its first molecule."""
    return (
        unpacked_name(path).suffix.lower() in _SUFFIXES or _MARK.search(text[:100_000]) is not None
    )


def sdf_table(text: str, path: Path) -> Table:
    """Read the molecules of an SDF file as rows, each with the line on which it begins.

    The first column is the SMILES that RDKit writes of the molecule, without explicit hydrogens;
    it is empty where RDKit cannot read the molecule. Then come the title, if any molecule has one,
    and the properties in the order in which they first occur.

    Raises:
        DataError: The file holds no molecules, or ends within one of several.
    """
    text = _LINE_END.sub("\n", text)
    if not _MARK.search(text):
        raise DataError(f"{path} is no SDF file, or holds no molecules: no line is 'M  END'")
    lines, smiles, properties = [], [], []
    unreadable: dict[int, str] = {}
    for line, record in _records(text):
        molecule, reason = _molecule(record)
        if reason:
            unreadable[line] = reason
        lines.append(line)
        smiles.append("" if reason else _smiles(molecule))
        properties.append(_properties(molecule, record))
    if len(lines) > 1 and not text.rstrip().rpartition("\n")[2].startswith(_END):
        raise DataError(
            f"{path}, line {lines[-1]}: the file ends within this molecule, since no line {_END} "
            "follows it: get the whole file, or add that line if the molecule is whole"
        )
    names = list(dict.fromkeys(name for found in properties for name in found))
    own = next(name for name in _NAMES if name not in names)
    rows = [
        [cell, *(found.get(name, "") for name in names)]
        for cell, found in zip(smiles, properties, strict=True)
    ]
    return Table(path, (own, *names), rows, lines, kind="SDF", molecules=own, unreadable=unreadable)


def _records(text: str) -> Iterator[tuple[int, str]]:
    """The first line and the text of each molecule."""
    lines, first = text.split("\n"), 0
    for place, line in enumerate([*lines, _END]):
        if line.startswith(_END):
            record = "\n".join(lines[first:place])
            if record.strip():
                yield first + 1, f"{record}\n{_END}\n"
            first = place + 1


def _molecule(record: str) -> tuple[Any, str]:
    """RDKit's molecule of a record, and why it cannot be used; "" if it can."""
    from rdkit import Chem, rdBase  # noqa: PLC0415

    with rdBase.BlockLogs():
        molecule = _read(record, sanitize=True)
        if molecule is not None:
            # Not while reading: the valence of an atom is checked with its hydrogens only before.
            return Chem.RemoveHs(molecule), "" if molecule.GetNumAtoms() else "no atoms"
        raw = _read(record, sanitize=False)
        problems = [] if raw is None else Chem.DetectChemistryProblems(raw)
    why = "; ".join(problem.Message() for problem in problems)
    return raw, why or "not a molecule that RDKit can read"


def _read(record: str, sanitize: bool) -> Any:
    from rdkit import Chem  # noqa: PLC0415

    supplier = Chem.SDMolSupplier()
    supplier.SetData(record, sanitize=sanitize, removeHs=False)
    return supplier[0] if len(supplier) else None


def _smiles(molecule: Any) -> str:
    from rdkit import Chem  # noqa: PLC0415

    return str(Chem.MolToSmiles(molecule))


def _properties(molecule: Any, record: str) -> dict[str, str]:
    """The title and the properties, also of a molecule that RDKit cannot read at all."""
    title = record.partition("\n")[0].strip()
    found = {_TITLE: title} if title else {}
    if molecule is None:
        return found | {name: text.strip() for name, text in _PROPERTY.findall(record)}
    return found | {name: str(molecule.GetProp(name)).strip() for name in molecule.GetPropNames()}
