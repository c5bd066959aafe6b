"""Finds the elements and bond types of molecules that no training molecule of a model has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

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


class Unseen:
    """The lines of molecules with an element or a bond type that is not among ``seen``."""

    def __init__(self, seen: Kinds) -> None:
        self._seen = seen
        self._found: tuple[dict[int, list[int]], dict[int, list[int]]] = ({}, {})

    def add(self, graphs: GraphSet, lines: Sequence[int]) -> None:
        """Look at more molecules; ``lines`` has the line of each in the user's file, ascending."""
        kinds = (self._seen.elements, self._seen.bonds)
        for codes, count, seen, found in zip(
            _codes(graphs), _counts(graphs), kinds, self._found, strict=True
        ):
            new = _lines_of(codes, np.repeat(np.array(lines), count), seen)
            for code, places in new.items():
                found.setdefault(code, []).extend(places)

    def notes(self) -> list[str]:
        """Return a note on elements and one on bond types, if there are any."""
        said = "that no training molecule has"
        return [
            f"{rows_have(len(set().union(*found.values())))} {what} {said}: "
            f"{_listed(dict(sorted(found.items())), names())}"
            for what, found, names in zip(
                ("an element", "a bond type"), self._found, (_elements, _bonds), strict=True
            )
            if found
        ]

    def by_line(self) -> dict[int, str]:
        """Return for each line of such a molecule which elements and bond types they are."""
        words: dict[int, list[str]] = {}
        for what, found, names in zip(
            ("element", "bond type"), self._found, (_elements, _bonds), strict=True
        ):
            for code, lines in sorted(found.items()):
                for line in lines:
                    words.setdefault(line, []).append(f"{what} {names()[code]}")
        return {line: ", ".join(several) for line, several in words.items()}


def unseen_notes(graphs: GraphSet, lines: Sequence[int], seen: Kinds) -> list[str]:
    """Return notes on molecules with an element or a bond type that is not among ``seen``.

    ``lines`` has the line of each graph in the user's file.
    """
    unseen = Unseen(seen)
    unseen.add(graphs, lines)
    return unseen.notes()


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


@cache
def _elements() -> list[str]:
    """The symbol of each element code; the last is ``*``, OGB's code for anything else."""
    from rdkit import Chem  # noqa: PLC0415

    numbers = import_ogb("ogb.utils.features").allowable_features["possible_atomic_num_list"]
    table = Chem.GetPeriodicTable()
    return [table.GetElementSymbol(n) if isinstance(n, int) else "*" for n in numbers]


@cache
def _bonds() -> list[str]:
    types = import_ogb("ogb.utils.features").allowable_features["possible_bond_type_list"]
    return ["no bond", *(str(name).lower() for name in types)]
