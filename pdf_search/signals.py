"""Which signals end a run, and who receives them."""

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
    """Let ``handler`` have these signals; an ignored one stays so (under nohup a hang-up is none).

    Ctrl-C is received in any case. Only in the main thread.
    """
    for number in signals:
        if number == signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)
