"""A second stream of the GPU, where batches are made while the steps of an epoch run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor


class SideStream:
    """Work beside that of the current stream, in order with it."""

    def __init__(self) -> None:
        self.stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        self.event = torch.cuda.Event()  # type: ignore[no-untyped-call]

    def fork(self) -> None:
        """Let what comes on the side wait for the current stream's work so far, and for no more."""
        self.event.record(torch.cuda.current_stream())

    @contextmanager
    def beside(self) -> Iterator[None]:
        """Give the work inside a ``with`` block to the side."""
        self.stream.wait_event(self.event)
        with torch.cuda.stream(self.stream):
            yield

    def join(self, *made: Tensor) -> None:
        """Let the current stream wait for the side, and use what was made there.

        Memory that is freed while the current stream still reads it stays until it has.
        """
        current = torch.cuda.current_stream()
        current.wait_stream(self.stream)
        for tensor in made:
            if tensor.is_cuda:
                tensor.record_stream(current)
