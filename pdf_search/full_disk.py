"""Recognises an exception that says a disk is full, whoever raised it, and says how full it is."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from pathlib import Path

from pdf_search.errors import FullDiskError, ResourceError

FULL = (errno.ENOSPC, errno.EDQUOT)
# Of pyarrow and Ray, of SQLite, and of torch, which does not pass on the system's error.
WORDS = (
    "No space left on device",
    "Disk quota exceeded",
    "disk is full",
    "PytorchStreamWriter failed writing",
    "unexpected pos",
)


def is_full(error: BaseException | None) -> bool:
    """Whether ``error``, or one that led to it, says that a disk is full."""
    return any(map(_says_so, _chain(error)))


def full_words(*places: str | Path) -> str:
    """A message that names the place with the least room of these, and how much that is."""
    free, place = min((free_bytes(place), str(place)) for place in places)
    return f"the disk of {place} is full ({free:,} bytes are free)"


def told(error: OSError, place: str | Path) -> str:
    """What an error of the system says, for a message; of a full disk its place and room."""
    return full_words(place) if is_full(error) else str(error)


def free_bytes(place: str | Path) -> int:
    """The bytes that can be written to a folder, or to the closest one above it that exists."""
    path = Path(place).absolute()
    return shutil.disk_usage(next(p for p in (path, *path.parents) if p.exists())).free


def check_free(place: str | Path, needed: int, what: str, options: str) -> None:
    """Check that a disk has room for ``what``; ``options`` are those that give another place.

    Raises:
        ResourceError: fewer than ``needed`` bytes are free there.
    """
    free = free_bytes(place)
    if free < needed:
        raise ResourceError(
            f"the disk of {place} has {free:,} bytes free; {what} need about {needed:,}. "
            f"Make room, or give {options} a place that has it"
        )


def _says_so(error: BaseException) -> bool:
    known = isinstance(error, FullDiskError) or getattr(error, "errno", None) in FULL
    return known or any(words in str(error) for words in WORDS)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = getattr(error, "cause", None) or error.__cause__ or error.__context__
