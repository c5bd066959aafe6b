"""Matrix products on the CPU: torch's own, or oneDNN's where they are quicker.

torch gives float32 products to MKL. On AMD's processors MKL does not use the AVX-512 units, and
oneDNN, which torch brings along too, takes half of its time on products that are not small.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import torch
from torch import Tensor

SMALL = 1 << 21  # multiplications of a product; below it starting oneDNN costs more than it saves


def product(a: Tensor, b: Tensor) -> Tensor:
    """See ``reference``; no gradient flows through it."""
    if a.shape[1] * a.shape[2] * b.shape[2] < SMALL or not quick_onednn():
        return torch.bmm(a, b)
    linear = torch.ops.mkldnn._linear_pointwise.default  # noqa: SLF001 no public name leads to it
    parts = [linear(x, y.t(), None, "none", [], "") for x, y in zip(a, b, strict=True)]
    return parts[0][None] if len(parts) == 1 else torch.stack(parts)


@cache
def quick_onednn() -> bool:
    """Whether this processor is AMD's with AVX-512, and this torch multiplies with oneDNN.

    The same on every run of a machine, so that a rerun sums in the same order.
    """
    known = Path("/proc/cpuinfo")
    return (
        torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
        and torch.backends.cpu.get_cpu_capability().startswith("AVX512")
        and known.exists()
        and "AuthenticAMD" in known.read_text(encoding="ascii", errors="replace")
    )
