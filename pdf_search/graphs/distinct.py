"""Finds the distinct rows of a float32 matrix by sorting a 64-bit hash of each row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Values that should be equal differ in their last bits when float64 computes them in different
# orders. Rounding to 22 significant bits (2^-23 = 1.2e-7 relative) makes them equal again, and
# float32 holds the rounded value exactly.
_DROPPED_BITS = 52 - 22


def round_significant(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """Round to 22 significant bits: the relative error is at most 1.2e-7."""
    bits = np.ascontiguousarray(values).view(np.int64)
    half = np.int64(1 << (_DROPPED_BITS - 1))
    mask = np.int64(-(1 << _DROPPED_BITS))
    return ((bits + half) & mask).view(np.float64).astype(np.float32) + np.float32(0.0)


def distinct_rows(
    rows: NDArray[np.float32],
) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Return the distinct rows [U, m], and for each of the P rows its number among them [P].

    The order of the distinct rows depends on their values alone, not on the order of ``rows``.
    """
    if len(rows) == 0:
        return rows, np.zeros(0, np.int32)
    _, first, inverse = np.unique(_hash_rows(rows), return_index=True, return_inverse=True)
    inverse = inverse.reshape(-1)
    distinct = rows[first]
    if not np.array_equal(distinct[inverse], rows):  # two rows with one hash: about 1 in 10^9 sets
        distinct, inverse = np.unique(rows, axis=0, return_inverse=True)
        inverse = inverse.reshape(-1)
    return distinct, inverse.astype(np.int32)


def _hash_rows(rows: NDArray[np.float32]) -> NDArray[np.uint64]:
    """A 64-bit hash of each row: the sum of its mixed entries times fixed random odd numbers."""
    odd = np.random.default_rng(20230711).integers(0, 2**63, rows.shape[1], np.uint64) * 2 + 1
    result = np.zeros(len(rows), np.uint64)
    for column, factor in enumerate(odd):
        bits = np.ascontiguousarray(rows[:, column]).view(np.uint32).astype(np.uint64)
        bits = (bits + np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xBF58476D1CE4E5B9)
        result += (bits ^ (bits >> np.uint64(31))) * factor
    return result ^ (result >> np.uint64(29))
