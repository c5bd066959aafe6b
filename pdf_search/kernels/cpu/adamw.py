"""A step of AdamW on the CPU.

Legend: R replicates, S parameters of a replicate.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from torch import Tensor

from pdf_search.kernels.cpu.runtime import Kernel

SPAN = 4096  # parameters that one worker updates at a time

_f = np.float32


def adamw_step(
    grad: Tensor,
    state: tuple[Tensor, Tensor, Tensor],
    corrections: tuple[Tensor, Tensor],
    active: Tensor,
    rate: float | Tensor,
    constants: tuple[float, float, float, float],
) -> None:
    """See ``reference``."""
    arrays = (t.numpy() for t in (grad, *state, *(c[:, 0] for c in corrections), active))
    beta1, beta2, eps, decay = constants
    _step(*arrays, beta1, beta2, eps, float(rate), decay)


@Kernel
def _step(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    grad, values, mean, square, mean_correction, square_correction, active,
    beta1, beta2, eps, rate, decay,
):  # fmt: skip
    """Update values and moments in place; replicates that are not active are not changed."""
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
