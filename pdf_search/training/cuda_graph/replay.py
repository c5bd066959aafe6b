"""One training step as one CUDA graph: recorded once, then replayed without Python or launches.

A step is a function without arguments. It reads and writes tensors that stay at their addresses,
never waits for the device, and has the same shapes every time.
"""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import torch

from pdf_search.kernels import runs_triton

log = logging.getLogger("pdf_search")

Step = Callable[[], None]
Replay = Callable[[Step], Step]  # turns a step into the function that runs it

# Rough, from the prototype's times on an H200; benchmarks/gpu_check.py measures both.
RECORDING_SECONDS = 5.0  # once a trial: compiling the kernels, warming up, recording
SAVED_SECONDS = 0.008  # per step

WARM_UP = 3  # runs before recording: libraries choose their kernels and get their workspaces


def replay_for(device: torch.device, steps: int) -> Replay | None:
    """Choose how a trial's steps run; None means eagerly, each with shapes of its own.

    On a CPU eager steps are quicker anyway. Our kernels already fuse the chains of operations that
    ``torch.compile`` would fuse, so recording must earn back only itself and the compilation of the
    kernels. Plain torch cannot be recorded: its segment products wait for the device.
    """
    if runs_triton(device) and pays(steps):
        return Captured()
    return None


def pays(steps: int) -> bool:
    """Whether a trial of so many steps earns back the time that recording takes."""
    saved = steps * SAVED_SECONDS
    worth = saved > RECORDING_SECONDS
    log.debug(
        "%d steps: recording takes about %.1f s and saves about %.1f s, so they are %s",
        steps, RECORDING_SECONDS, saved, "recorded" if worth else "run one by one",
    )  # fmt: skip
    return worth


class Recording:
    """A recorded step: calling it replays it, until ``Captured.drop`` takes its graph away."""

    def __init__(self, graph: torch.cuda.CUDAGraph) -> None:
        self.graph: torch.cuda.CUDAGraph | None = graph

    def __call__(self) -> None:
        """Replay the step."""
        assert self.graph is not None, "dropped: record the step again"
        self.graph.replay()


class Captured:
    """Records steps as CUDA graphs that share one memory pool, on the current GPU.

    They may share it because they never run at the same time: what a step leaves in the pool is
    read before the next step runs.
    """

    def __init__(self) -> None:
        self.pool = torch.cuda.graph_pool_handle()
        # Ours: torch's own for recording belongs to the GPU on which the process first recorded.
        self.stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        self.recordings: list[Recording] = []

    def __call__(self, step: Step) -> Step:
        """Record ``step``; returns the function that replays it.

        ``step`` first runs ``WARM_UP`` times, so this must not change any result.
        """
        graph = torch.cuda.CUDAGraph()
        self.stream.wait_stream(torch.cuda.current_stream())
        # Around the recording too: torch leaves its stream current where a recording fails.
        with torch.cuda.stream(self.stream):
            for _ in range(WARM_UP):
                step()
            with _collector_off(), self._recording(graph):
                step()
        torch.cuda.current_stream().wait_stream(self.stream)
        self.recordings.append(Recording(graph))
        return self.recordings[-1]

    def _recording(self, graph: torch.cuda.CUDAGraph) -> AbstractContextManager[None]:
        # thread_local: other threads (Ray's) may use the device while this one records.
        return torch.cuda.graph(graph, self.pool, self.stream, capture_error_mode="thread_local")

    def drop(self) -> None:
        """Free all recordings and their memory; the next one gets a pool of its own.

        A pool returns nothing while any graph of it lives, and would hold old and new sizes.
        """
        if not self.recordings:
            return
        torch.cuda.synchronize()  # a replay may still run
        for recording in self.recordings:
            recording.graph = None
        self.recordings.clear()
        self.pool = torch.cuda.graph_pool_handle()
        torch.cuda.empty_cache()


def drop(record: Replay) -> None:
    """Free what ``record`` recorded, where it holds memory of its own."""
    if isinstance(record, Captured):
        record.drop()


def is_dropped(replay: Step | None) -> bool:
    """Whether a step is not recorded, or no longer."""
    return replay is None or (isinstance(replay, Recording) and replay.graph is None)


@contextmanager
def _collector_off() -> Iterator[None]:
    """Keep the cyclic collector off: freeing another graph would break the one being recorded."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def emulated(step: Step) -> Step:
    """Stand in for ``Captured`` on any device, without a graph: returns ``step`` itself.

    It first calls the step as often as ``Captured`` does. Tests use it to run recorded code.
    """
    for _ in range(WARM_UP + 1):
        step()
    return step
