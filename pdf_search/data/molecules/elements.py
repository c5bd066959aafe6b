"""Finds the elements and bond types of molecules that no training molecule of a model has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdf_search.data.raw.ogb_package import import_ogb
from pdf_search.data.registry import DatasetInfo, molecule_shape
from pdf_search.data.tables.table import rows_have
from pdf_search.graphs import GraphSet

Numbers = NDArray[np.int64]
_SHOWN = 5  # elements or bond types that are named


@dataclass(frozen=True)
class Kinds:
    """The elements and bond types of a set of molecules, as ascending codes.

    Elements have OGB's codes. Bond types have OGB's codes plus 1; 0 is "no bond".
    """

    elements: tuple[int, ...]
    bonds: tuple[int, ...]

    @classmethod
    def of(cls, graphs: GraphSet, numbers: Numbers) -> Kinds:
        """Return the elements and bond types of the graphs with these numbers."""
        chosen = np.isin(np.arange(len(graphs)), numbers)
        elements, bonds = _codes(graphs)
        at_atom, at_bond = (np.repeat(chosen, count) for count in _counts(graphs))
        return cls(_distinct(elements[at_atom]), _distinct(bonds[at_bond]))


def are_molecules(info: DatasetInfo) -> bool:
    """Whether a data set's graphs have the shape of molecules from OGB's featuriser."""
    return info.shape is not None and info.shape == molecule_shape(info.shape.outputs, info.task)


def unseen_notes(graphs: GraphSet, lines: Sequence[int], seen: Kinds) -> list[str]:
    """Return notes on molecules with an element or a bond type that is not among ``seen``.

    ``lines`` has the line of each graph in the user's file.
    """
    said = "that no training molecule has"
    atoms, edges = (np.repeat(np.array(lines), count) for count in _counts(graphs))
    elements, bonds = _codes(graphs)
    new = [_lines_of(elements, atoms, seen.elements), _lines_of(bonds, edges, seen.bonds)]
    return [
        f"{rows_have(len(set().union(*found.values())))} {what} {said}: {_listed(found, names)}"
        for what, found, names in zip(
            ("an element", "a bond type"), new, (_elements(), _bonds()), strict=True
        )
        if found
    ]


def _codes(graphs: GraphSet) -> tuple[Numbers, Numbers]:
    """The code of each atom's element, and of each directed edge's bond type."""
    nodes, types = np.asarray(graphs.nodes[:, 0]), np.asarray(graphs.edge_types)[:, 0]
    return nodes.astype(np.int64), types[np.asarray(graphs.edge_type)].astype(np.int64)


def _counts(graphs: GraphSet) -> tuple[Numbers, Numbers]:
    return graphs.node_count, np.diff(graphs.edge_ptr)


def _distinct(codes: Numbers) -> tuple[int, ...]:
    return tuple(np.unique(codes).tolist())


def _lines_of(codes: Numbers, lines: Numbers, seen: Sequence[int]) -> dict[int, list[int]]:
    """The lines on which each code occurs that is not among ``seen``, both ascending."""
    new = set(_distinct(codes)) - set(seen)
    return {code: np.unique(lines[codes == code]).tolist() for code in sorted(new)}


def _listed(found: dict[int, list[int]], names: Sequence[str]) -> str:
    """The names of the first codes, each with its first line, and the number of other codes."""
    shown = []
    for code, lines in [*found.items()][:_SHOWN]:
        more = f" and {len(lines) - 1:,} more" if len(lines) > 1 else ""
        shown.append(f"{names[code]} (line {lines[0]}{more})")
    rest = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return ", ".join(shown) + rest


def _elements() -> list[str]:
    """The symbol of each element code; the last is ``*``, OGB's code for anything else."""
    from rdkit import Chem  # noqa: PLC0415

    numbers = import_ogb("ogb.utils.features").allowable_features["possible_atomic_num_list"]
    table = Chem.GetPeriodicTable()
    return [table.GetElementSymbol(n) if isinstance(n, int) else "*" for n in numbers]


def _bonds() -> list[str]:
    types = import_ogb("ogb.utils.features").allowable_features["possible_bond_type_list"]
    return ["no bond", *(str(name).lower() for name in types)]
