"""The lock that lets one process at a time write into a folder of results."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from pdf_search.errors import ConfigError


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock inside a ``with`` block; the folder is made if it is not there.

    Raises:
        ConfigError: another process holds the lock, or the folder cannot be made.
    """
    lock = FileLock(folder / ".lock", timeout=0)
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
