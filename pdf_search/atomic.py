"""Files and folders that are there whole or not at all: written beside their place, then renamed.

What is on the disk (fsync) when: a folder is made once and trusted by its name from then on, so all
of it is on the disk before it takes that name. A file is written again and again while its run goes
on, and its reader refuses a torn one, so it is not synced.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """A hidden path beside ``target`` to write to; at the end it takes the name ``target``.

    After a failure the file of before is still there, and nothing else.
    """
    with _beside(target) as part:
        yield part
        part.replace(target)


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """An empty hidden folder beside ``target``, for ``put_folder``; at the end it is gone.

    So are those of killed processes: the caller holds the lock of ``target``.
    """
    for leftover in target.parent.glob(f".{escape(target.name)}.*"):
        _remove(leftover)
    with _beside(target) as folder:
        folder.mkdir()
        yield folder


def put_folder(new: Path, target: Path) -> None:
    """Rename a finished folder to ``target``, in place of a damaged one that may be there."""
    for path in new.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
    with _beside(target) as damaged:
        if target.exists():
            target.rename(damaged)
        new.rename(target)


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    target.parent.mkdir(parents=True, exist_ok=True)
    path = target.with_name(f".{target.name}.{os.getpid()}.{uuid.uuid4().hex[:8]}")
    try:
        yield path
    finally:
        _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
