"""The lock that lets one process at a time write into a folder of results."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from pdf_search.errors import ConfigError


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Make the folder if it is not there, and hold its lock.

    Raises:
        ConfigError: another process works in it now, or no folder can be made.
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
