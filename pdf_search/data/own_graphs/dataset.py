"""``pdf_search.Dataset``: graphs made in Python, to be saved as a file that every verb takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from pdf_search.data.own_graphs.from_pyg import SPLIT, graphs_of, items_of
from pdf_search.data.own_graphs.own_graphs import SUFFIX, OwnGraphs
from pdf_search.data.splits.given_parts import graph_places, part_of_each, parts_named
from pdf_search.errors import DataError
from pdf_search.paths import expanded

_WITHOUT = "left out, they are dealt out at random"


class Dataset:
    """Graphs of one's own.

    >>> Dataset.from_pyg(graphs).save("mine.npz")

    The file is used in place of a space or data set (``pdf-search sweep mine.npz``,
    ``pdf-search predict mine new.npz``) and holds arrays alone: reading it runs no code.
    """

    def __init__(self, graphs: OwnGraphs) -> None:
        self._graphs = graphs

    @classmethod
    def from_pyg(
        cls,
        graphs: Iterable[Any],
        target_names: Sequence[str] = (),
        split: Sequence[str] = (),
    ) -> Self:
        """Take a list of ``torch_geometric.data.Data``.

        Graphs are undirected: an edge that is listed in one direction is taken in both, as from
        files, and a note says how many are when the data set is prepared.
        Read are ``x`` [n, F], ``edge_index`` [2, e], ``edge_attr`` [e, C] and ``y``. Integer
        features are codes, each column with an embedding of its own. ``y`` is a class number or a
        value, or [1, T] for T targets; nan is a missing value. For prediction it may be left out.

        Args:
            graphs: The graphs.
            target_names: A name for each target; by default ``y``, or ``y0``, ``y1``, ...
            split: The part of each graph, train, valid or test; by default their attribute
                ``split``, if they have one. A sweep over the saved file divides the graphs so,
                unless ``--split random`` is given.

        Raises:
            DataError: The graphs are unusable; the message names the first by its number, from 0.
                Or a name of a target is none, or the split names something else than parts.
        """
        found = graphs_of(graphs, target_names)
        if parts := items_of(split, SPLIT, "parts, one for each graph"):
            parts = list(map(str, parts))
            if len(parts) != len(found):
                raise DataError(f"split: {len(parts)} parts for {len(found)} graphs")
            parts_named(parts, graph_places(len(found)), SPLIT, _WITHOUT)
            return cls(replace(found, parts=tuple(parts)))
        if found.parts:  # of graphs to be predicted all may be of one part: words alone are checked
            part_of_each(found.parts, graph_places(len(found)), f"attribute {SPLIT!r}", _WITHOUT)
        return cls(found)

    def save(self, path: str | Path) -> Path:
        """Write the graphs to a file, whose name must end in ``.npz``, and return its path.

        Raises:
            DataError: The name ends otherwise, or the file cannot be written.
        """
        path = expanded(path)
        if path.suffix != SUFFIX:
            raise DataError(f"{path}: give a name that ends in {SUFFIX}")
        try:
            self._graphs.save(path)
        except OSError as error:
            raise DataError(f"{path} cannot be written: {error.strerror}") from None
        return path

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a file that ``save`` wrote.

        Raises:
            DataError: There is no such file, or it is another.
        """
        return cls(OwnGraphs.load(expanded(path)))

    def __len__(self) -> int:
        return len(self._graphs)

    @property
    def graphs(self) -> OwnGraphs:
        """The graphs as flat arrays."""
        return self._graphs

    @property
    def target_names(self) -> tuple[str, ...]:
        """The names of the targets."""
        return self._graphs.target_names

    @property
    def notes(self) -> tuple[str, ...]:
        """How the graphs were read, a sentence each."""
        return self._graphs.notes

    def __repr__(self) -> str:
        return f"Dataset({len(self)} graphs, targets: {', '.join(self.target_names) or 'none'})"
