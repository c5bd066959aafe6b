"""Ends a run early: on a signal, at its time limit, or after an error."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from types import FrameType
from typing import Literal

from pdf_search.signals import Interrupting, begin_handling, receiving

Reason = Literal["", "interrupted", "time", "error", "alike"]

PATIENCE = 8.0  # seconds in which Ray must end a run after a signal; then the run is aborted


class StopCondition:
    """Whether a run must stop early, and why. The run asks ``due`` between its steps.

    ``seconds``: the time limit, counted from construction; None for no limit.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.signal: int | None = None  # the first that was received
        self.error: BaseException | None = None
        self.alike = ""
        self.ended: Reason = ""
        self.patience: float | None = None
        self._interrupting = Interrupting()  # from the second signal on
        self._timer: threading.Timer | None = None

    @property
    def reason(self) -> Reason:
        """Why the run must stop now, by priority; "" while it may go on."""
        if self.signal is not None:
            return "interrupted"
        if self.error is not None:
            return "error"
        if self.alike:
            return "alike"
        return "time" if self.deadline is not None and time.monotonic() > self.deadline else ""

    @property
    def seconds_left(self) -> float:
        """The seconds until the time limit; infinite without one."""
        return inf if self.deadline is None else self.deadline - time.monotonic()

    def due(self) -> bool:
        """Whether the run must stop now. The first reason is kept in ``ended``."""
        self.ended = self.ended or self.reason
        return bool(self.ended)

    def fail(self, error: BaseException) -> None:
        """Record an error that ends the run. The first one is kept, for the caller to raise."""
        self.error = self.error or error

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Keep an error of the block as ``fail`` does; none is raised out of the block."""
        try:
            yield
        except Exception as error:
            self.fail(error)

    def interrupt(self) -> None:
        """Stop the run as Ctrl-C would."""
        self.signal = self.signal or signal.SIGINT

    @contextmanager
    def on_signals(self, patience: float | None = None) -> Iterator[None]:
        """Handle SIGINT, SIGTERM and SIGHUP within the block; restore the old handlers after it.

        The first signal makes the run stop between two steps. A second one raises
        KeyboardInterrupt; in the program, a third ends the process. ``patience``: seconds after the
        first signal at which a SIGINT is sent as the second, None for never. Outside the main
        thread no handler is set.
        """
        self.patience = patience
        with receiving(self._receive):
            try:
                yield
            finally:
                self.in_order()

    def in_order(self) -> None:
        """Cancel the timer that would send the second signal: the run has ended in order."""
        if self._timer is not None:
            self._timer.cancel()

    def _receive(self, number: int, frame: FrameType | None) -> None:
        begin_handling()
        if self.signal is not None:
            self._interrupting(self.signal, frame)
        self.signal = number
        main = threading.get_ident()
        if self.patience is not None:
            self._timer = threading.Timer(self.patience, signal.pthread_kill, (main, signal.SIGINT))
            self._timer.daemon = True
            self._timer.start()
