"""Checks, before Ray is started, that checkpoints have a place, with room on its disk."""

from __future__ import annotations

from textwrap import shorten

from pdf_search.data import Progress
from pdf_search.errors import ConfigError
from pdf_search.full_disk import check_free, free_bytes
from pdf_search.paths import expanded
from pdf_search.wording import counted

WRITTEN = 3  # checkpoints of a running trial: the two that are kept, and one that is written
OTHER_FILES = 8_000_000  # bytes of database, log and report of a small sweep
LONGEST = 200  # characters of a file system's own message


def check_storage(given: str | None) -> None:
    """Check that ``given`` is a folder or a URI that pyarrow can open; None is fine.

    Raises:
        ConfigError: no file system answers to the URI, or the path is not a folder.
    """
    if given is None:
        return
    if "://" not in given:
        _check_folder(given)
        return
    from pyarrow import ArrowException, fs  # noqa: PLC0415

    try:
        _, inside = fs.FileSystem.from_uri(given)
    except (ArrowException, OSError) as error:
        raise _no_storage(given, shorten(str(error), LONGEST, placeholder=" ...")) from None
    if not inside:
        raise _no_storage(given, "it names no folder")


def _no_storage(given: str, reason: str) -> ConfigError:
    return ConfigError(
        f"--storage {given}: {reason}. Give a folder, s3://bucket/path or gs://bucket/path"
    )


def check_room(storage: str, checkpoint: int, at_once: int, trials: int, say: Progress) -> None:
    """Check that a local disk has room for the checkpoints of the trials that run at once.

    ``checkpoint``: bytes of one. ``say`` is told if those of all trials together may not fit.

    Raises:
        ResourceError: it has not.
    """
    if "://" in storage:
        return
    least = OTHER_FILES + at_once * WRITTEN * checkpoint
    what = f"database and checkpoints of {counted(at_once, 'trial')}"
    check_free(storage, least, what, "--out or --storage")
    free = free_bytes(storage)
    needed = OTHER_FILES + max(at_once * WRITTEN, trials) * checkpoint
    if free < needed:
        say(
            f"note: the disk of {storage} has {free:,} bytes free; checkpoints of "
            f"{counted(trials, 'trial')} may need {needed:,}"
        )


def _check_folder(given: str) -> None:
    folder = expanded(given).resolve()
    nearest = next(place for place in (folder, *folder.parents) if place.exists())
    if not nearest.is_dir():
        raise ConfigError(f"--storage {given}: {nearest} is a file. Give a folder")
