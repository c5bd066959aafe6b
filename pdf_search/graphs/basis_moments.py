"""Which bases of a bank say the same: their products over all pairs, from its distinct rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdf_search.graphs.bank import Bank

Matrix = NDArray[np.float64]
Grid = tuple[tuple[float, int], ...]
NOTHING = 1e-9  # share of a basis below which what is left of it is rounding


@dataclass(frozen=True)
class BasisMoments:
    """The mean products of bases over all supported pairs, near and far.

    ``products`` [2 + m, 2 + m]: entry (i, j) is the mean of column i times column j. The columns
    are the constant 1, the identity, the grid, the diagonals.
    """

    grid: Grid
    diagonals: tuple[float, ...]
    products: Matrix
    graphs: int
    pairs: int

    def covariance(self, grid: Grid | None = None, diagonals: tuple[float, ...] = ()) -> Matrix:
        """The covariance [g, g] of the bases of ``grid``, by default of all, at unit RMS.

        The constant, the identity and ``diagonals``, which every trial has, are projected out by
        least squares. A basis of which nothing is left has a row and a column of zeros.

        Raises:
            ValueError: A point of ``grid`` or one of ``diagonals`` is not among the bases.
        """
        always = [0, 1, *(2 + len(self.grid) + self.diagonals.index(e) for e in diagonals)]
        chosen = [2 + self.grid.index(point) for point in grid or self.grid]
        scaled = unit_diagonal(self.products[np.ix_(always + chosen, always + chosen)])
        known, mixed = scaled[: len(always), : len(always)], scaled[: len(always), len(always) :]
        left = scaled[len(always) :, len(always) :] - mixed.T @ np.linalg.pinv(known) @ mixed
        there = np.diag(left) > NOTHING
        return np.where(np.logical_and.outer(there, there), left, 0.0)

    def correlation(self, grid: Grid | None = None, diagonals: tuple[float, ...] = ()) -> Matrix:
        """The correlation [g, g] that belongs to ``covariance``."""
        return unit_diagonal(self.covariance(grid, diagonals))


def moments_of(bank: Bank) -> BasisMoments:
    """Compute the mean products of a bank's bases; far pairs are counted, not listed."""
    weight = np.bincount(bank.row, minlength=len(bank.rows)).astype(np.float64)
    np.add.at(weight, bank.far_row[bank.far_row >= 0], bank.far_count[bank.far_row >= 0])
    columns = np.column_stack([np.ones(len(bank.rows)), bank.rows.astype(np.float64)])
    products = columns.T @ (columns * (weight / weight.sum())[:, None])
    return BasisMoments(
        grid=bank.grid,
        diagonals=bank.diagonals,
        products=(products + products.T) / 2,
        graphs=len(bank.node_count),
        pairs=bank.supported,
    )


def unit_diagonal(products: Matrix) -> Matrix:
    """Scale a matrix of products to ones on its diagonal; a column of zeros stays as it is."""
    size = np.sqrt(np.clip(np.diag(products), 0, None))
    scale = np.divide(1, size, out=np.zeros_like(size), where=size > 0)
    return np.asarray(products * scale[:, None] * scale)
