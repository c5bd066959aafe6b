"""Seeds of a sweep: one to search with, others to confirm with, others again for the sampler."""

from __future__ import annotations

import hashlib


def search_seeds(seed: int) -> tuple[int, ...]:
    return (seed,)


def confirm_seeds(seed: int, count: int) -> tuple[int, ...]:
    """``count`` seeds, none of which the search trained with."""
    return tuple(range(seed + 1, seed + 1 + count))


def sampler_seed(seed: int, draw: int) -> int:
    """Seed of the sampler's n-th draw, so that a resumed sweep never repeats earlier draws."""
    digest = hashlib.sha256(f"{seed}:{draw}".encode()).digest()
    return int.from_bytes(digest[:4], "big")
