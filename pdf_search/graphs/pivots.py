"""Pivoted Cholesky: the bases, in order, from which the others are best predicted linearly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdf_search.graphs.basis_moments import Matrix

LEAST = 8  # bases that are kept at least: directions of little variance still carry the target
ENOUGH = 5e-4  # share of the variance left at which picking ends
TIE = 1e-9  # variances that differ by less are equal, so that rounding decides nothing


def pivot_order(covariance: Matrix) -> tuple[NDArray[np.int64], Matrix]:
    """Pick all bases one by one, each time the one with the most variance left.

    Variance left is what a linear fit on the bases picked before leaves; of equal ones the first
    is picked. No target is seen.

    Returns:
        The bases in the order of picking [g], and the share of the variance of all bases that is
        left after each pick [g].
    """
    left = np.array(covariance)
    open_ = np.ones(len(left), bool)
    order, shares = [], []
    total = max(float(np.trace(left)), TIE)
    for _ in range(len(left)):
        variance = np.where(open_, np.diag(left), -1.0)
        pick = int(np.argmax(variance >= variance.max() - TIE))
        if variance[pick] > TIE:
            left = left - np.outer(left[pick], left[pick]) / left[pick, pick]
        open_[pick] = False
        order.append(pick)
        shares.append(max(0.0, float(np.diag(left)[open_].sum())) / total)
    return np.array(order, np.int64), np.array(shares)


def compact_picks(covariance: Matrix) -> list[int]:
    """The bases that ``basis.select: compact`` keeps, in the order of picking.

    Picking ends when ``ENOUGH`` of the variance is left or less, but not before ``LEAST`` bases.
    """
    order, shares = pivot_order(covariance)
    count = max(LEAST, int(np.argmax(shares <= ENOUGH)) + 1)
    return [int(pick) for pick in order[:count]]
