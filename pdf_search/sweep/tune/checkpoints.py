"""Checkpoint folders on whatever storage Ray writes to: which epoch they hold, and their end."""

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
    """Write beside a checkpoint which epoch it is of."""
    (folder / MARK).write_text(json.dumps({"epoch": epoch}))


def epoch_of(path: str) -> int | None:
    """The epoch that a checkpoint holds; None if it is gone or not whole."""
    try:
        with local_copy(path) as folder:
            return int(json.loads((folder / MARK).read_text())["epoch"])
    except (OSError, ValueError, KeyError) as error:
        logger.warning("checkpoint %s cannot be read: %s", path, error)
        return None


@contextmanager
def local_copy(path: str) -> Iterator[Path]:
    """The folder itself on a local disk, otherwise a downloaded copy for the time being."""
    with Checkpoint(path).as_directory() as folder:
        yield Path(folder)


def remove(path: str) -> None:
    """Remove a folder on local disk or remote storage; one that is gone already is fine."""
    try:
        system, inside = filesystem(path)
        system.delete_dir(inside)
    except OSError as error:
        logger.info("%s was not removed: %s", path, error)


def filesystem(path: str) -> tuple[pyarrow.fs.FileSystem, str]:
    if "://" in path:
        return pyarrow.fs.FileSystem.from_uri(path)  # type: ignore[no-any-return]
    return pyarrow.fs.LocalFileSystem(), path


def make(path: str) -> None:
    """Make a local folder for checkpoints."""
    Path(path).mkdir(parents=True, exist_ok=True)
