"""The lock that lets one process at a time write into a folder of results."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from pdf_search.errors import ConfigError

FILE = ".lock"
PROBED = 1.0  # seconds, longer than ``is_locked`` holds the lock


def is_locked(folder: Path) -> bool:
    """Whether a process holds the folder's lock; True also if that cannot be found out.

    A lock is the system's, so that of a process that was killed is free.
    """
    if not (folder / FILE).is_file():
        return not folder.is_dir()
    try:
        with FileLock(folder / FILE, timeout=0):
            return False
    except (Timeout, OSError):
        return True


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock inside a ``with`` block; the folder is made if it is not there.

    Raises:
        ConfigError: another process holds the lock, or the folder cannot be made.
    """
    lock = FileLock(folder / FILE, timeout=PROBED)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise ConfigError(
            f"another process runs the sweep in {folder}: wait for it or end it first"
        ) from None
    except OSError as error:
        raise ConfigError(
            f"--out {folder.parent}: cannot write the sweep's folder there "
            f"({error.strerror or error}). Name a folder of yours"
        ) from None
    try:
        yield
    finally:
        lock.release()
