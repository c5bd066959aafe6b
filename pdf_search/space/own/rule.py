"""The rule by which a space is written for data of one's own: sizes by the number of graphs.

The small size is that of the shipped space ``freesolv``, on which the search method was chosen.
With more graphs a model may be larger, and needs fewer epochs for the same number of steps.
"""

from __future__ import annotations

from dataclasses import dataclass

from pdf_search.data import OwnData
from pdf_search.records import Protocol

FEW_FOR_A_SPLIT = 300  # graphs; with fewer, a tenth of them says little about a model


@dataclass(frozen=True)
class Size:
    """What a space holds for up to ``graphs`` graphs; None for any more."""

    graphs: int | None
    trials: int
    epochs: int
    winners: int
    seeds: int
    hidden: tuple[int, ...]
    layers: tuple[int, int]
    batch: tuple[int, ...]
    parameters: int


SIZES = (
    Size(2_000, 16, 40, 3, 4, (64, 48, 32), (2, 3), (32,), 150_000),
    Size(20_000, 16, 30, 3, 3, (96, 128, 64), (3, 5), (64, 32), 500_000),
    Size(None, 12, 20, 2, 3, (128, 192, 96), (3, 6), (128, 64), 1_500_000),
)
LARGE = 100  # nodes of a graph on average; beyond it, all pairs of nodes are too many


def few_note(own: OwnData, protocol: Protocol) -> tuple[str, ...]:
    """Return a note on graphs that are few for a random split: its test part says little."""
    given = own.data.get("split_column") or own.data.get("split_by") == "scaffold"
    if own.graphs >= FEW_FOR_A_SPLIT or given or protocol is not Protocol.SPLIT:
        return ()
    return (
        f"a tenth of {own.graphs} graphs tests, which says little: --set protocol=inner gives ten "
        "folds, each held out once",
    )


def folds_note(own: OwnData, protocol: Protocol) -> tuple[str, ...]:
    """Return a note on a given split where the protocol has folds, which deal out all graphs."""
    column = own.data.get("split_column")
    if column is None or protocol is Protocol.SPLIT:
        return ()
    return (f"protocol {protocol} deals out folds: the given split ({column}) is not used",)


def size_for(graphs: int) -> Size:
    """Return the size of the space for so many graphs."""
    return next(size for size in SIZES if size.graphs is None or graphs <= size.graphs)
