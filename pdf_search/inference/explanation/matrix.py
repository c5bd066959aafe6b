"""The learned matrix f(G) of one graph, in float64, and its constant part.

The filter f is evaluated at the basis rows before any rounding. The matrices are those that the
layers multiply with: f(G) itself or, in a model with softmax, the softmax of f over the incoming
pairs of each node.

The constant part is f(r0) at every supported pair, where r0 is the row of a pair that no basis
joins. This row is zero or, with standardised bases, what standardisation makes of zero in this
graph.

For an affine filter the constant part is exactly the bias term, which is the bias plus the shift
by the means of standardisation, at every pair. What remains is the weighted sum of the bases.

A filter with an activation has no such term. Its f(r0) is the output at pairs that no basis joins,
and what remains is zero at those pairs.

A softmax does not change when a constant is added to f, so its constant part is 0.

Legend: n nodes, P listed pairs (v, u), d channels (1 if shared), m bases.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray

from pdf_search.config import BasisConfig
from pdf_search.graphs import GraphSet, exact_pairs
from pdf_search.inference.load import Trained

Floats = NDArray[np.float64]
Index = NDArray[np.int64]

_CHUNK_VALUES = 1 << 22  # filter outputs computed at a time
LAPLACIAN = BasisConfig(pairs=((-0.5, 1),))


@dataclass(frozen=True)
class LearnedMatrix:
    """f(G) of one graph in all channels.

    ``full`` and ``structure`` return one channel as an [n, n] matrix.
    """

    nodes: int
    dense: bool  # every pair is supported, not only the listed ones
    softmax: bool
    target: Index  # [P] v
    source: Index  # [P] u
    values: Floats  # [P, d] f at the listed pairs
    far: Floats  # [d] f(r0)

    @property
    def channels(self) -> int:
        """Number of channels of the filter, d."""
        return len(self.far)

    @property
    def support(self) -> NDArray[np.bool_]:
        """Which pairs take part, [n, n]."""
        out: NDArray[np.bool_] = np.full((self.nodes, self.nodes), self.dense)
        out[self.target, self.source] = True
        return out

    @property
    def constant(self) -> Floats:
        """The value of the constant part in each channel, [d]."""
        return np.zeros_like(self.far) if self.softmax else self.far

    def full(self, channel: int) -> Floats:
        """The matrix that the layers multiply with, [n, n]: row v receives, column u sends."""
        matrix: Floats = np.full((self.nodes, self.nodes), self.far[channel] if self.dense else 0.0)
        matrix[self.target, self.source] = self.values[:, channel]
        return incoming_softmax(matrix, self.support) if self.softmax else matrix

    def structure(self, channel: int) -> Floats:
        """The matrix ``full`` without the constant part, [n, n]."""
        return np.asarray(self.full(channel) - self.constant[channel] * self.support)


def learned_matrix(trained: Trained, graph: GraphSet) -> LearnedMatrix:
    """Compute f(G) with the first replicate of ``trained``; ``graph``: a set of one graph."""
    basis = trained.config.basis
    (_, target, source, rows), far = exact_pairs(graph, basis)
    filtered = partial(filter_outputs, trained)
    return LearnedMatrix(
        nodes=int(graph.node_count[0]),
        dense=basis.hops is None,
        softmax=trained.config.model.softmax,
        target=target,
        source=source,
        values=filtered(rows),
        far=filtered(far)[0],
    )


def filter_outputs(trained: Trained, rows: Floats) -> Floats:
    """Compute the first replicate's f at ``rows`` [L, m] in float64, before any softmax: [L, d]."""
    f = deepcopy(trained.model.filter).double()
    step = max(1, _CHUNK_VALUES // max(trained.config.model.hidden, 1))
    outputs = []
    with torch.no_grad():
        for chunk in np.split(rows, range(step, len(rows), step)):
            entries = torch.from_numpy(np.ascontiguousarray(chunk, np.float64))[None]
            weight = torch.ones(len(trained.replicates), len(chunk), 1, dtype=torch.float64)
            outputs.append(f(entries, weight)[0].numpy())
    return np.concatenate(outputs)


def incoming_softmax(matrix: Floats, support: NDArray[np.bool_]) -> Floats:
    """Softmax over the supported pairs of each row of ``matrix`` [n, n].

    No row is empty: its diagonal pair is always supported.
    """
    logits = np.where(support, matrix, -np.inf)
    weight = np.exp(logits - logits.max(1, keepdims=True))
    return np.asarray(weight / weight.sum(1, keepdims=True))


def normalised_adjacency(graph: GraphSet) -> Floats:
    """Compute D~^-1/2 A~ D~^-1/2, [n, n]; ``graph``: a set of one graph."""
    n = int(graph.node_count[0])
    (_, target, source, rows), _ = exact_pairs(graph, LAPLACIAN)
    out = np.zeros((n, n))
    out[target, source] = rows[:, 1]
    return out
