"""Counts the listed edges that are not used as they stand, and makes notes on them."""

from __future__ import annotations

from dataclasses import dataclass

from pdf_search.wording import counted


@dataclass
class EdgeCensus:
    """Counts over all runs of a data set. An edge is a pair of nodes, in either direction."""

    edges: int = 0  # distinct
    loops: int = 0  # listings that join a node with itself
    one_way: int = 0  # edges that are listed in one direction only
    repeated: int = 0  # listings of a direction that is listed before
    unlike: int = 0  # of these, with other features than the listing that is used

    def notes(self, inverse: bool) -> list[str]:
        """Return notes on edges in one direction only, repeated listings, and self loops.

        ``inverse`` says that the format lists each edge once, in either direction, and means both.
        """
        repeated = self.repeated + (self.edges - self.one_way if inverse else 0)
        notes, is_are = [], "is" if self.edges == 1 else "are"
        if self.one_way and not inverse:
            notes.append(
                f"{self.one_way:,} of {counted(self.edges, 'edge')} {is_are} listed in one "
                "direction only; here all edges run both ways"
            )
        if repeated:
            unlike = f", {self.unlike:,} of them with other features" if self.unlike else ""
            notes.append(f"{counted(repeated, 'repeated listing')} of edges left out{unlike}")
        if self.loops:
            notes.append(f"{counted(self.loops, 'edge')} from a node to itself left out")
        return notes
