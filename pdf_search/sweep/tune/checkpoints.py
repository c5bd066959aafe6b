"""Reads, copies and removes checkpoint folders on the storage that Ray writes to."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow.fs
from ray.tune import Checkpoint

MARK = "epoch.json"
logger = logging.getLogger(__name__)


def mark(folder: Path, epoch: int) -> None:
    """Write the epoch of a checkpoint into its folder."""
    (folder / MARK).write_text(json.dumps({"epoch": epoch}))


def epoch_of(path: str) -> int | None:
    """The epoch of a checkpoint; None if it is gone or incomplete."""
    try:
        with local_copy(path) as folder:
            return int(json.loads((folder / MARK).read_text())["epoch"])
    except (OSError, ValueError, KeyError) as error:
        logger.warning("checkpoint %s cannot be read: %s", path, error)
        return None


@contextmanager
def local_copy(path: str) -> Iterator[Path]:
    """The folder itself if it is local, else a copy that exists inside the ``with`` block."""
    with Checkpoint(path).as_directory() as folder:
        yield Path(folder)


def remove(path: str) -> None:
    """Remove a local or remote folder; if that fails, or it is gone, only the log says so."""
    try:
        system, inside = filesystem(path)
        system.delete_dir(inside)
    except OSError as error:
        logger.info("%s was not removed: %s", path, error)


def filesystem(path: str) -> tuple[pyarrow.fs.FileSystem, str]:
    """The file system of a folder or URI, and the path within it."""
    if "://" in path:
        return pyarrow.fs.FileSystem.from_uri(path)  # type: ignore[no-any-return]
    return pyarrow.fs.LocalFileSystem(), path


def make(path: str) -> None:
    """Make a local folder for checkpoints, with its parents; it may exist."""
    Path(path).mkdir(parents=True, exist_ok=True)
