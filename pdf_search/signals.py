"""The signals that end a run, how a handler is set for them, and the exit code after them."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any, NoReturn

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
ALL = (signal.SIGINT, *ENDING)


class Interrupted(KeyboardInterrupt):
    """An interrupt that knows its signal."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def interrupt(number: int, _frame: FrameType | None) -> NoReturn:
    """A handler that acts as Python's own for Ctrl-C."""
    leave_closed_terminal()
    raise Interrupted(number)


def leave_closed_terminal() -> None:
    """Send what is printed from now on nowhere, where it would go to a terminal that is closed.

    Writing to it is an error. A handler of SIGHUP calls this before anything else.
    """
    for stream in (1, 2):
        try:
            os.tcgetpgrp(stream)
        except OSError as error:
            if error.errno == errno.EIO:
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream)
                os.close(nowhere)


def exit_code(signalled: KeyboardInterrupt | int) -> int:
    """The exit code after an interrupt or a signal, as shells give it; 130 for Ctrl-C."""
    if isinstance(signalled, int):
        return 128 + signalled
    return 128 + getattr(signalled, "number", signal.SIGINT)


def receive(
    handler: Callable[[int, FrameType | None], Any], signals: Iterable[signal.Signals] = ALL
) -> None:
    """Set ``handler`` for these signals. Call it in the main thread only.

    A signal that the process ignores stays ignored, such as SIGHUP under nohup. SIGINT (Ctrl-C) is
    handled in any case.
    """
    for number in signals:
        if number == signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)
