"""Least squares for the importance map, in float64 and without torch.

Legend: n graphs, d features, t targets, R replicates, m columns, c channels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

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
    graph where no target varies, has the error nan.

    Args:
        features: What is regressed on, [n, d].
        targets: The values to predict, [n, t]; nan where unlabelled.
    """
    most = np.argsort(-(~np.isnan(targets)).sum(0), kind="stable")[:MOST_TARGETS]
    errors = np.full((len(features), len(most)), np.nan)
    for place, column in enumerate(most):
        labelled = ~np.isnan(targets[:, column])
        values = targets[labelled, column]
        if len(values) > 2 and values.std() > 0:
            centred = (values - values.mean()) / values.std()
            errors[labelled, place] = _ridge_errors(features[labelled], centred)
    count = (~np.isnan(errors)).sum(1)
    total = np.where(np.isnan(errors), 0.0, errors).sum(1)
    return np.asarray(np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0))


def _ridge_errors(features: Floats, values: Floats) -> Floats:
    """Squared left-out errors of centred values with an intercept, [n], at the best penalty."""
    centred = features - features.mean(0)
    deviation = centred.std(0)
    scaled = centred[:, deviation > 0] / deviation[deviation > 0]
    left, singular, _ = np.linalg.svd(scaled, full_matrices=False)
    found = []
    for penalty in PENALTIES:
        shrunk = singular**2 / (singular**2 + penalty * len(values))
        leverage = np.square(left) @ shrunk + 1 / len(values)
        missed = values - left @ (shrunk * (left.T @ values))
        found.append(np.square(missed / np.clip(1 - leverage, 1e-6, None)))
    return np.asarray(min(found, key=lambda errors: float(errors.mean())))
