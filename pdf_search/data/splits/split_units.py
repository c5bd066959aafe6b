"""What goes to one part of a split as a whole: a molecule with all its rows, or a single graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdf_search.config import TrialConfig
from pdf_search.data.prepared.folder import Prepared
from pdf_search.records import Protocol
from pdf_search.wording import counted

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Units:
    """Units in the order of their first graphs, so that they number the graphs if all differ."""

    first: Numbers  # [U] the first graph of each unit
    of: Numbers  # [G] the unit of each graph

    def __len__(self) -> int:
        return len(self.first)

    def __str__(self) -> str:
        if len(self) == len(self.of):
            return counted(len(self), "graph")
        rows = f"of {len(self.of):,} rows; data.split_by: row deals out rows"
        return f"{counted(len(self), 'molecule')} ({rows})"

    @property
    def too_few(self) -> str:
        return f"{self} {'is' if len(self) == 1 else 'are'} too few"

    def graphs(self, units: Numbers) -> Numbers:
        """The sorted graphs of these units."""
        return np.flatnonzero(np.isin(self.of, units)).astype(np.int64)


def units_of(data: Prepared, config: TrialConfig) -> Units:
    """The units that a split of ``config`` deals out; official splits stay as they are."""
    official = data.official is not None and config.protocol is Protocol.SPLIT
    if official or not config.data.by_molecule or data.molecules is None:
        every = np.arange(len(data.graphs), dtype=np.int64)
        return Units(every, every)
    return molecules_of(data.molecules)


def known_as(data: Prepared, config: TrialConfig) -> str:
    """The file of own molecules, else the title of the data set: for messages."""
    return config.data.path or data.info.title


def molecules_of(molecules: NDArray[np.int64]) -> Units:
    """Graphs of equal numbers as one unit."""
    _, first, of = np.unique(np.asarray(molecules), return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.argsort(order)
    return Units(first[order].astype(np.int64), place[of].astype(np.int64))
