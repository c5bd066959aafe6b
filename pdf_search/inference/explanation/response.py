"""The filter's response at the basis rows that occur, and how much each (eps, k) explains of it.

Legend: U distinct rows, m bases (the identity first), d channels (1 if shared).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdf_search.graphs import GraphSet, build_bank
from pdf_search.inference.explanation.matrix import filter_outputs
from pdf_search.inference.load import Trained
from pdf_search.training import sample_size

Floats = NDArray[np.float64]

MOST_PICKS = 8
_DEPENDENT = 1e-9  # share of a basis's variance; with less left, it depends on the picks so far


@dataclass(frozen=True)
class Response:
    """Filter outputs at the distinct basis rows of some graphs, before any softmax."""

    graphs: NDArray[np.int64]  # numbers of the graphs in the data set
    rows: Floats  # [U, m]
    pairs: NDArray[np.int64]  # [U] how many pairs have the row
    outputs: Floats  # [U, d]


@dataclass(frozen=True)
class BasisWeights:
    """Least squares of f on the bases with an intercept, each row weighted by its pairs.

    ``coefficients`` are the filter's own weights if it is affine. Bases of neighbouring eps are
    nearly collinear, so a single coefficient of a grid says little. ``alone`` and ``picks`` do not
    depend on this: ``alone`` is the share that one basis explains by itself, and ``picks`` come
    from forward selection, where each pick explains most of what the earlier ones left. Shares are
    of the variance of f, summed over the channels.
    """

    coefficients: Floats  # [m, d]
    effect: Floats  # [m] |coefficient| times the basis's deviation, root mean square over channels
    alone: Floats  # [m]
    picks: tuple[int, ...]  # numbers of bases, at most MOST_PICKS
    explained: Floats  # [picks] share that a pick and those before it explain
    share: float  # that all bases explain together: 1 for an affine filter
    share_by_channel: Floats  # [d]


def response(trained: Trained, graphs: NDArray[np.int64]) -> Response:
    """Compute the response over the first of ``graphs``, which are numbers in the data set.

    ``sample_size`` says how many of them are used.
    """
    part: GraphSet = trained.graphs(graphs)
    chosen = graphs[: sample_size(part.node_count)]
    part = part.subset(np.arange(len(chosen)))
    bank = build_bank(part, trained.config.basis)
    pairs = np.bincount(bank.row, minlength=len(bank.rows))
    if bank.hops is None:
        np.add.at(pairs, bank.far_row, bank.far_count)
    used = pairs > 0  # a graph without far pairs still has a far row
    rows = bank.rows[used].astype(np.float64)
    return Response(chosen, rows, pairs[used], filter_outputs(trained, rows))


def basis_weights(response: Response) -> BasisWeights:
    """Fit the filter's response to the bases; a basis without variance gets 0 everywhere."""
    weight = response.pairs / response.pairs.sum()
    x = response.rows - weight @ response.rows
    y = response.outputs - weight @ response.outputs
    root = np.sqrt(weight)[:, None]
    deviation = np.sqrt(weight @ np.square(x))
    varies = deviation > 1e-7
    per_deviation = np.where(varies, 1 / np.where(varies, deviation, 1.0), 0.0)
    scaled = x * per_deviation
    solution = np.linalg.lstsq(root * scaled, root * y, rcond=1e-12)[0]
    left = weight @ np.square(y - scaled @ solution)
    total = weight @ np.square(y)
    gram = scaled.T @ (weight[:, None] * scaled)
    product = scaled.T @ (weight[:, None] * y)
    picks, explained = _greedy(gram, product, float(total.sum()))
    return BasisWeights(
        coefficients=per_deviation[:, None] * solution,
        effect=np.sqrt(np.square(solution).mean(1)),
        alone=_share(np.square(product).sum(1), total.sum()),
        picks=picks,
        explained=explained,
        share=float(_share(total.sum() - left.sum(), total.sum())),
        share_by_channel=_share(total - left, total),
    )


def _greedy(gram: Floats, product: Floats, total: float) -> tuple[tuple[int, ...], Floats]:
    """Forward selection on the normal equations.

    After each pick, its projection is removed from f and from the other bases. Returns the picks,
    and for each the share of ``total`` that it and the picks before it explain.
    """
    gram, product = gram.copy(), product.copy()
    picks: list[int] = []
    gains: list[float] = []
    while len(picks) < MOST_PICKS:
        diagonal = gram.diagonal()
        free = diagonal > _DEPENDENT
        free[picks] = False
        if not free.any() or total <= 0:
            break
        gain = np.where(free, np.square(product).sum(1) / np.where(free, diagonal, 1.0), 0.0)
        best = int(gain.argmax())
        picks.append(best)
        gains.append(float(gain[best]))
        column = gram[:, best] / gram[best, best]
        product = product - column[:, None] * product[best]
        gram = gram - column[:, None] * gram[best]
    return tuple(picks), np.cumsum(gains) / total if picks else np.zeros(0)


def _share(part: Floats | float, whole: Floats | float) -> Floats:
    """The ratio of ``part`` to ``whole``, within 0 and 1; 0 where the whole is 0."""
    part, whole = np.broadcast_arrays(part, whole)
    share = np.divide(part, whole, out=np.zeros(whole.shape), where=whole > 0)
    return np.asarray(share.clip(0, 1))
