"""The signals that end a run, and how a handler is set for them."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
ALL = (signal.SIGINT, *ENDING)


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
