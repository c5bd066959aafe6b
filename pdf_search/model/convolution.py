"""The multichannel convolution, pair by pair as the paper writes it (equation 4, section 3.3).

Legend: R replicates, N nodes, P pairs, d channels, T edge types.
"""

from __future__ import annotations

from torch import Tensor

from pdf_search.graphs.batch import Batch
from pdf_search.model.layers import Linear, activation
from pdf_search.model.segments import max_by, pick, sum_by


def aggregate(
    x: Tensor, weights: Tensor, batch: Batch, e: Tensor | None, pre: Linear, act: str
) -> Tensor:
    """y[v] = sum over pairs (v, u) of weights[v, u] * act(W (x[u] + e[t(v, u)]) + c), [R, N, d].

    ``x`` [R, N, d], ``weights`` [R, P, d or 1] (0 for padding), ``e`` [R, T, d].
    """
    if e is None:  # without edge input the message is the same for all receivers
        message = pick(activation(act, pre(x)), batch.pair_source)
    else:
        message = activation(act, pre(pick(x, batch.pair_source) + pick(e, batch.pair_type)))
    return sum_by(message * weights, batch.pair_target, x.shape[1])


def incoming_softmax(f: Tensor, target: Tensor, nodes: int) -> Tensor:
    """Softmax over the incoming pairs of each node, per channel. ``f`` [R, P, d]."""
    largest = max_by(f.detach(), target, nodes)
    weight = (f - pick(largest, target)).exp()
    total = sum_by(weight, target, nodes + 1)
    return weight / pick(total, target)
