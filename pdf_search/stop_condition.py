"""When a run must end before its work is done: a signal, the time limit, or an error of ours."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Literal

from pdf_search.signals import ALL, receive

Reason = Literal["", "interrupted", "time", "error", "alike"]

PATIENCE = 8.0  # seconds that Ray has to end a run in order; then it is ended as it stands


class StopCondition:
    """Asked between two steps of the run. ``seconds``: time limit, None for no limit."""

    def __init__(self, seconds: float | None = None) -> None:
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.signalled = False
        self.error: BaseException | None = None
        self.alike = ""
        self.ended: Reason = ""
        self.patience: float | None = None
        self._timer: threading.Timer | None = None

    @property
    def reason(self) -> Reason:
        if self.signalled:
            return "interrupted"
        if self.error is not None:
            return "error"
        if self.alike:
            return "alike"
        return "time" if self.deadline is not None and time.monotonic() > self.deadline else ""

    def due(self) -> bool:
        """Whether to stop now; remembers in ``ended`` why work was left undone."""
        self.ended = self.ended or self.reason
        return bool(self.ended)

    def fail(self, error: BaseException) -> None:
        """Keep the first error; the run ends and it is raised then."""
        self.error = self.error or error

    def interrupt(self) -> None:
        """As by a signal."""
        self.signalled = True

    @contextmanager
    def on_signals(self, patience: float | None = None) -> Iterator[None]:
        """Ctrl-C, SIGTERM and a hang-up end the run in order; a second one ends it at once.

        ``patience``: seconds after which the first one acts as a second, None for never.
        """
        self.patience = patience
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        old = {number: signal.getsignal(number) for number in ALL}
        self.take_signals()
        try:
            yield
        finally:
            self.in_order()
            for number, handler in old.items():
                signal.signal(number, handler)

    def in_order(self) -> None:
        """The run has ended: no patience is needed any more."""
        if self._timer is not None:
            self._timer.cancel()

    def take_signals(self) -> None:
        """Receive them (again: Ray takes SIGTERM when it starts)."""
        if threading.current_thread() is threading.main_thread():
            receive(self._receive)

    def _receive(self, _number: int, _frame: FrameType | None) -> None:
        if self.signalled:
            raise KeyboardInterrupt
        self.signalled = True
        main = threading.get_ident()
        if self.patience is not None:
            self._timer = threading.Timer(self.patience, signal.pthread_kill, (main, signal.SIGINT))
            self._timer.daemon = True
            self._timer.start()
