"""Keeps Ray's processes away from signals to the driver, and lets none of them outlive it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from pdf_search.data import Progress
from pdf_search.sweep.tune import reaper
from pdf_search.sweep.tune.ray_internals import replaced


@contextmanager
def own_processes(say: Progress) -> Iterator[None]:
    """Start Ray's processes in sessions of their own inside a ``with`` block; none outlives it.

    Without its Ray processes, the driver would die of a signal to its group or of a closed terminal
    before it has recorded how far trials are. They end too if the driver is killed.
    """
    if sys.platform != "linux":  # elsewhere Ray ends them by their group
        yield
        return
    command = [sys.executable, "-I", "-S", reaper.__file__]
    nowhere = subprocess.DEVNULL
    ending = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere, start_new_session=True
    )
    listed = ending.stdin
    assert listed is not None

    def in_own_session(start: Any) -> Any:
        def started(*words: Any, **more: Any) -> Any:
            process = start(*words, start_new_session=True, **more)
            with suppress(OSError):  # it is no reason not to go on
                listed.write(f"{process.pid}\n".encode())
                listed.flush()
            return process

        return started

    without = (
        "a signal to the whole process group ends Ray's processes too, perhaps before the sweep "
        "has written down how far its trials are"
    )
    try:
        with replaced("ray._private.services", "ConsolePopen", in_own_session, say, without):
            yield
    finally:
        with suppress(OSError):
            listed.close()
        ending.wait()
