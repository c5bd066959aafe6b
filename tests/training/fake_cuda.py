"""Stands in for ``torch.cuda`` where there is no GPU: devices, streams, graphs, and their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch

from pdf_search.training.cuda_graph.replay import Captured, Recording, Step


class FakeGraph:
    """A graph, which calls ``run`` where it is replayed."""

    def __init__(self) -> None:
        self.alive = False
        self.run: Callable[[], object] = lambda: None

    def replay(self) -> None:
        """Run what was recorded, which must not have been dropped."""
        assert self.alive
        self.run()


class FakeCuda:
    """``gpus`` GPUs of which one is current; ``log`` has what was asked of them, in order.

    ``order`` has what streams wait for, and what tests add: with each, the stream in use.
    Streams are numbers, that of a GPU in its hundreds; the default stream of GPU 1 is 100.
    """

    def __init__(self, patch: pytest.MonkeyPatch, gpus: int = 2) -> None:
        self.current = 0
        self.streams = self.pools = 0
        self.stream: int | None = None
        self.fails: Exception | None = None  # raised at the end of a recording
        self.log: list[tuple[Any, ...]] = []
        self.order: list[tuple[Any, ...]] = []
        for name, value in {
            "is_available": lambda: True,
            "device_count": lambda: gpus,
            "current_device": lambda: self.current,
            "set_device": self._set_device,
            "get_device_name": lambda: f"GPU {self.current}",
            "Stream": self._new_stream,
            "current_stream": self._current_stream,
            "stream": self._in_stream,
            "Event": lambda: FakeEvent(self.order),
            "graph": self._graph,
            "CUDAGraph": FakeGraph,
            "graph_pool_handle": self._new_pool,
            "synchronize": lambda: None,
            "reset_peak_memory_stats": lambda device: self.log.append(("reset peak", device)),
            "empty_cache": lambda: self.log.append(("empty",)),
        }.items():
            patch.setattr(torch.cuda, name, value)

    def _set_device(self, device: int) -> None:
        self.current = torch.device("cuda", device).index

    def _new_stream(self) -> Any:
        self.streams += 1
        return FakeStream(100 * self.current + self.streams, self.order)

    def _new_pool(self) -> int:
        self.pools += 1
        return self.pools

    def _current_stream(self) -> FakeStream:
        number = 100 * self.current if self.stream is None else self.stream
        return FakeStream(number, self.order)

    @contextmanager
    def _in_stream(self, stream: FakeStream) -> Iterator[None]:
        before, self.stream = self.stream, stream.number
        try:
            yield
        finally:
            self.stream = before

    @contextmanager
    def _graph(
        self, graph: FakeGraph, pool: Any = None, stream: Any = None, **_: Any
    ) -> Iterator[None]:
        assert stream is not None, "torch's own stream is of the first GPU that recorded"
        before, self.stream = self.stream, stream.number
        self.log.append(("record", self.stream, pool))
        try:
            yield
        finally:
            if self.fails is not None:
                raise self.fails  # and leaves its stream current, as torch does
            self.stream = before
        graph.alive = True


class FakeStream:
    """A stream that notes in ``order`` what it waits for."""

    def __init__(self, number: int, order: list[tuple[Any, ...]]) -> None:
        self.number = number
        self.order = order

    def wait_stream(self, other: FakeStream) -> None:
        """Note it."""
        self.order.append(("wait", self.number, other.number))

    def wait_event(self, event: FakeEvent) -> None:
        """Note the stream that the event was recorded on."""
        self.order.append(("wait for the mark", self.number, event.stream))


class FakeEvent:
    """A mark in a stream."""

    def __init__(self, order: list[tuple[Any, ...]]) -> None:
        self.order = order
        self.stream: int | None = None

    def record(self, stream: FakeStream) -> None:
        """Note the stream."""
        self.stream = stream.number
        self.order.append(("mark", stream.number))


class Replaying(Captured):
    """Records on a ``FakeCuda``, so that a replay runs the step."""

    def __call__(self, step: Step) -> Step:
        """Record ``step``."""
        recording = super().__call__(step)
        assert isinstance(recording, Recording)
        graph: object = recording.graph
        assert isinstance(graph, FakeGraph)
        graph.run = step
        return recording
