"""The multichannel convolution, pair by pair as the paper writes it (equation 4, section 3.3).

Legend: R replicates, N nodes, P pairs, d channels, T edge types.
"""

from __future__ import annotations

import torch
from torch import Tensor

from pdf_search.graphs.batch import Batch
from pdf_search.model.layers import Linear, activation


def aggregate(
    x: Tensor, weights: Tensor, batch: Batch, e: Tensor | None, pre: Linear, act: str
) -> Tensor:
    """y[v] = sum over pairs (v, u) of weights[v, u] * act(W (x[u] + e[t(v, u)]) + c), [R, N, d].

    ``x`` [R, N, d], ``weights`` [R, P, d or 1] (0 for padding), ``e`` [R, T, d].
    """
    if e is None:  # without edge input the message is the same for all receivers
        message = _pick(activation(act, pre(x)), batch.pair_source)
    else:
        message = activation(act, pre(_pick(x, batch.pair_source) + _pick(e, batch.pair_type)))
    return sum_by(message * weights, batch.pair_target, x.shape[1])


def incoming_softmax(f: Tensor, target: Tensor, nodes: int) -> Tensor:
    """Softmax over the incoming pairs of each node, per channel. ``f`` [R, P, d]."""
    index = target[..., None].expand_as(f)
    largest = f.new_full((f.shape[0], nodes + 1, f.shape[2]), -torch.inf)
    largest = largest.scatter_reduce(1, index, f.detach(), "amax")
    weight = (f - largest.gather(1, index)).exp()
    total = weight.new_zeros(largest.shape).scatter_add(1, index, weight)
    return weight / total.gather(1, index)


def sum_by(values: Tensor, target: Tensor, size: int) -> Tensor:
    """Sum entries [R, L, d] by target [R, L]; targets equal to ``size`` are dropped."""
    out = values.new_zeros(values.shape[0], size + 1, values.shape[2])
    return out.scatter_add(1, target[..., None].expand_as(values), values)[:, :size]


def _pick(x: Tensor, index: Tensor) -> Tensor:
    """Rows of x [R, N, d] by index [R, L]."""
    return x.gather(1, index[..., None].expand(-1, -1, x.shape[-1]))
