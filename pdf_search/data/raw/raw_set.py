"""The result of reading raw files: runs of graphs as they stand in the files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdf_search.graphs import Array

Progress = Callable[[str], None]


@dataclass(frozen=True)
class RawGraphs:
    """A run of g consecutive graphs with n nodes and e listed edges in all.

    An edge may be listed in one or both directions and several times, and may be a self loop.
    """

    node_count: NDArray[np.int64]  # [g]
    nodes: Array  # [n, F]
    edge_count: NDArray[np.int64]  # [g] listed edges
    edges: NDArray[np.int64]  # [2, e] node numbers local to their graph
    edge_features: Array | None  # [e, C]; categorical codes leave 0 for "no bond"
    targets: NDArray[np.float32]  # [g, tasks]


@dataclass(frozen=True)
class RawSet:
    """A data set as read, with its graphs in runs, so that a large one never fills the memory."""

    runs: Iterable[RawGraphs]
    target_names: tuple[str, ...]
    self_row: tuple[float, ...] | None = None  # edge features of a self pair; None: no features
    official: dict[str, NDArray[np.int64]] | None = None  # train, valid, test graph numbers
    class_names: tuple[str, ...] = ()  # multi-class: the raw label of each class number
    inverse: bool = False  # the format lists an edge in one direction and means both
    source: dict[str, Any] | None = None  # where the data come from, to be recorded
    notes: tuple[str, ...] = ()  # how the user's files were read, a sentence each
    rows: NDArray[np.int64] | None = None  # [G] row of the user's file, from 0; None: as numbered
    molecules: NDArray[np.int64] | None = None  # [G] equal for graphs of the same molecule
    scaffolds: NDArray[np.int64] | None = None  # [G] equal for molecules of the same scaffold


def silent(_: str) -> None:
    """Ignore a progress message."""
