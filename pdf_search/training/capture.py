"""One training step as one CUDA graph: recorded once, replayed without Python or launches.

A step is a function without arguments that reads and writes tensors which stay where they are,
never waits for the device, and has the same shapes every time.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import torch

Step = Callable[[], None]
Replay = Callable[[Step], Step]  # makes from a step what runs it

WARM_UP = 3  # runs before recording: libraries choose their kernels and get their workspaces


def replay_for(device: torch.device) -> Replay | None:
    """How steps run on a device; None: there a step of its own shape is quicker than a graph."""
    if device.type == "cuda" and find_spec("triton") is not None:
        return captured
    return None


def captured(step: Step) -> Step:
    """The step recorded as a CUDA graph. It runs a few times first, and must not mind that."""
    stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(WARM_UP):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    # Only this thread's calls are checked: others (Ray's) may use the device meanwhile.
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        step()
    return graph.replay


def emulated(step: Step) -> Step:
    """The same contract without a graph, on any device: for tests of the code that is recorded."""
    for _ in range(WARM_UP + 1):
        step()
    return step
