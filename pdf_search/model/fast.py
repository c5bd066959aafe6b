"""The fast engine: the same convolution as in the reference, with far less work.

Four exact steps save the work. A message is computed once for each node and edge type, not for each
pair. The filter runs on the distinct basis rows of a batch. The far pairs of a graph share one
basis row, so they enter as one sum over its nodes. What is left is one segment product.

Legend: R replicates, N nodes, U rows, d channels, T edge types; flat over the replicates: E weight
entries, P near pairs.
"""

from __future__ import annotations

import torch
from torch import Tensor

from pdf_search.config import ModelConfig
from pdf_search.kernels import convolve, segment_product
from pdf_search.model.fast_batch import FastBatch, FastEntries, FastPairs
from pdf_search.model.filters import Filter
from pdf_search.model.layers import Linear
from pdf_search.model.randomness import FILTER, Dropout
from pdf_search.model.segments import scatter_max, scatter_sum

LARGEST = 80.0  # exp of it and of its negative, and sums of such terms, stay within float32


class FastConvolution:
    """y[v] = sum over pairs (v, u) of f(b[v, u]) * act(W (x[u] + e[t(v, u)]) + c)."""

    def __init__(
        self, f: Filter, batch: FastBatch, rows: Tensor, config: ModelConfig, dropout: Dropout
    ) -> None:
        """Compute the weights of all pairs, which all layers share. ``rows``: [bank rows, m]."""
        self.batch = batch
        self.activation = config.activation
        where = batch.weights
        values = f(rows[batch.rows], batch.row_weight, fused=True)  # [R, U, d or 1]
        if config.softmax and isinstance(where, FastEntries):
            values = scaled_exp(values, batch.row_weight)
        none = values.new_zeros(values.shape[0], 1, values.shape[2])
        values = torch.cat([values, none], 1).flatten(0, 1)
        self.total: Tensor | None = None  # [R, N, d or 1] of the weights into each node
        if isinstance(where, FastEntries):
            plus = values.index_select(0, where.plus)
            self.weights = plus - values.index_select(0, where.minus)  # [E, d or 1]
            if config.softmax:
                self.total = self._total()
        else:
            near, far = pair_weights(values, where, config.softmax, dropout)
            near = near - where.plain * far.index_select(0, where.target)
            self.weights = torch.cat([near, -far])  # [P + R N, d or 1]
        half = config.storage == "bfloat16"
        self.stored = self.weights.detach().bfloat16() if half else None

    def __call__(self, x: Tensor, e: Tensor | None, pre: Linear) -> Tensor:
        """Convolve ``x`` [R, N, d] with edge types ``e`` [R, T, d] or None; returns [R, N, d]."""
        w = pre.bias if e is None else torch.baddbmm(pre.bias, e, pre.weight)
        where, triples = self.batch.messages, self.batch.triples
        out = convolve(x, pre.weight, w, self.weights, where, triples, self.activation, self.stored)
        return out if self.total is None else out / self.total

    def _total(self) -> Tensor:
        """Sum of the weights into each node, [R, N, d or 1]: the denominator of a softmax."""
        one = self.weights.new_ones(1, self.weights.shape[1])
        total = segment_product(self.weights, one, self.batch.triples.with_one_b())
        total = torch.where(total > 0, total, 1.0)  # padding has no pair: its sum is 0
        return total.view(*self.batch.nodes.shape[:2], -1)


def scaled_exp(f: Tensor, weight: Tensor) -> Tensor:
    """Numerators of a softmax, exp(f - c), with c the middle of each channel's values.

    ``f`` [R, U, d]; ``weight`` [R, U, 1], 0 for padding; c [R, 1, d], halfway between a channel's
    smallest and largest value. All pairs with the same row share its exponential.

    The factor exp(-c) cancels in every softmax. Each sum over a node's pairs has positive terms
    only, so this is as exact as subtracting the node's own maximum while the values of a channel
    span less than ``2 * LARGEST``. Values further from c than ``LARGEST`` are clamped.
    """
    values, counted = f.detach(), weight > 0
    low = torch.where(counted, values, torch.inf).amin(1, keepdim=True)
    high = torch.where(counted, values, -torch.inf).amax(1, keepdim=True)
    middle = torch.where(
        counted.any(1, keepdim=True), (low + high) / 2, 0.0
    )  # 0: an idle replicate
    return (f - middle).clamp(-LARGEST, LARGEST).exp()


def pair_weights(
    values: Tensor, pairs: FastPairs, softmax: bool, dropout: Dropout
) -> tuple[Tensor, Tensor]:
    """Weights of the near pairs, [P, d], and of the far pairs of each node, [R N, d].

    ``values`` [rows, d]: f at the rows of the batch. A node without far pairs has the far weight 0.
    With ``softmax`` the weights are normalised over the incoming pairs of each node, after the
    node's own maximum is subtracted.
    """
    near = values.index_select(0, pairs.row)
    near = dropout(near, FILTER, pairs.target_place, pairs.source_place, replicate=pairs.replicate)
    far = values.index_select(0, pairs.far_row)
    if not softmax:
        return near, far
    nodes = len(far)
    target = pairs.target[None]
    some = pairs.far_count > 0
    largest = scatter_max(near.detach()[None], target, nodes)[0, :nodes]
    largest = torch.where(some, torch.maximum(largest, far.detach()), largest)
    largest = torch.where(largest.isinf(), 0.0, largest)  # padding has no pair
    near = (near - largest.index_select(0, pairs.target)).exp()
    far = torch.where(some, (far - largest).exp(), 0.0)
    total = scatter_sum(near[None], target, nodes)[0] + pairs.far_count * far
    total = torch.where(total > 0, total, 1.0)
    return near / total.index_select(0, pairs.target), far / total
