"""Derives the seeds of a sweep: those of the search, of the confirm phase and of the sampler."""

from __future__ import annotations

import hashlib


def search_seeds(seed: int) -> tuple[int, ...]:
    """The one seed that every trial of the search is trained with: the sweep's own."""
    return (seed,)


def confirm_seeds(seed: int, count: int) -> tuple[int, ...]:
    """The ``count`` seeds of the confirm phase, none of which the search trains with."""
    return tuple(range(seed + 1, seed + 1 + count))


def sampler_seed(seed: int, draw: int) -> int:
    """The seed of draw number ``draw``, 32 bits.

    Each draw has its own, so that a resumed sweep does not repeat earlier draws.
    """
    digest = hashlib.sha256(f"{seed}:{draw}".encode()).digest()
    return int.from_bytes(digest[:4], "big")
