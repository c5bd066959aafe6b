"""Private randomness: a number is a function of (seed, epoch, step, place), of nothing else.

Numbers come from a counter-based hash: the same on every device and in every engine, whatever a
replicate's neighbours are.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from pdf_search.kernels import UINT32_MAX, fold_in, keep_factors, mix_bits
from pdf_search.records import Replicate

# Places of the dropout noise; layer l uses LAYER + 2 l and the one after it.
FILTER, HEAD, LAYER = 0, 1, 2


def replicate_keys(replicates: Sequence[Replicate], *path: int) -> Tensor:
    """One key a replicate, [R], for a purpose named by ``path`` (epoch, step, ...)."""
    keys = torch.tensor([r.seed & UINT32_MAX for r in replicates], dtype=torch.int64)
    folds = torch.tensor([-1 if r.fold is None else r.fold for r in replicates])
    keys = fold_in(mix_bits(keys), folds)
    for value in path:
        keys = fold_in(keys, value)
    return keys


def private_order(keys: Tensor, items: Tensor) -> Tensor:
    """A random order of each key's own ``items`` [R, n] (-1: none, last), as places [R, n]."""
    rank = fold_in(keys[:, None], items)
    rank = torch.where(items >= 0, rank, UINT32_MAX + 1)
    return rank.argsort(dim=1, stable=True)


class Noise:
    """The dropout noise of one training step, for each replicate its own."""

    def __init__(self, keys: Tensor) -> None:
        """``keys`` [R]: from the replicate, the epoch and the step."""
        self.keys = keys

    def keep(
        self, place: int, rate: float, width: int, *index: Tensor, replicate: Tensor | None = None
    ) -> Tensor:
        """Dropout factor of each entry and channel: 0 or 1 / (1 - rate), [R, L, width].

        ``place`` names the layer, ``index`` (each [R, L]) the entry within its replicate. For a
        flat list of entries, ``index`` [L] and ``replicate`` [L] give [L, width].
        """
        keys = fold_in(self.keys, place)
        keys = keys[:, None] if replicate is None else keys[replicate]
        for values in index:
            keys = fold_in(keys, values)
        return keep_factors(keys.flatten(), rate, width).view(*keys.shape, width)


class Dropout:
    """Dropout with private noise; without noise it leaves its input as it is."""

    def __init__(self, rate: float, noise: Noise | None) -> None:
        self.rate = rate
        self.noise = noise if rate > 0 else None

    def __call__(
        self, x: Tensor, place: int, *index: Tensor, replicate: Tensor | None = None
    ) -> Tensor:
        """See ``Noise.keep``."""
        if self.noise is None:
            return x
        return x * self.noise.keep(place, self.rate, x.shape[-1], *index, replicate=replicate)
