"""The activations and their derivatives on the CPU, for kernels to inline.

GELU is the exact (erf) form. erf and exp are computed from polynomials, which the compiler turns
into vector code. They are right to within a few units in the last place of float32.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from pdf_search.kernels.cpu.runtime import OPTIONS

_f = np.float32
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
    """Compute exp(-x^2 / 2) / sqrt(2 pi) on [-6, 6], as the 16th power of exp(-x^2 / 32)."""
    t = x * x * _INNER
    e = _ONE + t * (_ONE + t * (_E2 + t * (_E3 + t * (_E4 + t * (_E5 + t * _E6)))))
    e = e * e
    e = e * e
    e = e * e
    return e * e * _DENSITY


@njit(inline="always", **OPTIONS)
def activated(x, gelu):  # type: ignore[no-untyped-def]
    """The activation of a number: GELU, or ReLU if not ``gelu``."""
    if gelu:
        return x * _HALF * (_ONE + _erf(x * _ROOT_HALF))
    return max(x, _f(0.0))


@njit(inline="always", **OPTIONS)
def slope(x, gelu):  # type: ignore[no-untyped-def]
    """The derivative of the activation at ``x``; 0 for ReLU at 0, as in torch."""
    if gelu:
        near = min(max(x, -_SIX), _SIX)
        return _HALF * (_ONE + _erf(x * _ROOT_HALF)) + near * _normal_density(near)
    return _ONE if x > _f(0.0) else _f(0.0)
