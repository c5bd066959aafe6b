"""Finds out whether Triton's kernels run on a GPU, once a process, by running one.

Triton may need a C compiler and Python's headers at its first launch. Where they are missing, or
the GPU is too old, plain torch computes everything.
"""

from __future__ import annotations

import logging
import subprocess
import sys
from functools import cache

import torch

from pdf_search.kernels.memory_errors import out_of_memory

log = logging.getLogger("pdf_search")

SHORT = 100  # characters
SECONDS = 120.0  # for a process of its own, on a busy machine
RUN = "import sys, torch; from pdf_search.kernels import why_plain_torch; " + (
    "sys.stdout.write(why_plain_torch(torch.device(sys.argv[1])) or '')"
)


@cache
def why_plain_torch(device: torch.device) -> str | None:
    """Why plain torch computes on this GPU; None where Triton's kernels run there.

    The first call for a device runs a small kernel on it, and a reason is logged.

    Raises:
        RuntimeError: the GPU is full, so that nothing can be found out.
    """
    try:
        from pdf_search.kernels.triton.probe import run_one  # noqa: PLC0415

        run_one(device)
    except Exception as error:  # whatever Triton, the compiler or the driver raises is the finding
        if out_of_memory(error):
            raise
        reason, words = _reason(error), _first_line(error)
        log.warning(
            "%s: plain torch computes everything, which is slower: %s. Triton says: %s",
            device, reason, words,
        )  # fmt: skip
        return reason
    return None


@cache
def why_plain_torch_apart(device: torch.device) -> str | None:
    """The same, found out in a process of its own, so that this one takes no memory of the GPU."""
    command = [sys.executable, "-W", "ignore", "-c", RUN, str(device)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True)
    except subprocess.TimeoutExpired:
        return f"not known, a kernel did not end within {SECONDS:g} s"
    except subprocess.CalledProcessError as error:
        last = error.stderr.strip().rpartition("\n")[2]
        return f"not known, a kernel could not be tried ({last})"
    return done.stdout or None


def _reason(error: Exception) -> str:
    """The cause with its remedy, short enough for a table's cell."""
    if isinstance(error, ModuleNotFoundError) and error.name == "triton":
        return "Triton is not installed"
    if "C compiler" in str(error) or isinstance(error, FileNotFoundError):
        return "Triton finds no C compiler, install gcc or set CC"
    if isinstance(error, subprocess.CalledProcessError):
        return "Triton's C code does not compile, install Python's headers"
    return f"Triton fails, {_first_line(error)}"[:SHORT]


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".strip().splitlines()[0]
