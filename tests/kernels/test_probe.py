"""Where Triton's kernels do not run, plain torch computes, and the reason is said once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
import torch

from pdf_search.kernels import dispatch, probe, reference

GPU = torch.device("cuda")
NO_COMPILER = RuntimeError("Failed to find C compiler. Please specify via CC environment variable.")
NO_HEADERS = subprocess.CalledProcessError(1, ["gcc", "main.c"])


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    def clear() -> None:
        probe.why_plain_torch.cache_clear()
        probe.why_plain_torch_apart.cache_clear()

    clear()
    yield
    clear()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (None, None),
        (NO_COMPILER, "Triton finds no C compiler, install gcc or set CC"),
        (FileNotFoundError(2, "No such file", "cc"), "Triton finds no C compiler, install gcc or"),
        (NO_HEADERS, "Triton's C code does not compile, install Python's headers"),
        (ValueError("a\nb"), "Triton fails, ValueError: a"),
        (ValueError(200 * "a"), "Triton fails, ValueError: aaa"),
    ],
)
def test_one_probe_decides_for_all_operations(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception | None,
    words: str | None,
) -> None:
    triton = pytest.importorskip("pdf_search.kernels.triton", reason="Triton is not installed")
    calls = []

    def run_one(device: torch.device) -> None:
        calls.append(device)
        if error is not None:
            raise error

    monkeypatch.setattr(f"{triton.__name__}.probe.run_one", run_one)
    for _ in range(2):
        found = probe.why_plain_torch(GPU)
        assert found is None if words is None else str(found).startswith(words)
        assert len(found or "") <= probe.SHORT
        for dtype in (torch.float32, torch.bfloat16):
            expected = triton if error is None else reference
            assert dispatch.backend(GPU, dtype) is expected
        assert dispatch.backend(GPU, torch.float64) is reference
    assert calls == [GPU]
    assert len(caplog.records) == (error is not None)
    assert all(str(error).partition("\n")[0] in record.message for record in caplog.records)


@pytest.mark.parametrize(
    "error", [torch.OutOfMemoryError("no memory"), RuntimeError("CUDA error: out of memory")]
)
def test_a_full_gpu_says_nothing_about_triton(
    error: RuntimeError, monkeypatch: pytest.MonkeyPatch
) -> None:
    triton = pytest.importorskip("pdf_search.kernels.triton", reason="Triton is not installed")

    def full(_device: torch.device) -> None:
        raise error

    monkeypatch.setattr(f"{triton.__name__}.probe.run_one", full)
    with pytest.raises(RuntimeError, match="memory"):
        probe.why_plain_torch(GPU)
    monkeypatch.setattr(f"{triton.__name__}.probe.run_one", lambda _: None)
    assert probe.why_plain_torch(GPU) is None


def test_triton_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("triton", "triton.language"):
        monkeypatch.setitem(sys.modules, name, None)
    for name in ("pdf_search.kernels.triton", "pdf_search.kernels.triton.probe"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert probe.why_plain_torch(GPU) == "Triton is not installed"


def test_triton_really_run_without_a_gpu() -> None:
    """In a process of its own, as the plan asks: Triton's own words are the reason."""
    pytest.importorskip("triton", reason="Triton is not installed")
    found = probe.why_plain_torch_apart(torch.device("cpu"))
    assert found is not None
    assert found.startswith("Triton fails, RuntimeError: ")


def test_a_process_that_cannot_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "RUN", "raise MemoryError('full')")
    found = probe.why_plain_torch_apart(GPU)
    assert found == "not known, a kernel could not be tried (MemoryError: full)"
