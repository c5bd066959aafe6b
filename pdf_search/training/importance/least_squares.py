"""Least squares for the importance map, in float64 and without torch.

Legend: n graphs, d features, t targets, R replicates, m columns, c channels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Places = NDArray[np.int64]

PENALTIES = (1e-3, 1e-2, 1e-1, 1.0, 10.0)  # of the ridge, per graph, with features at unit variance
MOST_TARGETS = 16  # those with the most labels
_DEPENDENT = 1e-10  # share of the largest eigenvalue below which columns count as dependent


def fit_columns(products: Floats, mixed: Floats, columns: Sequence[int]) -> Floats:
    """Solve least squares on some columns; the others get the coefficient 0.

    Args:
        products: Weighted products of the columns with each other, [m, m].
        mixed: Weighted products of the columns with the outputs, [m, c].
        columns: The columns that are used.

    Returns:
        The coefficients, [m, c].
    """
    chosen = np.asarray(columns)
    scale = 1 / np.sqrt(np.clip(np.diag(products)[chosen], 1e-300, None))
    normal = products[np.ix_(chosen, chosen)] * scale[:, None] * scale
    solved = np.linalg.pinv(normal, rcond=_DEPENDENT, hermitian=True) @ (
        mixed[chosen] * scale[:, None]
    )
    out = np.zeros_like(mixed)
    out[chosen] = solved * scale[:, None]
    return out


def left_out_errors(features: Floats, targets: Floats) -> Floats:
    """Squared error of ridge regression for each graph, fitted on all other graphs, [n].

    Targets are scaled to unit variance, and the error of a graph is the mean over its targets.
    The penalty is chosen among ``PENALTIES`` for each target. A graph without any label, and each
    graph where no target varies, has the error nan; so has every graph if a feature is not finite.

    Args:
        features: What is regressed on, [n, d].
        targets: The values to predict, [n, t]; nan where unlabelled.
    """
    labelled = ~np.isnan(targets)
    most = np.argsort(-labelled.sum(0), kind="stable")[:MOST_TARGETS]
    errors = np.full((len(features), len(most)), np.nan)
    if np.isfinite(features).all():
        for rows, places in _equally_labelled(labelled[:, most]):
            fitted = _ridge_errors(features[rows], targets[np.ix_(rows, most[places])])
            errors[np.ix_(rows, places)] = fitted
    count = (~np.isnan(errors)).sum(1)
    total = np.where(np.isnan(errors), 0.0, errors).sum(1)
    return np.asarray(np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0))


def _equally_labelled(labelled: Bools) -> Iterator[tuple[Bools, Places]]:
    """Of ``labelled`` [n, t]: each pattern over graphs, [n], and the targets that have it."""
    patterns, number = np.unique(labelled, axis=1, return_inverse=True)
    for place, pattern in enumerate(patterns.T):
        if pattern.sum() > 2:
            yield pattern, np.flatnonzero(number.ravel() == place)


def _ridge_errors(features: Floats, values: Floats) -> Floats:
    """Squared left-out errors with an intercept, [n, t], at the best penalty of each target.

    ``features`` [n, d] and ``values`` [n, t] are scaled here. A target that does not vary has the
    error nan. One decomposition, of the products [d, d], serves all targets and penalties.
    """
    scaled, values = _scaled(features, 0.0), _scaled(values, np.nan)
    count = len(values)
    eigenvalues, directions = np.linalg.eigh(scaled.T @ scaled)
    along = scaled @ directions
    shares = along.T @ values
    found = []
    for penalty in PENALTIES:
        shrunk = 1 / (eigenvalues.clip(min=0.0) + penalty * count)
        leverage = np.square(along) @ shrunk + 1 / count
        missed = values - along @ (shrunk[:, None] * shares)
        found.append(np.square(missed / np.clip(1 - leverage, 1e-6, None)[:, None]))
    best = np.argmin(np.mean(found, axis=1), axis=0)  # [t]
    return np.stack(found)[best, :, np.arange(len(best))].T


def _scaled(values: Floats, constant: float) -> Floats:
    """Columns at mean 0 and variance 1; one that does not vary is filled with ``constant``."""
    deviation = values.std(0)
    varies = deviation > 0
    scaled = (values - values.mean(0)) / np.where(varies, deviation, 1.0)
    return np.where(varies, scaled, constant)
