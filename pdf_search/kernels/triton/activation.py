"""The activations and their derivatives, for Triton kernels to inline."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit  # type: ignore[untyped-decorator]
def activated(x, ACT: tl.constexpr, GELU: tl.constexpr):  # type: ignore[no-untyped-def]
    """The activation: GELU, or ReLU if not GELU; ``x`` itself if not ACT."""
    if ACT:
        if GELU:
            x = 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))
        else:  # by default the maximum of NaN and 0 is 0, and a diverged trial would look finite
            x = tl.maximum(x, 0.0, propagate_nan=tl.PropagateNan.ALL)
    return x


@triton.jit  # type: ignore[untyped-decorator]
def slope(x, ACT: tl.constexpr, GELU: tl.constexpr):  # type: ignore[no-untyped-def]
    """The derivative of the activation at ``x``; 1 if not ACT."""
    if ACT:
        if GELU:
            density = 0.3989422804014327 * tl.exp(-0.5 * x * x)
            out = 0.5 * (1.0 + tl.erf(x * 0.7071067811865476)) + x * density
        else:
            out = tl.where(x > 0, 1.0, 0.0)
    else:
        out = tl.full(x.shape, 1.0, tl.float32)
    return out
