"""A step of AdamW on the GPU, in Triton, in one pass: every number is read and written once.

Legend: R replicates, S parameters of a replicate.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

SPAN = 1024  # parameters that one program updates


def adamw_step(
    grad: Tensor,
    state: tuple[Tensor, Tensor, Tensor],
    corrections: tuple[Tensor, Tensor],
    active: Tensor,
    rate: float | Tensor,
    constants: tuple[float, float, float, float],
) -> None:
    """See ``reference``."""
    if not isinstance(rate, Tensor):
        rate = torch.full((), rate, device=grad.device)
    replicates, width = grad.shape
    spans = triton.cdiv(width, SPAN)
    _kernel[(replicates * spans,)](  # on one axis: the others end at 65,535
        grad, *state, *corrections, active.int(), rate, width, spans, *constants, SPAN=SPAN
    )


@triton.jit  # type: ignore[untyped-decorator]
def _kernel(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    grad, values, mean, square, mean_correction, square_correction, active, rate, width, spans,
    beta1: tl.constexpr, beta2: tl.constexpr, eps: tl.constexpr, decay,
    SPAN: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0).to(tl.int64)
    replicate = program // spans
    if tl.load(active + replicate) != 0:
        s = program % spans * SPAN + tl.arange(0, SPAN)
        here = s < width
        place = replicate * width + s
        learning = tl.load(rate)
        g = tl.load(grad + place, mask=here, other=0.0)
        m = tl.load(mean + place, mask=here, other=0.0)
        q = tl.load(square + place, mask=here, other=0.0)
        value = tl.load(values + place, mask=here, other=0.0)
        m += (1.0 - beta1) * (g - m)
        q = beta2 * q + (1.0 - beta2) * g * g
        scale = tl.sqrt(q / tl.load(square_correction + replicate)) + eps
        change = m / tl.load(mean_correction + replicate) / scale
        tl.store(mean + place, m, mask=here)
        tl.store(square + place, q, mask=here)
        tl.store(values + place, value * (1.0 - learning * decay) - learning * change, mask=here)
