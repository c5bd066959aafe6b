"""Folders of this machine: what ``~`` means, and whether a folder can be written."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from pdf_search.errors import ConfigError


def expanded(path: str | Path) -> Path:
    """The path, with ``~`` as the home folder; a name that only begins with ``~`` stands.

    Raises:
        ConfigError: there is no home folder, as for a user without a name.
    """
    path = Path(path)
    try:
        return path.expanduser()
    except RuntimeError:
        if path.parts[0] != "~":
            return path
        raise ConfigError(
            f"{path}: no home folder is known: set HOME to a folder, or give the whole path"
        ) from None


def nearest(folder: Path) -> Path:
    """The folder, or the first above it that exists."""
    return next(place for place in (folder, *folder.parents) if _exists(place))


def _exists(place: Path) -> bool:
    try:
        return place.exists()
    except OSError:  # a name that is too long, a folder that may not be read
        return False


def why_not_writable(folder: Path) -> str:
    """Writes a file into the folder, or into the nearest above it, and removes it; "" if it can."""
    place = nearest(folder)
    try:
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(b"written by pdf-search")
    except OSError as error:
        return error.strerror or str(error)
    return ""


def usual_cache() -> Path:
    """The cache folder: ``$PDF_SEARCH_CACHE``, else ``~/.cache/pdf_search``.

    Raises:
        ConfigError: there is no home folder.
    """
    named = os.environ.get("PDF_SEARCH_CACHE")
    home = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    try:
        return expanded(Path(named) if named else home / "pdf_search").absolute()
    except ConfigError:
        raise ConfigError(
            "there is no home folder for the cache: set PDF_SEARCH_CACHE (or give --cache) a folder"
        ) from None
