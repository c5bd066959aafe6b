"""A batch of the fast engine: distinct rows, weight entries, messages and triples.

Legend: R replicates, B graph slots, N node places, U row places of a replicate; flat over all
replicates: E weight entries, M messages, Q triples, P near pairs.

Flat numbers of nodes, rows and slots count through the replicates: r * N + v, r * (U + 1) + row,
r * B + slot. Row U of each replicate stands for "no weight".
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from pdf_search.graphs import Nodes
from pdf_search.kernels import Messages, Triples


@dataclass(frozen=True)
class FastBatch(Nodes):
    """What the fast engine computes with: nodes, distinct basis rows, and triples."""

    rows: Tensor  # [R, U] rows of the bank
    row_weight: Tensor  # [R, U, 1] number of pairs that have the row, 0 for padding
    messages: Messages
    triples: Triples  # flat nodes, weight entries or pairs, messages
    weights: FastEntries | FastPairs


@dataclass(frozen=True)
class FastEntries:
    """Weights that pairs share: the weight of one row minus that of a far row."""

    plus: Tensor  # [E] flat row whose weight is added
    minus: Tensor  # [E] flat row whose weight is subtracted


@dataclass(frozen=True)
class FastPairs:
    """The near pairs one by one, for weights that differ by pair.

    They do so with dropout on the filter, and with a softmax where far pairs abound.
    """

    target: Tensor  # [P] flat node v
    target_place: Tensor  # [P] v within its replicate
    source_place: Tensor  # [P] u within its replicate
    row: Tensor  # [P] flat row
    plain: Tensor  # [P, 1] 1.0 for edge type 0
    far_count: Tensor  # [R * N, 1] far pairs of each node
    far_row: Tensor  # [R * N] flat row of the node's far pairs, or "no weight"
    replicate: Tensor  # [P]
