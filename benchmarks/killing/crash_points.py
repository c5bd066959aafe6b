"""Ends this process by SIGKILL at a named point of a sweep, or a moment after it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import sqlalchemy as sa
from sqlalchemy import event

BETWEEN = ("between checkpoint and record", "between record and checkpoint")
COMMIT = "within a commit"
RENAME = "within a rename"
COPY = "within a copy to the storage"
POINTS = (*BETWEEN, COMMIT, RENAME, COPY)
MOST_MICROSECONDS = 1500  # after the begin of a commit


def kill_this() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class CrashPoint:
    """Counts how often ``name`` is passed, and kills at the ``at``-th time; never without one.

    ``delay``: seconds after the begin of a commit, in which a thread waits while SQLite writes.
    """

    def __init__(self, name: str, at: int, delay: float) -> None:
        self.name, self.at, self.delay = name, at, delay
        self.passed = 0

    def __call__(self, name: str) -> None:
        """A point is passed."""
        if name != self.name:
            return
        self.passed += 1
        if self.passed == self.at:
            if name == COMMIT:
                threading.Thread(target=self._kill_later).start()
            else:
                kill_this()

    def _kill_later(self) -> None:
        until = time.perf_counter() + self.delay
        while time.perf_counter() < until:
            time.sleep(0)
        kill_this()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """See commits, renames and copies inside a ``with`` block."""

        def commit(_connection: sa.Connection) -> None:
            self(COMMIT)

        event.listen(sa.Engine, "commit", commit)
        with (
            patch.object(os, "rename", self._around(os.rename, RENAME)),
            patch.object(os, "replace", self._around(os.replace, RENAME)),
            patch("shutil.copyfile", self._half(__import__("shutil").copyfile)),
        ):
            yield
        event.remove(sa.Engine, "commit", commit)

    def _around(self, rename: Any, name: str) -> Any:
        def renamed(*words: Any, **more: Any) -> Any:
            self(name)
            done = rename(*words, **more)
            self(name)
            return done

        return renamed

    def _half(self, copy: Any) -> Any:
        def copied(source: Path, target: Path) -> None:
            content = Path(source).read_bytes()
            Path(target).write_bytes(content[: len(content) // 2])
            self(COPY)
            copy(source, target)

        return copied
