"""Private randomness: a number depends on (seed, fold, epoch, step, place) and on nothing else.

A counter-based hash makes the numbers. They are the same on every device and in every engine,
whichever replicates are trained together.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from pdf_search.kernels import UINT32_MAX, fold_in, keep_factors, mix_bits
from pdf_search.records import Replicate

# Places of the dropout noise. Layer l uses LAYER + 2 l for its convolution and the next one for its
# feed-forward part.
FILTER, HEAD, LAYER = 0, 1, 2


def replicate_keys(replicates: Sequence[Replicate], *path: int) -> Tensor:
    """Random keys, [R], one per replicate, for the purpose named by ``path`` (epoch, step, ...)."""
    keys = torch.tensor([r.seed & UINT32_MAX for r in replicates], dtype=torch.int64)
    folds = torch.tensor([-1 if r.fold is None else r.fold for r in replicates])
    keys = fold_in(mix_bits(keys), folds)
    for value in path:
        keys = fold_in(keys, value)
    return keys


def private_order(keys: Tensor, items: Tensor) -> Tensor:
    """Shuffle each row of ``items`` [R, n] by its key in ``keys`` [R].

    Returns places in the row, [R, n]. Items of -1 stand for none and come last.
    """
    rank = fold_in(keys[:, None], items)
    rank = torch.where(items >= 0, rank, UINT32_MAX + 1)
    return rank.argsort(dim=1, stable=True)


class Noise:
    """The dropout noise of one training step, drawn for each replicate by itself."""

    def __init__(self, keys: Tensor) -> None:
        """Take the ``keys`` [R] of the replicates for an epoch and a step."""
        self.keys = keys

    def keep(
        self, place: int, rate: float, width: int, *index: Tensor, replicate: Tensor | None = None
    ) -> Tensor:
        """Dropout factors of each entry and channel, [R, L, width]: 0 or 1 / (1 - rate).

        ``place`` names the layer, ``index`` (each [R, L]) the entry within its replicate. For a
        flat list of entries pass ``index`` [L] and ``replicate`` [L]; the result is [L, width].
        """
        keys = fold_in(self.keys, place)
        keys = keys[:, None] if replicate is None else keys[replicate]
        for values in index:
            keys = fold_in(keys, values)
        return keep_factors(keys.flatten(), rate, width).view(*keys.shape, width)


class Dropout:
    """Dropout with private noise; without noise it returns its input."""

    def __init__(self, rate: float, noise: Noise | None) -> None:
        self.rate = rate
        self.noise = noise if rate > 0 else None

    def __call__(
        self, x: Tensor, place: int, *index: Tensor, replicate: Tensor | None = None
    ) -> Tensor:
        """Multiply ``x`` by its dropout factors; for the other arguments see ``Noise.keep``."""
        if self.noise is None:
            return x
        return x * self.noise.keep(place, self.rate, x.shape[-1], *index, replicate=replicate)
