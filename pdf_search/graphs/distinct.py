"""Distinct rows of a float32 matrix, by 64-bit hashing (a sort of P hashes, not of P rows)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Rounding to 22 significant bits (2^-23 = 1.2e-7 relative) merges values that float64 arithmetic
# computed along different ways, and is exact in float32.
_DROPPED_BITS = 52 - 22


def round_significant(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """Round to 22 significant bits; relative deviation at most 1.2e-7."""
    bits = np.ascontiguousarray(values).view(np.int64)
    half = np.int64(1 << (_DROPPED_BITS - 1))
    mask = np.int64(-(1 << _DROPPED_BITS))
    return ((bits + half) & mask).view(np.float64).astype(np.float32) + np.float32(0.0)


def distinct_rows(
    rows: NDArray[np.float32],
) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """The distinct rows [U, m] and the number of each row's representative [P].

    The order of the distinct rows depends on their values only.
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
    """One 64-bit hash a row: a sum of mixed entries times random odd numbers."""
    odd = np.random.default_rng(20230711).integers(0, 2**63, rows.shape[1], np.uint64) * 2 + 1
    result = np.zeros(len(rows), np.uint64)
    for column, factor in enumerate(odd):
        bits = np.ascontiguousarray(rows[:, column]).view(np.uint32).astype(np.uint64)
        bits = (bits + np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xBF58476D1CE4E5B9)
        result += (bits ^ (bits >> np.uint64(31))) * factor
    return result ^ (result >> np.uint64(29))
