"""One training step as one CUDA graph: recorded once, replayed without Python or launches.

A step is a function without arguments that reads and writes tensors which stay where they are,
never waits for the device, and has the same shapes every time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import torch

log = logging.getLogger("pdf_search")

Step = Callable[[], None]
Replay = Callable[[Step], Step]  # makes from a step what runs it

# Rough, from the prototype's times on an H200; benchmarks/gpu_check.py measures both.
RECORDING_SECONDS = 5.0  # once a trial: compiling the kernels, warming up, recording
SAVED_SECONDS = 0.008  # a step

WARM_UP = 3  # runs before recording: libraries choose their kernels and get their workspaces


def replay_for(device: torch.device, steps: int) -> Replay | None:
    """How a trial's steps run on a device; None: eagerly, each with a shape of its own.

    On a CPU that is quicker anyway. The chains that ``torch.compile`` would fuse are kernels of
    ours already, so what has to be earned back is recording and the kernels' compilation.
    """
    if device.type == "cuda" and find_spec("triton") is not None and pays(steps):
        return Captured()
    return None


def pays(steps: int) -> bool:
    """Whether a trial of so many steps earns back what recording its steps takes."""
    saved = steps * SAVED_SECONDS
    worth = saved > RECORDING_SECONDS
    log.debug(
        "%d steps: recording takes about %.1f s and saves about %.1f s, so they are %s",
        steps, RECORDING_SECONDS, saved, "recorded" if worth else "run one by one",
    )  # fmt: skip
    return worth


class Captured:
    """Records steps as CUDA graphs.

    They share one pool of memory, which they may because they never run at the same time: what a
    step leaves there is read before the next one runs.
    """

    def __init__(self) -> None:
        self.keeper: torch.cuda.CUDAGraph | None = None

    def __call__(self, step: Step) -> Step:
        """What replays ``step``. It runs a few times first, and must not mind that."""
        if self.keeper is None:  # a pool ends with its last graph: this one stays
            self.keeper = _recorded(lambda: torch.zeros(1, device="cuda"), None)
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(WARM_UP):
                step()
        torch.cuda.current_stream().wait_stream(stream)
        return _recorded(step, self.keeper.pool()).replay


def _recorded(step: Callable[[], object], pool: Any) -> torch.cuda.CUDAGraph:
    graph = torch.cuda.CUDAGraph()
    # Only this thread's calls are checked: others (Ray's) may use the device meanwhile.
    with torch.cuda.graph(graph, pool=pool, capture_error_mode="thread_local"):
        step()
    return graph


def emulated(step: Step) -> Step:
    """The same contract without a graph, on any device: for tests of the code that is recorded."""
    for _ in range(WARM_UP + 1):
        step()
    return step
