"""Eigenspaces of symmetric matrices, and how far two matrices are from sharing them. Pure numpy.

Legend: n nodes, p eigenspaces.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TOLERANCE = 1e-8  # eigenvalues closer than this share of the largest |eigenvalue| are equal


@dataclass(frozen=True)
class Eigenspaces:
    """The eigenspaces of a symmetric matrix, by ascending eigenvalue.

    Which vectors span an eigenspace is arbitrary; no result below depends on it.
    """

    values: Floats  # [n] ascending, not averaged where they count as equal
    vectors: Floats  # [n, n] columns
    group: NDArray[np.int64]  # [n] eigenspace of each column, 0..p-1

    @classmethod
    def of(cls, matrix: Floats) -> Eigenspaces:
        """Compute the eigenspaces of the symmetric part of ``matrix`` [n, n]."""
        values, vectors = np.linalg.eigh(symmetric(matrix))
        gap = TOLERANCE * max(float(np.abs(values).max()), np.finfo(np.float64).tiny)
        group = np.concatenate([[0], np.cumsum(np.diff(values) > gap)])
        return cls(values, vectors, group)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Dimension of each eigenspace, [p]."""
        return np.bincount(self.group)

    @property
    def levels(self) -> Floats:
        """The eigenvalue of each eigenspace, [p]: the mean of its members."""
        return np.bincount(self.group, self.values) / self.sizes

    def shares(self, vectors: Floats) -> Floats:
        """Share of each unit column of ``vectors`` [n, q] in each eigenspace, [p, q].

        Each column sums to 1.
        """
        squares = np.square(self.vectors.T @ vectors)
        out = np.zeros((int(self.group[-1]) + 1, vectors.shape[1]))
        np.add.at(out, self.group, squares)
        return out


@dataclass(frozen=True)
class PrincipalAngles:
    """Angles between the eigenvectors of one matrix and the eigenspaces of a reference."""

    angles: Floats  # [n] degrees, 0..90
    nearest: Floats  # [n] eigenvalue of the reference's nearest eigenspace
    shares: Floats  # [p of the reference, p] share of each eigenspace (column) in the reference's


def symmetric(matrix: Floats) -> Floats:
    """The symmetric part (M + M^T) / 2 of a matrix M."""
    return np.asarray((matrix + matrix.T) / 2)


def asymmetry(matrix: Floats) -> float:
    """The ratio ||M - M^T|| / ||M|| (Frobenius); 0 for a zero matrix."""
    return _ratio(np.linalg.norm(matrix - matrix.T), np.linalg.norm(matrix))


def commutator(matrix: Floats, other: Floats) -> float:
    """The ratio ||[M, N]|| / (||M|| ||N||) (Frobenius); 0 if one of them is zero.

    For symmetric matrices it is 0 exactly if they have a common basis of eigenvectors.
    """
    bracket = matrix @ other - other @ matrix
    return _ratio(np.linalg.norm(bracket), np.linalg.norm(matrix) * np.linalg.norm(other))


def outside(matrix: Floats, reference: Eigenspaces) -> float:
    """Share of ||M|| (Frobenius) that no matrix with the reference's eigenspaces can express.

    It is ||M - P(M)|| / ||M||, where P projects on the matrices that commute with the reference: 0
    if M commutes, at most 1. It is 0 for a polynomial of the reference, and so for any filter on a
    fixed decomposition.
    """
    inside = reference.vectors.T @ matrix @ reference.vectors
    other = reference.group[:, None] != reference.group
    return _ratio(np.linalg.norm(inside[other]), np.linalg.norm(inside))


def turn(spaces: Eigenspaces, reference: Eigenspaces) -> PrincipalAngles:
    """The principal angle between each eigenvector of ``spaces`` and the reference's nearest space.

    Inside an eigenspace of ``spaces`` the eigenvectors are chosen so that the reference is diagonal
    there. The result then depends on no arbitrary choice. All angles are 0 exactly if the matrices
    commute, even if one of them has larger eigenspaces than the other.
    """
    ritz = _diagonalising(spaces, reference)
    share = reference.shares(ritz)
    nearest = share.argmax(0)
    column = np.arange(share.shape[1])
    within = share[nearest, column]
    share[nearest, column] = 0  # the sine from the other shares: exact where the angle is small
    angles = np.degrees(np.arctan2(np.sqrt(share.sum(0)), np.sqrt(within)))
    blocks = np.zeros((int(reference.group[-1]) + 1, int(spaces.group[-1]) + 1))
    np.add.at(blocks.T, spaces.group, reference.shares(spaces.vectors).T)
    return PrincipalAngles(angles, reference.levels[nearest], blocks / spaces.sizes)


def _diagonalising(spaces: Eigenspaces, reference: Eigenspaces) -> Floats:
    """Eigenvectors of ``spaces`` [n, n] in which the reference is diagonal in each eigenspace."""
    matrix = reference.vectors * reference.values @ reference.vectors.T
    out = spaces.vectors.copy()
    for number in np.flatnonzero(spaces.sizes > 1):
        columns = spaces.group == number
        block = spaces.vectors[:, columns]
        out[:, columns] = block @ np.linalg.eigh(symmetric(block.T @ matrix @ block))[1]
    return out


def _ratio(a: np.floating, b: np.floating) -> float:
    return float(a / b) if b > 0 else 0.0
