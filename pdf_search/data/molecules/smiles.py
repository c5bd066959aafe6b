"""Reads a SMILES cell as a molecule, or says why it cannot be read."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from pdf_search.wording import counted

_NOT_ASCII = re.compile(r"[^\t\n\v\f\r\x20-\x7e]")
_PATTERN = re.compile(r"~|\[\d*#\d")  # SMARTS that RDKit accepts in SMILES
_INCHI_KEY = re.compile(r"[A-Z]{14}-[A-Z]{10}-[A-Z]")
_BLANKS = {" ": "a blank", "\t": "a tab", "\n": "a line break", "\r": "a line break"}
_PATTERN_REASON = "a pattern (SMARTS), not a molecule"
_ROUNDS = 20  # most times that a canonical SMILES is read and written again


def read_smiles(cell: str) -> Any:
    """Return the RDKit molecule of a cell, or a text: why the cell is not read.

    The whole cell must be SMILES. RDKit by itself would read the part before a blank and take the
    rest for a name.
    """
    from rdkit import Chem, rdBase  # noqa: PLC0415

    cell = cell.strip()
    if reason := _not_smiles(cell):
        return reason
    with rdBase.BlockLogs():
        molecule = Chem.MolFromSmiles(cell, _whole(Chem))
        if molecule is None:
            return _reason(Chem, cell)
    return molecule if molecule.GetNumAtoms() else "no atoms"


def canonical_smiles(molecule: Any) -> str:
    """Return the same SMILES for every spelling of a molecule: isomeric, without atom maps.

    RDKit's canonical SMILES is read and written again until it no longer changes, because RDKit
    sometimes writes another one the second time. If it goes round in a circle, the alphabetically
    first SMILES of the circle is returned.
    """
    from rdkit import Chem, rdBase  # noqa: PLC0415

    plain = Chem.Mol(molecule)
    for atom in plain.GetAtoms():
        atom.SetAtomMapNum(0)
    seen = [Chem.MolToSmiles(plain)]
    with rdBase.BlockLogs():
        while len(seen) < _ROUNDS:
            again = Chem.MolFromSmiles(seen[-1])
            text = seen[-1] if again is None else Chem.MolToSmiles(again)
            if text in seen:
                return min(seen[seen.index(text) :])
            seen.append(text)
    return min(seen)


def _whole(chem: Any) -> Any:
    """Parameters with which RDKit reads the whole text as SMILES, without name or extension."""
    parameters = chem.SmilesParserParams()
    parameters.parseName = False
    parameters.allowCXSMILES = False
    return parameters


def _not_smiles(cell: str) -> str:
    """Say why a cell cannot be SMILES, judged by its characters; "" if it can."""
    if not cell:
        return "the cell is empty"
    if cell.startswith("InChI=") or _INCHI_KEY.fullmatch(cell):
        kind = "InChIKey" if "InChI=" not in cell else "InChI"
        return f"an {kind}, not a SMILES string: convert it first"
    if odd := _NOT_ASCII.search(cell):
        return f"{_named(odd.group())} at place {odd.start() + 1} is no sign of SMILES"
    if len(cell.split()) > 1:
        return _blank_inside(cell, cell.split(maxsplit=1)[0])
    if ">" in cell.replace("->", ""):
        return "a reaction, not a molecule"
    return _PATTERN_REASON if _PATTERN.search(cell) else ""


def _blank_inside(cell: str, before: str) -> str:
    """Say what is wrong with a cell that has a blank after the text ``before``."""
    rest = cell[len(before) :].strip()
    if rest.startswith("|"):
        return f"an extension (CXSMILES) after {before!r}, which is not read: remove {rest!r}"
    if not _would_be_read(before):
        return "not a SMILES string"
    blank = _BLANKS.get(cell[len(before)], "a blank")
    return (
        f"{blank} after {before!r}: RDKit would read {before!r} alone "
        "(a name belongs in a column of its own)"
    )


def _would_be_read(text: str) -> bool:
    from rdkit import Chem, rdBase  # noqa: PLC0415

    with rdBase.BlockLogs():
        return Chem.MolFromSmiles(text, sanitize=False) is not None


def _named(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, 'control character')}"


def _reason(chem: Any, cell: str) -> str:
    """Say why RDKit reads no molecule from a cell."""
    molecule = chem.MolFromSmiles(cell, sanitize=False)
    if molecule is not None:
        problems = [problem.Message() for problem in chem.DetectChemistryProblems(molecule)]
        more = f" ({counted(len(problems) - 1, 'more fault')})" if len(problems) > 1 else ""
        return f"{problems[0]}{more}" if problems else "not a valid molecule"
    if chem.MolFromSmarts(cell) is not None:
        return _PATTERN_REASON
    return "not a SMILES string"
