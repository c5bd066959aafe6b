"""Checks, before Ray is started, that ``--storage`` names a place for checkpoints."""

from __future__ import annotations

from textwrap import shorten

from pdf_search.errors import ConfigError
from pdf_search.paths import expanded

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
        fs.FileSystem.from_uri(given)
    except (ArrowException, OSError) as error:
        reason = shorten(str(error), LONGEST, placeholder=" ...")
        raise ConfigError(
            f"--storage {given}: {reason}. Give a folder, s3://bucket/path or gs://bucket/path"
        ) from None


def _check_folder(given: str) -> None:
    folder = expanded(given).resolve()
    nearest = next(place for place in (folder, *folder.parents) if place.exists())
    if not nearest.is_dir():
        raise ConfigError(f"--storage {given}: {nearest} is a file. Give a folder")
