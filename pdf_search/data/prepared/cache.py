"""Finds, lists and locks the cache folder, which holds downloads, prepared data sets and banks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from pdf_search.data.raw.raw_set import Progress
from pdf_search.errors import DataError
from pdf_search.paths import SET_CACHE, expanded, size_of, usual_cache


@dataclass(frozen=True)
class CacheEntry:
    """A prepared data set in the cache."""

    name: str
    title: str
    folder: Path
    size: int  # bytes
    graphs: int
    created: str  # ISO 8601, UTC


def cache_folder(cache: Path | None = None) -> Path:
    """Return ``cache``, else ``$PDF_SEARCH_CACHE``, else ``~/.cache/pdf_search``; absolute."""
    if cache is not None:
        return expanded(cache).absolute()
    return usual_cache()


def cache_size(cache: Path | None = None) -> int:
    """Return the size of all files in the cache, in bytes."""
    return size_of(cache_folder(cache))


def cache_entries(cache: Path | None = None) -> list[CacheEntry]:
    """Return the prepared data sets by folder name; those that are being written are left out."""
    entries = []
    for path in sorted((cache_folder(cache) / "prepared").glob("[!.]*/meta.json")):
        try:
            meta = json.loads(path.read_text())
            info, graphs = meta["info"], meta["arrays"]["targets"]["shape"][0]
            entry = CacheEntry(
                info["name"],
                info["title"],
                path.parent,
                size_of(path.parent),
                graphs,
                meta["created"],
            )
        except (OSError, ValueError, KeyError, TypeError, IndexError):
            continue  # damaged: ``prepare`` replaces it
        entries.append(entry)
    return entries


@contextmanager
def locked(cache: Path, name: str, say: Progress) -> Iterator[None]:
    """Hold the lock between processes under which ``name`` is downloaded and prepared.

    Raises:
        DataError: The cache cannot be written.
    """
    try:
        (cache / "locks").mkdir(parents=True, exist_ok=True)
        (cache / "prepared").mkdir(exist_ok=True)
        lock = FileLock(cache / "locks" / f"{name}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            say(f"{name}: waiting for another process that is preparing it")
            lock.acquire()
    except OSError as error:
        raise DataError(
            f"the cache {cache} cannot be written ({error}): {SET_CACHE} that can"
        ) from None
    try:
        yield
    finally:
        lock.release()
