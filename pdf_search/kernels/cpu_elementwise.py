"""Fused elementwise chains on the CPU: messages, and BatchNorm with its activation.

GELU is the exact (erf) form. erf and exp are polynomials that the compiler turns into vector
code: within a few units in the last place of float32.

Legend: R replicates, L entries, d channels, N nodes, M messages, T edge types.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from pdf_search.kernels.cpu import OPTIONS

SPAN = 4096  # parameters that one worker moves at a time
ROWS = 32  # entries that are summed in float32 before their sum is added in float64

_f, _u = np.float32, np.uint32
_UNIT = _f(2.0**-24)
_ROOT_HALF = _f(0.7071067811865476)
_DENSITY = _f(0.3989422804014327)  # 1 / sqrt(2 pi)
_HALF, _ONE, _FOUR = _f(0.5), _f(1.0), _f(4.0)

# erf(x) = x P(x^2) / Q(x^2) on [-4, 4], the rational approximation of Eigen and XLA.
_P = tuple(
    _f(c)
    for c in (
        -2.72614225801306e-10,
        2.77068142495902e-08,
        -2.10102402082508e-06,
        -5.69250639462346e-05,
        -7.34990630326855e-04,
        -2.95459980854025e-03,
        -1.60960333262415e-02,
    )
)
_Q = tuple(
    _f(c)
    for c in (
        -1.45660718464996e-05,
        -2.13374055278905e-04,
        -1.68282697438203e-03,
        -7.37332916720468e-03,
        -1.42647390514189e-02,
    )
)
_P0, _P1, _P2, _P3, _P4, _P5, _P6 = _P
_Q0, _Q1, _Q2, _Q3, _Q4 = _Q
_E2, _E3, _E4, _E5, _E6 = (_f(1 / f) for f in (2, 6, 24, 120, 720))
_INNER = _f(-1.0 / 32.0)
_SIX = _f(6.0)  # beyond it the density is below 1e-8


@njit(inline="always", **OPTIONS)
def _erf(x):  # type: ignore[no-untyped-def]
    x = min(max(x, -_FOUR), _FOUR)
    s = x * x
    p = (((((_P0 * s + _P1) * s + _P2) * s + _P3) * s + _P4) * s + _P5) * s + _P6
    q = (((_Q0 * s + _Q1) * s + _Q2) * s + _Q3) * s + _Q4
    return x * p / q


@njit(inline="always", **OPTIONS)
def _normal_density(x):  # type: ignore[no-untyped-def]
    """exp(-x^2 / 2) / sqrt(2 pi) on [-6, 6], as the 16th power of exp(-x^2 / 32)."""
    t = x * x * _INNER
    e = _ONE + t * (_ONE + t * (_E2 + t * (_E3 + t * (_E4 + t * (_E5 + t * _E6)))))
    e = e * e
    e = e * e
    e = e * e
    return e * e * _DENSITY


@njit(inline="always", **OPTIONS)
def _act(x, gelu):  # type: ignore[no-untyped-def]
    if gelu:
        return x * _HALF * (_ONE + _erf(x * _ROOT_HALF))
    return max(x, _f(0.0))


@njit(inline="always", **OPTIONS)
def _slope(x, gelu):  # type: ignore[no-untyped-def]
    if gelu:
        near = min(max(x, -_SIX), _SIX)
        return _HALF * (_ONE + _erf(x * _ROOT_HALF)) + near * _normal_density(near)
    return _ONE if x > _f(0.0) else _f(0.0)


@njit(parallel=True, **OPTIONS)
def message_forward(y, w, node, kind, ptr, nodes, gelu, out):  # type: ignore[no-untyped-def]
    """out[m] = act(y[node[m]] + w[r, kind[m]]); the last row of a slot: minus its nodes' sum."""
    slots, width = len(ptr) - 1, y.shape[1]
    for s in prange(slots):
        edges = w[s * len(w) // slots]
        last = ptr[s + 1] - 1
        if last < ptr[s]:
            continue
        total = out[last]
        total[:] = 0.0
        for m in range(ptr[s], last):
            source, edge, target = y[node[m]], edges[kind[m]], out[m]
            for d in range(width):
                target[d] = _act(source[d] + edge[d], gelu)
            if m < ptr[s] + nodes[s]:
                for d in range(width):
                    total[d] -= target[d]


@njit(parallel=True, **OPTIONS)
def message_backward(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    grad, y, w, node, kind, ptr, nodes, gelu, grad_y, grad_w
):
    """Gradients for y [R * N, d] and, for each slot, for w [slots, T, d]; both start at 0."""
    slots, width = len(ptr) - 1, y.shape[1]
    for s in prange(slots):
        edges = w[s * len(w) // slots]
        last = ptr[s + 1] - 1
        for m in range(ptr[s], last):
            source, edge, g, total = y[node[m]], edges[kind[m]], grad[m], grad[last]
            target, edge_target = grad_y[node[m]], grad_w[s, kind[m]]
            share = _ONE if m < ptr[s] + nodes[s] else _ONE * 0
            for d in range(width):
                change = (g[d] - share * total[d]) * _slope(source[d] + edge[d], gelu)
                target[d] += change
                edge_target[d] += change


@njit(parallel=True, **OPTIONS)
def norm_statistics(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    x, weight, shift, momentum, eps, running_mean, running_var, mean, rstd, share_of
):
    """Statistics of training, and the running ones moved; see ``normalise.normalise``.

    Each run of ROWS entries has its own mean and sum of squares about it (one pass over memory);
    the runs are joined in float64: a float32 sum of thousands would leave a residue in the
    gradient (Chan, Golub & LeVeque 1979).
    """
    replicates, length, width = x.shape
    runs = (length + ROWS - 1) // ROWS
    means = np.empty((replicates, runs, width), _f)
    squares = np.empty((replicates, runs, width), _f)
    shares = np.empty((replicates, runs), _f)
    for job in prange(replicates * runs):
        r, run = job // runs, job % runs
        begin, end = run * ROWS, min(run * ROWS + ROWS, length)
        centre, square = means[r, run], squares[r, run]
        centre[:] = 0.0
        square[:] = 0.0
        total = _f(0.0)
        for i in range(begin, end):
            share, row = weight[r, i], x[r, i]
            total += share
            for d in range(width):
                centre[d] += share * row[d]
        shares[r, run] = total
        for d in range(width):
            centre[d] /= max(total, _ONE)
        for i in range(begin, end):
            share, row = weight[r, i], x[r, i]
            for d in range(width):
                square[d] += share * (row[d] - centre[d]) * (row[d] - centre[d])
    for r in range(replicates):
        _join_runs(means[r], squares[r], shares[r], mean[r], rstd[r])
        count = shares[r].astype(np.float64).sum()
        share_of[r] = 1 / count if count > 1 else 0.0
        for d in range(width):
            if count > 1:
                var = rstd[r, d]
                running_mean[r, d] += momentum * (mean[r, d] + shift[r, d] - running_mean[r, d])
                running_var[r, d] += momentum * (var * count / (count - 1) - running_var[r, d])
            else:
                mean[r, d] = running_mean[r, d] - shift[r, d]
                var = running_var[r, d]
            rstd[r, d] = 1 / np.sqrt(var + eps)


@njit(**OPTIONS)
def _join_runs(means, squares, shares, mean, var):  # type: ignore[no-untyped-def]
    """Mean and biased variance [d] from those of the runs, [runs, d]."""
    width = means.shape[1]
    centre, square = np.zeros(width), np.zeros(width)
    count = max(shares.astype(np.float64).sum(), 1.0)
    for run in range(len(shares)):
        for d in range(width):
            centre[d] += shares[run] * means[run, d]
    for d in range(width):
        centre[d] /= count
    for run in range(len(shares)):
        for d in range(width):
            offset = means[run, d] - centre[d]
            square[d] += squares[run, d] + shares[run] * offset * offset
    for d in range(width):
        mean[d] = centre[d]
        var[d] = square[d] / count


@njit(**OPTIONS)
def _add_runs(sums, out):  # type: ignore[no-untyped-def]
    """Sum [R, runs, d] over the runs in float64, for the reason of ``norm_statistics``."""
    total = np.empty(sums.shape[2])
    for r in range(len(sums)):
        total[:] = 0.0
        for run in range(sums.shape[1]):
            for d in range(sums.shape[2]):
                total[d] += sums[r, run, d]
        for d in range(sums.shape[2]):
            out[r, d] = total[d]


@njit(parallel=True, **OPTIONS)
def norm_forward(x, mean, scale, shift, act, gelu, out):  # type: ignore[no-untyped-def]
    """out = act((x - mean) * scale + shift); ``act`` False: without activation."""
    replicates, length, width = x.shape
    for i in prange(replicates * length):
        r = i // length
        row, target = x[r, i % length], out[r, i % length]
        m, s, b = mean[r], scale[r], shift[r]
        if act:
            for d in range(width):
                target[d] = _act((row[d] - m[d]) * s[d] + b[d], gelu)
        else:
            for d in range(width):
                target[d] = (row[d] - m[d]) * s[d] + b[d]


@njit(parallel=True, **OPTIONS)
def norm_backward(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    grad, x, weight, mean, rstd, gamma, beta, share_of, act, gelu, grad_x, grad_gamma, grad_beta
):
    """Gradients of act((x - mean) * rstd * gamma + beta).

    ``share_of`` [R]: 1 / (sum of the weights) where mean and rstd are the batch's own, and so
    depend on x; 0 where they are not.
    """
    replicates, length, width = x.shape
    runs = (length + ROWS - 1) // ROWS
    sums = np.empty((2, replicates, runs, width), _f)
    for job in prange(replicates * runs):
        r, begin = job // runs, job % runs * ROWS
        m, s, g, b = mean[r], rstd[r], gamma[r], beta[r]
        total, product = sums[0, r, job % runs], sums[1, r, job % runs]
        total[:] = 0.0
        product[:] = 0.0
        for i in range(begin, min(begin + ROWS, length)):
            row, out, target = x[r, i], grad[r, i], grad_x[r, i]
            if act:
                for d in range(width):
                    normal = (row[d] - m[d]) * s[d]
                    target[d] = out[d] * _slope(normal * g[d] + b[d], gelu)
            else:
                target[:] = out
            for d in range(width):
                total[d] += target[d]
                product[d] += target[d] * (row[d] - m[d]) * s[d]
    _add_runs(sums[0], grad_beta)
    _add_runs(sums[1], grad_gamma)
    for job in prange(replicates * length):
        r, i = job // length, job % length
        m, s, g = mean[r], rstd[r], gamma[r]
        row, target, total, product = x[r, i], grad_x[r, i], grad_beta[r], grad_gamma[r]
        share = share_of[r] * weight[r, i]
        for d in range(width):
            normal = (row[d] - m[d]) * s[d]
            target[d] = g[d] * s[d] * (target[d] - share * (total[d] + normal * product[d]))


@njit(parallel=True, **OPTIONS)
def adamw(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    grad, values, mean, square, mean_correction, square_correction, active,
    beta1, beta2, eps, rate, decay,
):  # fmt: skip
    """See ``adamw.adamw``; a replicate that is not active is left alone, whatever its gradient."""
    replicates, width = values.shape
    runs = (width + SPAN - 1) // SPAN
    move1, move2, keep2, eps = _f(1 - beta1), _f(1 - beta2), _f(beta2), _f(eps)
    keep = _f(1 - rate * decay)
    for job in prange(replicates * runs):
        r, begin = job // runs, job % runs * SPAN
        if not active[r]:
            continue
        step, inverse = _f(rate / mean_correction[r]), _f(1 / square_correction[r])
        for s in range(begin, min(begin + SPAN, width)):
            g = grad[r, s]
            m = mean[r, s] + move1 * (g - mean[r, s])
            q = keep2 * square[r, s] + move2 * g * g
            mean[r, s], square[r, s] = m, q
            values[r, s] = keep * values[r, s] - step * m / (np.sqrt(q * inverse) + eps)


@njit(inline="always", **OPTIONS)
def _mix(x):  # type: ignore[no-untyped-def]
    # Numba widens 32-bit products to 64 bits: narrow each again.
    x = _u(x ^ (x >> _u(16)))
    x = _u(x * _u(0x7FEB352D))
    x = _u(x ^ (x >> _u(15)))
    x = _u(x * _u(0x846CA68B))
    return _u(x ^ (x >> _u(16)))


@njit(parallel=True, **OPTIONS)
def keep_factors(first, second, rate, out):  # type: ignore[no-untyped-def]
    """See ``noise.keep_factors``; ``first`` [n] and ``second`` [d] are mixed already."""
    limit, factor = _f(rate), _f(1 / (1 - rate))
    channels = second.astype(np.uint32)
    for i in prange(len(first)):
        key, target = np.uint32(first[i]), out[i]
        for d in range(len(channels)):
            number = _f(_mix(_mix(_u(key ^ channels[d]))) >> _u(8)) * _UNIT
            target[d] = factor if number >= limit else _f(0.0)
