"""The lock that lets one process at a time write into a folder of results."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from pdf_search.errors import ConfigError
from pdf_search.paths import why_not_writable

FILE = ".lock"
PROBED = 1.0  # seconds, longer than ``is_locked`` holds the lock


def is_locked(folder: Path) -> bool:
    """Whether a process holds the folder's lock; True also if that cannot be found out.

    A lock is the system's, so that of a process that was killed is free. It is found out in a
    folder that may only be read, too.
    """
    if not (folder / FILE).is_file():
        return not folder.is_dir()
    try:
        with FileLock(folder / FILE, timeout=0):
            return False
    except Timeout:
        return True
    except OSError:  # FileLock opens the file to write
        return _is_held(folder / FILE)


def _is_held(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)  # freed as the file is closed
    except OSError:
        return True
    return False


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock inside a ``with`` block; the folder is made if it is not there.

    Raises:
        ConfigError: another process holds the lock, or the folder cannot be made or written to.
    """
    lock, new = FileLock(folder / FILE, timeout=PROBED), not folder.is_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise ConfigError(
            f"another process runs the sweep in {folder}: wait for it or end it first"
        ) from None
    except OSError as error:
        raise ConfigError(_not_writable(folder, new, error.strerror or str(error))) from None
    try:
        yield
    finally:
        lock.release()


def check_writable(folder: Path) -> None:
    """Check, without leaving anything there, that ``locked`` could make the folder and write to it.

    Raises:
        ConfigError: it could not.
    """
    if reason := why_not_writable(folder):
        raise ConfigError(_not_writable(folder, not folder.is_dir(), reason))


def _not_writable(folder: Path, new: bool, reason: str) -> str:
    if new:
        return f"cannot make the run's folder {folder} ({reason}). Name another place with --out"
    return (
        f"{folder}: cannot be written to ({reason}). Make it writable; "
        "or go on with a copy of the folder, by the copy's path"
    )
