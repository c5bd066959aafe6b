"""Smoothness of node states through depth, within a channel and between channels.

Section 4 of the paper, in pure numpy. Legend: s depths (encoder, then each layer), n nodes, d
channels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Signals:
    """Node states of one graph through depth, and their two kinds of smoothness.

    ``quadratic``: x^T L x of each channel (paper, equation 7) with L = I - D~^-1/2 A~ D~^-1/2.
    ``smoothness``: the same divided by the squared norm, in [0, 2), nan for a channel that is zero.
    ``cosine``: cosine similarity of each two channels, nan where one is zero.
    """

    states: Floats  # [s, n, d]
    quadratic: Floats  # [s, d]
    norm: Floats  # [s, d] squared norm of each channel
    smoothness: Floats  # [s, d]
    cosine: Floats  # [s, d, d]

    def similarity(self) -> Floats:
        """Mean of |cosine| over pairs of distinct channels at each depth, [s].

        It is nan where no pair has a value.
        """
        rows, columns = np.triu_indices(self.cosine.shape[1], 1)
        pairs = np.abs(self.cosine[:, rows, columns])
        known = ~np.isnan(pairs)
        return _divided(np.where(known, pairs, 0).sum(1), known.sum(1).astype(np.float64))


def signals(states: Floats, laplacian: Floats) -> Signals:
    """Compute the smoothness of ``states`` [s, n, d]; ``laplacian`` [n, n]."""
    quadratic = np.einsum("svd,vu,sud->sd", states, laplacian, states, optimize=True)
    quadratic = np.maximum(quadratic, 0.0)  # L is positive semidefinite: below 0 is rounding
    norm = np.square(states).sum(1)
    products = states.transpose(0, 2, 1) @ states
    lengths = np.sqrt(norm)
    cosine = _divided(products, lengths[:, :, None] * lengths[:, None, :])
    return Signals(states, quadratic, norm, _divided(quadratic, norm), cosine.clip(-1, 1))


def _divided(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.divide(a, b, out=np.full(np.shape(a), np.nan), where=b > 0))
