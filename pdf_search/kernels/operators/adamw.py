"""One AdamW step of flat parameters (Loshchilov & Hutter 2019), with torch's default constants.

Legend: R replicates, S parameters.
"""

from __future__ import annotations

from torch import Tensor

from pdf_search.kernels.dispatch import fused_backend_for

BETA1, BETA2, EPS = 0.9, 0.999, 1e-8


def adamw(
    grad: Tensor,
    state: tuple[Tensor, Tensor, Tensor],
    corrections: tuple[Tensor, Tensor],
    active: Tensor,
    rate: float | Tensor,
    decay: float,
) -> None:
    """Update the values and both moments of ``state``, each [R, S], in place.

    Only replicates with ``active`` [R] are changed. ``corrections`` [R, 1] are the bias
    corrections 1 - beta^steps of the two moments. ``decay`` is the decoupled weight decay.
    """
    constants = BETA1, BETA2, EPS, decay
    fused_backend_for(grad).adamw_step(grad, state, corrections, active, rate, constants)
