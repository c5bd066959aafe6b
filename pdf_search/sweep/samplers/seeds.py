"""Derives the seeds of a sweep: those of the search, of the confirm phase and of the sampler."""

from __future__ import annotations

import hashlib


def search_seeds(seed: int, count: int = 1) -> tuple[int, ...]:
    """The ``count`` seeds that every trial of the search is trained with, the sweep's own first."""
    return tuple(range(seed, seed + count))


def confirm_seeds(seed: int, count: int, searched: int = 1) -> tuple[int, ...]:
    """The ``count`` seeds of the confirm phase, none of the ``searched`` ones of the search."""
    return tuple(range(seed + searched, seed + searched + count))


def sampler_seed(seed: int, draw: int) -> int:
    """The seed of draw number ``draw``, 32 bits.

    Each draw has its own, so that a resumed sweep does not repeat earlier draws.
    """
    digest = hashlib.sha256(f"{seed}:{draw}".encode()).digest()
    return int.from_bytes(digest[:4], "big")
