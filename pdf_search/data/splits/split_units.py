"""The units that a split deals out: molecules with all their rows, or single graphs."""

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
    """Units of a split, numbered by their first graph. If all graphs differ, unit i is graph i."""

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
        """The beginning of a message: ``3 graphs are too few``."""
        return f"{self} {'is' if len(self) == 1 else 'are'} too few"

    def graphs(self, units: Numbers) -> Numbers:
        """Return the sorted graph numbers of these units."""
        return np.flatnonzero(np.isin(self.of, units)).astype(np.int64)


def units_of(data: Prepared, config: TrialConfig) -> Units:
    """Return the units that a split of ``config`` deals out.

    They are single graphs in an official split, if ``data.split_by`` is row, or if the data set
    does not say which graphs are the same molecule; otherwise molecules.
    """
    official = data.official is not None and config.protocol is Protocol.SPLIT
    if official or not config.data.by_molecule or data.molecules is None:
        every = np.arange(len(data.graphs), dtype=np.int64)
        return Units(every, every)
    return molecules_of(data.molecules)


def known_as(data: Prepared, config: TrialConfig) -> str:
    """Return the file of own molecules, else the data set's title; for messages."""
    return config.data.path or data.info.title


def molecules_of(molecules: NDArray[np.int64]) -> Units:
    """Make one unit of all graphs with the same molecule number; ``molecules`` is [G]."""
    _, first, of = np.unique(np.asarray(molecules), return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.argsort(order)
    return Units(first[order].astype(np.int64), place[of].astype(np.int64))
