"""Finds the prepared data set that a run or sweep recorded, by its fingerprint."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from pdf_search.data.prepared.cache import cache_folder
from pdf_search.data.prepared.folder import Prepared, load_prepared
from pdf_search.errors import DataError


def recorded_data(folder: str, fingerprint: str, cache: Path | None = None) -> Prepared | None:
    """Find the data set with this fingerprint in the recorded ``folder`` or elsewhere in the cache.

    ``folder`` is "" if none was recorded.

    Returns:
        The data set; None if no intact folder has this fingerprint.
    """
    for place in _places(folder, fingerprint, cache):
        try:
            data = load_prepared(place)
        except DataError:
            continue
        if data.fingerprint == fingerprint:
            return data
    return None


def _places(folder: str, fingerprint: str, cache: Path | None) -> Iterator[Path]:
    """Yield the recorded folder, then each prepared folder that records this fingerprint."""
    if folder:
        yield Path(folder)
    for meta in sorted((cache_folder(cache) / "prepared").glob("[!.]*/meta.json")):
        try:
            known = json.loads(meta.read_text(encoding="utf-8")).get("fingerprint")
        except (OSError, ValueError, AttributeError):
            continue  # damaged, or being removed
        if known == fingerprint:
            yield meta.parent
