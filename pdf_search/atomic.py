"""Atomic writes: a file or folder is written under a temporary name, then renamed.

A folder is synced to the disk (fsync) before the rename: it is written once, and later only its
name is checked. A file is not synced: it is written again and again during a run, and whoever reads
it refuses an incomplete one.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path

_KEPT = 200  # bytes of a name in a hidden one, which may have 255 in all


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """Yield a hidden path beside ``target`` to write to, and rename it to ``target`` at the end.

    If the block raises, the earlier file stays and the hidden one is removed.
    """
    with _beside(target) as part:
        yield part
        part.replace(target)


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Yield an empty hidden folder beside ``target``, to be filled and given to ``put_folder``.

    The hidden folder is removed at the end if it was not renamed. Hidden folders that killed
    processes left behind are removed first, so the caller must hold the lock of ``target``.
    """
    for leftover in target.parent.glob(f"{escape(_hidden(target))}*"):
        _remove(leftover)
    with _beside(target) as folder:
        folder.mkdir()
        yield folder


def put_folder(new: Path, target: Path) -> None:
    """Sync the files of a finished folder and rename it to ``target``.

    An older folder or file at ``target`` is replaced.
    """
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
    path = target.with_name(f"{_hidden(target)}{os.getpid()}.{uuid.uuid4().hex[:8]}")
    try:
        yield path
    finally:
        _remove(path)


def _hidden(target: Path) -> str:
    """How the names of hidden files and folders begin that are to become ``target``."""
    return f".{os.fsdecode(os.fsencode(target.name)[:_KEPT])}."


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
