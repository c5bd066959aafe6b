"""The columns that say how like the training graphs each graph is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdf_search.data import Domain
from pdf_search.graphs import GraphSet
from pdf_search.wording import counted

MARKS = ("familiar", "unlike")


class Marks:
    """Collects the marks of ``rows`` graphs; ``node`` is what their nodes are called."""

    def __init__(self, domain: Domain | None, rows: int, node: str) -> None:
        self.domain = domain
        self.node = node
        self.familiar = np.full(rows, np.nan)
        self.unlike = [""] * rows

    def add(self, places: NDArray[np.int64], graphs: GraphSet) -> None:
        """Look at the graphs of the rows ``places``."""
        if self.domain is None:
            return
        self.familiar[places] = self.domain.familiar(graphs)
        for place, words in zip(places, self.domain.unlike(graphs, self.node), strict=True):
            self.unlike[place] = words

    def columns(self, before: Mapping[int, str]) -> dict[str, Any]:
        """The columns ``MARKS``; ``before`` has words for some rows that come first."""
        first = [before.get(place, "") for place in range(len(self.unlike))]
        unlike = [", ".join(filter(None, pair)) for pair in zip(first, self.unlike, strict=True)]
        return {"familiar": self.familiar, "unlike": unlike}


def unlike_notes(unlike: Sequence[str], noun: str) -> list[str]:
    """A note on how many rows are marked as unlike; [] if none is."""
    count = sum(map(bool, unlike))
    of = f"{count:,} of {counted(len(unlike), noun)} {'is' if count == 1 else 'are'}"
    return [f"{of} unlike those of the training: see the column unlike"] if count else []
