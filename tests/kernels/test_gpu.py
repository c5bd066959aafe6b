"""The Triton kernels without a GPU: interpreted, they give the plain numbers; and they compile."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE


def test_triton_kernels_equal_the_plain_versions() -> None:
    interpret()


@pytest.mark.slow
def test_triton_kernels_at_the_hidden_sizes_in_use() -> None:
    interpret("widths")


def interpret(*what: str) -> None:
    pytest.importorskip("triton", reason="Triton is not installed")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.kernels.interpreted", *what],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert "all equal" in done.stdout, done.stderr[-2000:]


def test_triton_kernels_compile_for_a_gpu(tmp_path: Path) -> None:
    pytest.importorskip("triton", reason="Triton is not installed")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.kernels.compiled"],
        env={**os.environ, "TRITON_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert "all compiled" in done.stdout, done.stderr[-2000:]
