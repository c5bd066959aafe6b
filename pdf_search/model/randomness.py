"""Private randomness: a number depends on (seed, fold, epoch, step, place) and on nothing else.

A counter-based hash makes the numbers. They are the same on every device and in every engine,
whichever replicates are trained together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from pdf_search.kernels import UINT32_MAX, Draws, dropout, fold_in, mix_bits
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


def step_keys(replicates: Sequence[Replicate], epoch: int, steps: int) -> Tensor:
    """The keys of all steps of an epoch, [steps, R]."""
    return fold_in(replicate_keys(replicates, epoch), torch.arange(steps)[:, None])


def private_order(keys: Tensor, items: Tensor) -> Tensor:
    """Shuffle each row of ``items`` [R, n] by its key in ``keys`` [R].

    Returns places in the row, [R, n]. Items of -1 stand for none and come last.
    """
    rank = fold_in(keys[:, None], items)
    rank = torch.where(items >= 0, rank, UINT32_MAX + 1)
    return rank.argsort(dim=1, stable=True)


@dataclass(frozen=True)
class Noise:
    """The dropout noise of one training step, drawn for each replicate by itself."""

    keys: Tensor  # [R] of the replicates for an epoch and a step


class Dropout:
    """Dropout with private noise; without noise it returns its input."""

    def __init__(self, rate: float, noise: Noise | None) -> None:
        self.rate = rate
        self.noise = noise if rate > 0 else None

    def __call__(
        self, x: Tensor, place: int, *index: Tensor, replicate: Tensor | None = None
    ) -> Tensor:
        """Multiply ``x`` [R, L, d] by its dropout factors, 0 or 1 / (1 - rate).

        ``place`` names the layer, ``index`` (one or two, each [R, L]) the entry within its
        replicate. For a flat list ``x`` [L, d] pass ``index`` [L] and ``replicate`` [L].
        """
        if self.noise is None:
            return x
        return dropout(x, Draws(self.noise.keys, place, index, replicate), self.rate)
