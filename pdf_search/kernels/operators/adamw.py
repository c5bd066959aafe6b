"""The AdamW update of flat parameters in one pass (Loshchilov & Hutter 2019, torch's constants).

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
    """Change the values and both moments of ``state``, each [R, S], in place where ``active`` [R].

    The ``corrections`` of the moments [R, 1] are 1 - beta^steps.
    """
    constants = BETA1, BETA2, EPS, decay
    fused_backend_for(grad).adamw_step(grad, state, corrections, active, rate, constants)
