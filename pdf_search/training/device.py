"""Which device a trial runs on, and how much memory it took."""

from __future__ import annotations

import ctypes
import gc
import resource
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

import torch

from pdf_search.errors import ResourceError
from pdf_search.kernels import why_plain_torch

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # malloc.h
LARGEST_REUSED = 32 << 20  # bytes, the most that glibc allows


def resolve_device(name: str) -> torch.device:
    """The device named; ``auto`` is the GPU if there is one, else the CPU.

    Raises:
        ResourceError: the device does not exist on this machine.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    device = torch.device(name)
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ResourceError(f"device {name}: no GPU is visible here. Use device=cpu or auto.")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ResourceError(f"device {name}: GPUs here: {torch.cuda.device_count()}")
    return device


def use_device(name: str) -> torch.device:
    """Make the device named the current one of this thread; ``cuda`` is the GPU that is so already.

    Triton, streams, graphs and new tensors of ``cuda`` go to the current device of their thread.

    Returns:
        The device; a GPU with its number.

    Raises:
        ResourceError: the device does not exist on this machine.
    """
    device = resolve_device(name)
    if device.type != "cuda":
        return device
    number = torch.cuda.current_device() if device.index is None else device.index
    torch.cuda.set_device(number)
    return torch.device("cuda", number)


@cache
def keep_freed_memory() -> None:
    """Let the C library reuse the memory that a step frees instead of returning it.

    By default glibc returns large blocks to the system when a step frees them, and the next step
    pays for every page again. That takes half of the CPU time where a step lists all pairs, as with
    dropout (``benchmarks/results/2026-11-28-freed-memory-cpu.md``). Blocks of more than 32 MiB
    (whole data sets) are still returned. Without glibc nothing happens.
    """
    if sys.platform != "linux":
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except AttributeError:
        return
    mallopt(_M_MMAP_THRESHOLD, LARGEST_REUSED)
    mallopt(_M_TRIM_THRESHOLD, 2**31 - 1)


def use_precision(precision: str, device: torch.device) -> None:
    """Set whether float32 matrix products on a GPU may round their factors to TF32."""
    if device.type == "cuda":
        torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")


def device_label(precision: str) -> str:
    """The current GPU's name and the precision of its matrix products, for results; else ``cpu``.

    Where Triton's kernels do not run, it also says so, and why.
    """
    if not torch.cuda.is_available():
        return "cpu"
    plain = why_plain_torch(use_device("cuda"))
    kernels = f", plain torch: {plain}" if plain else ""
    return f"{torch.cuda.get_device_name()} ({precision}{kernels})"


def free_unused(device: torch.device) -> None:
    """Free a GPU's memory that garbage holds, or that torch keeps for later tensors."""
    if device.type == "cuda":
        gc.collect()
        torch.cuda.empty_cache()


def reset_peak(device: torch.device) -> None:
    """Let ``peak_megabytes`` begin anew, so that a process that trains again reports each trial's.

    On a CPU that takes Linux, and the right to do so; without it the peak is the process's.
    """
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    elif sys.platform == "linux":
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # see proc(5)


def peak_megabytes(device: torch.device) -> float:
    """Peak memory in MiB since ``reset_peak``: of torch's allocator on a GPU, else of the process.

    Without Linux the process's is that since it started.
    """
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 2**20
    peak = _linux_peak() if sys.platform == "linux" else None
    if peak is not None:
        return peak / 2**10
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 2**20 if sys.platform == "darwin" else most / 2**10


def _linux_peak() -> int | None:
    """The process's peak memory in KiB, see proc(5); None where the kernel does not tell."""
    text = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    line = next((line for line in text.splitlines() if line.startswith("VmHWM:")), None)
    return None if line is None else int(line.split()[1])
