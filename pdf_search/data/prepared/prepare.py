"""Prepare a data set once: find or download its raw files, write arrays, rename into place."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from pdf_search.atomic import new_folder, put_folder
from pdf_search.config import DataConfig
from pdf_search.data.prepared.build import build
from pdf_search.data.prepared.cache import cache_folder, locked
from pdf_search.data.prepared.folder import FORMAT, load_prepared
from pdf_search.data.raw.raw_set import Progress, silent
from pdf_search.data.raw.sources import RawFiles, fetch_raw, find_raw
from pdf_search.data.registry import DatasetInfo, lookup
from pdf_search.errors import DataError
from pdf_search.kernels import keep_kernels
from pdf_search.paths import expanded


def prepare(
    config: DataConfig,
    data_root: Path | None = None,
    cache: Path | None = None,
    assume_yes: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Path:
    """The folder with the prepared arrays of a data set; made if it is not there yet.

    ``data_root`` holds raw files (``TUDataset/NAME/raw``, ``ZINC/raw``, ``ogb/ogbg_NAME``, or a few
    levels below in another layout) and is only read. What it lacks is downloaded into the cache,
    which is said; a download over 1 GB needs ``assume_yes``. Any number of processes may call this
    at once.

    Raises:
        DataError: unknown or damaged data, no network, or a cache that cannot be written.
    """
    say = progress or silent
    info = lookup(config)
    root = cache_folder(cache)
    keep_kernels(root)  # before they are imported, here or in workers
    data_root = expanded(data_root) if data_root is not None else None
    raw = find_raw(config, info, data_root, root, say)
    if raw is not None and _is_intact(_folder(root, info, raw)):
        return _folder(root, info, raw)
    with locked(root, info.name, say):
        raw = raw or find_raw(config, info, data_root, root)
        raw = raw or fetch_raw(info, data_root, root, assume_yes, say)
        folder = _folder(root, info, raw)
        if not _is_intact(folder):
            say(f"preparing {info.title} from {raw.place}")
            _build(folder, info, raw, say)
    return folder


def _folder(cache: Path, info: DatasetInfo, raw: RawFiles) -> Path:
    """Named by everything that decides the content, so that a stale hit cannot happen."""
    known = [FORMAT, info.name, info.title, info.metric, raw.identity]
    key = hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:16]
    return cache / "prepared" / f"{info.name}-{key}"


def _is_intact(folder: Path) -> bool:
    try:
        load_prepared(folder)
    except DataError:
        return False
    return True


def _build(folder: Path, info: DatasetInfo, raw: RawFiles, say: Progress) -> None:
    try:
        with new_folder(folder) as temp:
            build(temp, info, raw.read(say), {"place": raw.place, **raw.identity}, say)
            put_folder(temp, folder)
    except OSError as error:
        raise DataError(f"{info.title} cannot be prepared in {folder.parent}: {error}") from None
