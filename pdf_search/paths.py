"""Paths on this machine: ``~``, the cache folder, and whether a folder is writable."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from pdf_search.errors import ConfigError

SET_CACHE = "set PDF_SEARCH_CACHE (or give --cache) a folder"  # a remedy, as errors say it


def expanded(path: str | Path) -> Path:
    """Replace ``~`` or ``~user`` at the start of a path by that home folder.

    ``~user`` stays as it is if no home folder of that user is known.

    Raises:
        ConfigError: it is no path, or starts with ``~`` alone and no home folder is known.
    """
    if not isinstance(path, str | Path):
        raise ConfigError(f"{path!r} is no path: give a text or a pathlib.Path")
    path = Path(path)
    try:
        return path.expanduser()
    except RuntimeError:
        if path.parts[0] != "~":
            return path
        raise ConfigError(
            f"{path}: no home folder is known: set HOME to a folder, or give the whole path"
        ) from None


def size_of(path: Path) -> int:
    """Return the size of a file, or of all files in a folder, in bytes; links are not followed."""
    total = 0
    for file in path.rglob("*") if path.is_dir() and not path.is_symlink() else [path]:
        try:
            total += 0 if file.is_dir() else file.lstat().st_size
        except OSError:
            continue  # another process removed it
    return total


def nearest(folder: Path) -> Path:
    """Return the folder if it exists, else its closest parent that does."""
    return next(place for place in (folder, *folder.parents) if _exists(place))


def _exists(place: Path) -> bool:
    try:
        return place.exists()
    except OSError:  # a name that is too long, a folder that may not be read
        return False


def why_not_writable(folder: Path) -> str:
    """Return why no file can be written into the folder; "" if one can.

    Tries it with a temporary file, in the closest existing parent if the folder does not exist.
    """
    place = nearest(folder)
    if place.is_file():
        return f"{place} is a file"
    try:
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(b"written by pdf-search")
    except OSError as error:
        return error.strerror or str(error)
    return ""


def check_new_folder(folder: Path, option: str) -> None:
    """Check, without writing, that a folder is new or empty; ``option`` named it, for the message.

    Raises:
        ConfigError: it holds something, or it or a folder above it is a file.
    """
    there = nearest(folder.absolute())
    remedy = "name a new or an empty folder"
    if not there.is_dir():
        what = "it" if there == folder.absolute() else str(there)
        raise ConfigError(f"{option} {folder}: {what} is a file; {remedy}")
    if there == folder.absolute() and any(there.iterdir()):
        raise ConfigError(f"{option} {folder}: it is there already; {remedy}")


def usual_cache() -> Path:
    """Return the absolute path of the cache folder.

    ``$PDF_SEARCH_CACHE``, else ``$XDG_CACHE_HOME/pdf_search``, else ``~/.cache/pdf_search``.

    Raises:
        ConfigError: the path needs a home folder and none is known.
    """
    named = os.environ.get("PDF_SEARCH_CACHE")
    home = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    try:
        return expanded(Path(named) if named else home / "pdf_search").absolute()
    except ConfigError:
        raise ConfigError(f"there is no home folder for the cache: {SET_CACHE}") from None


def below(place: str, name: str) -> str:
    """A file or folder in a folder or URI; the options of a URI, after its ?, stay at the end."""
    path, options = _split(place)
    return f"{path.rstrip('/')}/{name}{options}"


def above(place: str, levels: int = 1) -> str:
    """The folder so many levels above a file or folder, which may be a URI with options."""
    path, options = _split(place)
    return path.rstrip("/").rsplit("/", levels)[0] + options


def last_names(place: str, count: int = 1) -> tuple[str, ...]:
    """The last names of a path or URI, without the URI's options."""
    return tuple(_split(place)[0].rstrip("/").split("/")[-count:])


def _split(place: str) -> tuple[str, str]:
    if "://" not in place:  # a ? may be part of a file's name
        return place, ""
    path, mark, options = place.partition("?")
    return path, mark + options
