"""A kernel that shows whether Triton can compile and launch kernels on a device."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


def run_one(device: torch.device) -> None:
    """Compile a kernel and run it on ``device``; Triton raises what is missing.

    Raises:
        RuntimeError: the kernel ran and did not write what it should.
    """
    out = torch.zeros(1, device=device)
    with torch.cuda.device_of(out):  # type: ignore[no-untyped-call]
        _kernel[(1,)](out)
    if out.item() != 1.0:
        raise RuntimeError("a kernel ran and wrote nothing")


@triton.jit
def _kernel(out):  # type: ignore[no-untyped-def]
    tl.store(out, 1.0)
