"""Tells what pdf-search wrote into the folder of a sweep or run from what others put there."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pdf_search.errors import PdfSearchError
from pdf_search.paths import size_of

DATABASE = "results.db"
CONFIG = "config.yaml"
WRITTEN = (
    "trials report explain tensorboard sweep.log space.yaml predictions.parquet "
    "curve.csv checkpoint.pt graphs.npz importance.json "
    f".lock {CONFIG} {DATABASE}-wal {DATABASE}-shm {DATABASE}"
).split()  # in the order in which they are removed


@dataclass(frozen=True)
class Contents:
    """The entries of a folder: ``own`` were written by pdf-search, ``foreign`` were not."""

    folder: Path
    own: tuple[Path, ...]
    foreign: tuple[Path, ...]

    @classmethod
    def of(cls, folder: Path) -> Contents:
        """Look at a folder of a sweep or run; one that does not exist is empty."""
        entries = sorted(folder.iterdir()) if folder.is_dir() else []
        ranks = {entry: _rank(entry.name) for entry in entries}
        own = sorted((e for e in entries if ranks[e] is not None), key=lambda e: ranks[e] or 0)
        return cls(folder, tuple(own), tuple(e for e in entries if ranks[e] is None))

    @property
    def size(self) -> int:
        """The size of our own entries in bytes."""
        return sum(map(size_of, self.own))

    def remove(self, above: Iterable[Path] = ()) -> None:
        """Remove our own entries, then the folder if nothing is in it; so the folders ``above``.

        What makes the folder a run comes last, so that after a kill it is still found.

        Raises:
            PdfSearchError: an entry or a folder cannot be removed.
        """
        try:
            for entry in self.own:
                if entry.is_dir() and not entry.is_symlink():
                    shutil.rmtree(entry)
                else:
                    entry.unlink(missing_ok=True)
        except OSError as error:
            raise PdfSearchError(
                f"{error.filename} cannot be removed ({error.strerror}); the rest is still there: "
                "make it removable and delete again"
            ) from None
        try:
            for folder in (self.folder, *above):
                if folder.is_dir() and not any(folder.iterdir()):
                    folder.rmdir()
        except OSError as error:  # a mount point, or a folder in one that may not be written
            raise PdfSearchError(
                f"all that was in {folder} is removed, but the folder itself cannot be "
                f"({error.strerror}): remove it by hand"
            ) from None


def _rank(name: str) -> int | None:
    """The place of an entry in the order of removal; None if pdf-search does not write it.

    An atomic write that was killed leaves a hidden file, named by what it was to become.
    """
    for rank, written in enumerate(WRITTEN):
        if name == written or name.startswith(f".{written}."):
            return rank
    return None
