"""The fast engine: the same convolution with distinct rows, node-level messages, far pairs closed.

Four exact steps (design: the fast engine): messages are made once for each node and bond type; the
filter runs on distinct basis rows; far pairs enter as a sum over the graph; what is left is one
segment product.

Legend: R replicates, N nodes, U rows, d channels, T edge types; flat over the
replicates: E weight entries, P near pairs.
"""

from __future__ import annotations

import torch
from torch import Tensor

from pdf_search.config import ModelConfig
from pdf_search.kernels.messages import message
from pdf_search.kernels.product import segment_product
from pdf_search.model.fast_batch import FastBatch, FastEntries, FastPairs
from pdf_search.model.filters import Filter
from pdf_search.model.layers import Linear
from pdf_search.model.randomness import FILTER, Dropout
from pdf_search.model.segments import max_by, sum_by


class FastConvolution:
    """y[v] = sum over pairs (v, u) of f(b[v, u]) * act(W (x[u] + e[t(v, u)]) + c)."""

    def __init__(
        self, f: Filter, batch: FastBatch, rows: Tensor, config: ModelConfig, dropout: Dropout
    ) -> None:
        """``rows`` [bank rows, m]. The weights serve all layers, so they are computed once."""
        self.batch = batch
        self.activation = config.activation
        values = f(rows[batch.rows], batch.row_weight, fused=True)  # [R, U, d or 1]
        none = values.new_zeros(values.shape[0], 1, values.shape[2])
        values = torch.cat([values, none], 1).flatten(0, 1)
        where = batch.weights
        if isinstance(where, FastEntries):
            plus = values.index_select(0, where.plus)
            self.weights = plus - values.index_select(0, where.minus)  # [E, d or 1]
        else:
            near, far = pair_weights(values, where, config.softmax, dropout)
            near = near - where.plain * far.index_select(0, where.target)
            self.weights = torch.cat([near, -far])  # [P + R N, d or 1]

    def __call__(self, x: Tensor, e: Tensor | None, pre: Linear) -> Tensor:
        """``x`` [R, N, d], ``e`` [R, T, d] or None; gives [R, N, d]."""
        w = pre.bias if e is None else torch.baddbmm(pre.bias, e, pre.weight)
        messages = message(x @ pre.weight, w, self.batch.messages, self.activation)
        return segment_product(self.weights, messages, self.batch.triples).view(x.shape)


def pair_weights(
    values: Tensor, pairs: FastPairs, softmax: bool, dropout: Dropout
) -> tuple[Tensor, Tensor]:
    """Weights of the near pairs [P, d] and of each node's far pairs [R N, d], 0 for none.

    ``values`` [rows, d]: f of the rows of the batch. With ``softmax``, over the incoming pairs of
    each node; its own maximum is taken off first.
    """
    near = values.index_select(0, pairs.row)
    near = dropout(near, FILTER, pairs.target_place, pairs.source_place, replicate=pairs.replicate)
    far = values.index_select(0, pairs.far_row)
    if not softmax:
        return near, far
    nodes = len(far)
    target = pairs.target[None]
    some = pairs.far_count > 0
    largest = max_by(near.detach()[None], target, nodes)[0, :nodes]
    largest = torch.where(some, torch.maximum(largest, far.detach()), largest)
    largest = torch.where(largest.isinf(), 0.0, largest)  # padding has no pair
    near = (near - largest.index_select(0, pairs.target)).exp()
    far = torch.where(some, (far - largest).exp(), 0.0)
    total = sum_by(near[None], target, nodes)[0] + pairs.far_count * far
    total = torch.where(total > 0, total, 1.0)
    return near / total.index_select(0, pairs.target), far / total
