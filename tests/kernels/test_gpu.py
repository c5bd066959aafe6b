"""The Triton kernel in Triton's interpreter, on the CPU, against the plain version."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import torch
from pdf_search.kernels import gpu, reference
from tests.kernels.test_segment_product import SHAPES, make

for shape in SHAPES:
    a, b, grad, triples = make(shape)
    a, b = a.detach(), b.detach()
    orders = [(a, b, triples.by_segment, "segment_product")]
    name = "segment_dot" if a.shape[1] != b.shape[1] else "segment_product"
    orders.append((grad, b, triples.by_a, name))
    for ordered in (False, True):
        torch.use_deterministic_algorithms(ordered)
        for dtype, tolerance in ((torch.float32, 1e-5), (torch.bfloat16, 1e-2)):
            for x, y, order, function in orders:
                x, y = x.to(dtype), y.to(dtype)
                ours = getattr(gpu, function)(x, y, order)
                theirs = getattr(reference, function)(x, y, order)
                assert ours.dtype == dtype
                assert ours.shape == theirs.shape
                scale = float(theirs.abs().max()) if theirs.numel() else 0.0
                torch.testing.assert_close(ours, theirs, rtol=0, atol=tolerance * scale)
print("all equal")
"""


def test_triton_kernel_equals_the_reference() -> None:
    pytest.importorskip("triton", reason="Triton is not installed")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert "all equal" in done.stdout, done.stderr[-2000:]
