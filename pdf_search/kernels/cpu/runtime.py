"""Sets how Numba compiles, keeps and runs the CPU kernels, on as many threads as torch uses.

No compiler is needed on the user's machine.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numba
import numpy as np
import torch
from numba import njit
from numpy.typing import NDArray
from torch import Tensor

from pdf_search.kernels.compile_cache import drop_stale, keep_kernels

Ints = NDArray[np.int32]

FOLDER = keep_kernels()
if FOLDER is not None:
    drop_stale(FOLDER)
if os.environ.get("NUMBA_CACHE_DIR"):
    numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"]  # type: ignore[attr-defined]

# A diverging trial is recognised by its loss, so inf and nan must be carried through as in torch,
# and a division by zero must give them. "fastmath" may therefore reorder sums, but not assume that
# all numbers are finite.
OPTIONS: dict[str, Any] = {
    "fastmath": {"reassoc", "contract", "arcp", "nsz"},
    "error_model": "numpy",
    "cache": FOLDER is not None,
    "nogil": True,
}

# OpenMP threads wake quickly, which saves a third of a step with several threads. But they spin
# between calls, and take CPU time from other trials. So a worker that begins on one CPU uses
# Numba's own pool, whose threads sleep. That pool takes one caller at a time, hence the lock.
if torch.get_num_threads() == 1:
    numba.config.THREADING_LAYER = "workqueue"  # type: ignore[attr-defined]
ONE_CALLER = threading.Lock()


class Kernel:
    """A kernel with loops over ``prange``, compiled apart for one thread and for several.

    Handing a loop to Numba's threads takes longer than most loops of a small trial, even to one
    thread. What is not called is not compiled.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        threaded = FunctionType(function.__code__, function.__globals__, function.__name__)
        threaded.__qualname__ = f"{function.__qualname__}_threaded"  # its name in Numba's cache
        self.serial = njit(**OPTIONS)(function)
        self.threaded = njit(parallel=True, **OPTIONS)(threaded)

    def __call__(self, *arguments: Any) -> None:
        """Run the kernel on as many threads as torch uses."""
        if torch.get_num_threads() == 1:
            self.serial(*arguments)
            return
        with ONE_CALLER:
            _use_torch_threads()
            self.threaded(*arguments)


def _use_torch_threads() -> None:
    wanted = min(torch.get_num_threads(), int(numba.config.NUMBA_NUM_THREADS))  # type: ignore[attr-defined]
    if numba.get_num_threads() != wanted:
        numba.set_num_threads(wanted)


def as_array(x: Tensor) -> NDArray[np.float32]:
    """The tensor as a contiguous array, which shares the memory of a contiguous tensor."""
    if x.requires_grad:  # only parameters: ``detach`` takes as long as the rest
        x = x.detach()
    array: NDArray[np.float32] = x.contiguous().numpy()
    return array
