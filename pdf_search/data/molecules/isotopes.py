"""Tells of isotope labels and dummy atoms; molecules that differ in labels alone are one.

So they are to OGB's featuriser, which ignores isotope labels. A labelled hydrogen, however, becomes
an atom of the graph: [2H]O[2H] has three atoms and O has one, so these two are different molecules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pdf_search.data.tables.table import rows_have

_LABEL = re.compile(r"\[\d")  # in a canonical SMILES, where atom maps are gone
_HYDROGEN = re.compile(r"\[\d+H")

Graph = Mapping[str, Any]  # OGB's arrays, and the canonical SMILES that gives their order of atoms


def isotope_notes(spellings: Sequence[str], lines: Sequence[int]) -> tuple[str, ...]:
    """Return a note on the canonical SMILES that have isotope labels; ``lines`` has their lines."""
    labelled = [i for i, text in enumerate(spellings) if _LABEL.search(text)]
    if not labelled:
        return ()
    hydrogen = any(_HYDROGEN.search(spellings[i]) for i in labelled)
    seen = "; a labelled hydrogen is an atom of the graph, others are not" if hydrogen else ""
    return (
        f"{rows_have(len(labelled))} isotope labels, which the model does not see: "
        f"{_first(labelled, spellings, lines)}{seen}",
    )


def dummy_notes(spellings: Sequence[str], lines: Sequence[int]) -> tuple[str, ...]:
    """Return a note on the SMILES that have dummy atoms; ``lines`` has their lines."""
    found = [i for i, text in enumerate(spellings) if "*" in text]
    if not found:
        return ()
    return (
        f"{rows_have(len(found))} dummy atoms (*), which are of no element, all alike, to the "
        f"model: {_first(found, spellings, lines)}",
    )


def _first(places: Sequence[int], spellings: Sequence[str], lines: Sequence[int]) -> str:
    rest = f" and {len(places) - 1:,} more" if len(places) > 1 else ""
    return f"{spellings[places[0]]} on line {lines[places[0]]}{rest}"


def as_seen(graphs: Sequence[Graph]) -> list[str]:
    """Return a canonical SMILES for each molecule, equal for those that differ in isotopes alone.

    It is that of the first such molecule without labels, or of the first if all have labels.
    """
    spellings = [graph["canonical"] for graph in graphs]
    labelled = [_LABEL.search(text) is not None for text in spellings]
    if not any(labelled):
        return spellings
    keys = list(map(_features, graphs))
    first: dict[str, str] = {}
    for i in sorted(range(len(graphs)), key=labelled.__getitem__):
        first.setdefault(keys[i], spellings[i])
    return [first[keys[i]] if labelled[i] else text for i, text in enumerate(spellings)]


def _features(graph: Graph) -> str:
    """A text that is equal for graphs with equal features in any order of atoms.

    It is RDKit's canonical SMILES with the features in place of the elements and bonds.
    """
    from rdkit import Chem, rdBase  # noqa: PLC0415

    with rdBase.BlockLogs():
        molecule = Chem.MolFromSmiles(graph["canonical"])
    return str(
        Chem.MolFragmentToSmiles(
            molecule,
            list(range(molecule.GetNumAtoms())),
            atomSymbols=[f"[{row}]" for row in graph["node_feat"].tolist()],
            bondSymbols=[f"{row}" for row in graph["edge_feat"][::2].tolist()],
            isomericSmiles=False,
        )
    )
