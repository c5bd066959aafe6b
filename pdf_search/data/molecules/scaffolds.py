"""Finds the Bemis-Murcko scaffold of molecules: their rings and what links them."""

from __future__ import annotations

from collections.abc import Sequence


def scaffolds_of(spellings: Sequence[str]) -> list[str]:
    """Return the canonical SMILES of each molecule's scaffold, without stereo marks.

    A molecule without rings has no scaffold; its text is the name of that group, ``no ring``.
    G. W. Bemis and M. A. Murcko, J. Med. Chem. 39, 2887 (1996), as RDKit has it.
    """
    from rdkit import Chem, rdBase  # noqa: PLC0415
    from rdkit.Chem.Scaffolds.MurckoScaffold import GetScaffoldForMol  # noqa: PLC0415

    found = []
    with rdBase.BlockLogs():
        for text in spellings:
            molecule = Chem.MolFromSmiles(text)
            if not molecule.GetRingInfo().NumRings():  # cutting a long chain takes minutes
                found.append("no ring")
                continue
            scaffold = GetScaffoldForMol(molecule)  # type: ignore[no-untyped-call]
            found.append(Chem.MolToSmiles(scaffold, isomericSmiles=False) or "no ring")
    return found
