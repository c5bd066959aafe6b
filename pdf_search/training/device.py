"""Which device a trial runs on, and how much memory it took."""

from __future__ import annotations

import resource
import sys

import torch

from pdf_search.errors import ResourceError


def resolve_device(name: str) -> torch.device:
    """``auto``: the GPU if there is one, else the CPU.

    Raises:
        ResourceError: the device named does not exist on this machine.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    device = torch.device(name)
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ResourceError(f"device {name}: no GPU is visible here. Use device=cpu or auto.")
    return device


def peak_megabytes(device: torch.device) -> float:
    """Peak memory: of the GPU's allocator, or of the process on the CPU."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 2**20
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10
