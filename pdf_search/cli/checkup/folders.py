"""Checks the folders that a sweep writes to, by writing a file into each and removing it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from pdf_search.cli.checkup.check import Check, guarded
from pdf_search.cli.output import megabytes
from pdf_search.data import cache_folder, cache_size, sets_below
from pdf_search.errors import PdfSearchError
from pdf_search.full_disk import free_bytes
from pdf_search.paths import SET_CACHE, expanded, why_not_writable


def folder_checks(out: Path, data_root: Path | None, cache: Path | None) -> Iterator[Check]:
    """Check the cache, ``--out``, the temporary folders, and ``--data-root`` if it is given."""
    yield _cache(cache)
    yield _out(out)
    yield guarded("temporary", tempfile.gettempdir)
    yield _ray_folder()
    if data_root is not None:
        yield _data_root(data_root)


def _cache(cache: Path | None) -> Check:
    try:
        folder = cache_folder(cache)
    except PdfSearchError as error:
        return Check("cache", str(error), ok=False)
    remedy = f"{SET_CACHE} that can"
    return _writable("cache", folder, remedy, f", {megabytes(cache_size(folder))}")


def _out(out: Path) -> Check:
    try:
        return _writable("out", expanded(out).absolute(), "give --out a folder that can")
    except PdfSearchError as error:
        return Check("out", str(error), ok=False)


def _writable(name: str, folder: Path, remedy: str, more: str = "") -> Check:
    """Check that a folder, or the nearest one above it that exists, can be written."""
    reason = why_not_writable(folder)
    if reason:
        return Check(name, f"{folder} cannot be written ({reason}): {remedy}", ok=False)
    return Check(name, f"{folder}{more}, {megabytes(free_bytes(folder))} free on its disk")


def _ray_folder() -> Check:
    from pdf_search.sweep import ray_folder

    try:
        folder, note = ray_folder()
    except PdfSearchError as error:
        return Check("ray's folder", str(error), ok=False)
    return Check("ray's folder", note or str(folder))


def _data_root(given: Path) -> Check:
    try:
        folder = expanded(given)
    except PdfSearchError as error:
        return Check("data root", str(error), ok=False)
    if not folder.is_dir():
        return Check("data root", f"{folder} is not a folder", ok=False)
    found, refusals = sets_below(folder)
    if found:
        return Check("data root", f"{folder}: {', '.join(found)}")
    reason = refusals[0] if refusals else f"{folder} holds the raw files of no known data set"
    return Check("data root", reason, ok=False)
