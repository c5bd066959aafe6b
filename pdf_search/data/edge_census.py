"""Counts of listed edges that are not used as they stand, and the sentences about them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class EdgeCensus:
    """Of all runs of a data set. An edge is a pair of nodes, listed in one or both directions."""

    edges: int = 0  # distinct
    loops: int = 0  # listings that join a node with itself
    one_way: int = 0  # edges that are listed in one direction only
    repeated: int = 0  # listings of a direction that is listed before

    def notes(self, inverse: bool) -> list[str]:
        """``inverse``: the format lists each edge once, in either direction."""
        repeated = self.repeated + (self.edges - self.one_way if inverse else 0)
        notes = []
        if self.one_way and not inverse:
            notes.append(
                f"{self.one_way:,} of {_edges(self.edges)} are listed in one direction only; "
                "here all edges run both ways"
            )
        if repeated:
            notes.append(f"{_repeated(repeated)} of edges left out")
        if self.loops:
            notes.append(f"{_edges(self.loops)} from a node to itself left out")
        return notes


def _edges(count: int) -> str:
    return f"{count:,} edge" + ("s" if count != 1 else "")


def _repeated(count: int) -> str:
    return f"{count:,} repeated listing" + ("s" if count != 1 else "")
