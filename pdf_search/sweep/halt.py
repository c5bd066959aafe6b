"""When a run must end before its work is done: a signal, the time limit, or an error of ours."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Literal

Reason = Literal["", "interrupted", "time", "error"]


class Halt:
    """Asked between two steps of the run. ``seconds``: time limit, None for no limit."""

    def __init__(self, seconds: float | None = None) -> None:
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.signalled = False
        self.error: BaseException | None = None
        self.ended: Reason = ""

    @property
    def reason(self) -> Reason:
        if self.error is not None:
            return "error"
        if self.signalled:
            return "interrupted"
        return "time" if self.deadline is not None and time.monotonic() > self.deadline else ""

    def due(self) -> bool:
        """Whether to stop now; remembers in ``ended`` why work was left undone."""
        self.ended = self.ended or self.reason
        return bool(self.ended)

    def fail(self, error: BaseException) -> None:
        """Keep the first error; the run ends and it is raised then."""
        self.error = self.error or error

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """Ctrl-C and SIGTERM end the run in order; a second one ends it at once."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        numbers = (signal.SIGINT, signal.SIGTERM)
        old = {number: signal.getsignal(number) for number in numbers}
        for number in numbers:
            signal.signal(number, self._receive)
        try:
            yield
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)

    def _receive(self, _number: int, _frame: FrameType | None) -> None:
        if self.signalled:
            raise KeyboardInterrupt
        self.signalled = True
