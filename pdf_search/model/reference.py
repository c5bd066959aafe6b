"""The reference engine: the convolution pair by pair, as the paper writes it (section 3.3).

Legend: R replicates, N nodes, P pairs, d channels, T edge types.
"""

from __future__ import annotations

from torch import Tensor

from pdf_search.config import ModelConfig
from pdf_search.graphs import Batch
from pdf_search.model.filters import Filter
from pdf_search.model.layers import Linear, activation
from pdf_search.model.randomness import FILTER, Dropout
from pdf_search.model.segments import index_select, scatter_max, scatter_sum


class ReferenceConvolution:
    """y[v] = sum over pairs (v, u) of f(b[v, u]) * act(W (x[u] + e[t(v, u)]) + c)."""

    def __init__(
        self, f: Filter, batch: Batch, rows: Tensor, config: ModelConfig, dropout: Dropout
    ) -> None:
        """Compute the weights of all pairs, which all layers share. ``rows``: [bank rows, m]."""
        self.batch = batch
        self.activation = config.activation
        weights = f(rows[batch.pair_row], batch.pair_mask)
        weights = dropout(weights, FILTER, batch.pair_target, batch.pair_source)
        if config.softmax:
            weights = incoming_softmax(weights, batch.pair_target, batch.nodes.shape[1])
        self.weights = weights  # [R, P, d or 1]; padding is summed into a row that is dropped

    def __call__(self, x: Tensor, e: Tensor | None, pre: Linear) -> Tensor:
        """Convolve ``x`` [R, N, d] with edge types ``e`` [R, T, d] or None; returns [R, N, d]."""
        batch = self.batch
        if e is None:  # without edge input a node sends the same message to all
            message = index_select(activation(self.activation, pre(x)), batch.pair_source)
        else:
            sent = index_select(x, batch.pair_source) + index_select(e, batch.pair_type)
            message = activation(self.activation, pre(sent))
        return scatter_sum(message * self.weights, batch.pair_target, x.shape[1])


def incoming_softmax(f: Tensor, target: Tensor, nodes: int) -> Tensor:
    """Softmax of ``f`` [R, P, d] over the incoming pairs of each node, for each channel.

    ``target`` [R, P]: the node that a pair comes into; ``nodes`` stands for padding.
    """
    largest = scatter_max(f.detach(), target, nodes)
    weight = (f - index_select(largest, target)).exp()
    total = scatter_sum(weight, target, nodes + 1)
    return weight / index_select(total, target)
