"""Prepares a data set once: finds or downloads its raw files and writes its arrays to the cache."""

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
from pdf_search.full_disk import told
from pdf_search.kernels import keep_kernels
from pdf_search.paths import expanded


def prepare(
    config: DataConfig,
    data_root: Path | None = None,
    cache: Path | None = None,
    assume_yes: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Path:
    """Return the folder with the prepared arrays of a data set; prepare it if it is not there yet.

    Any number of processes may call this at once.

    Args:
        config: The data set.
        data_root: A folder with raw files (``TUDataset/NAME/raw``, ``ZINC/raw``,
            ``ogb/ogbg_NAME``, or in another layout a few levels below). It is only read. Files
            that it lacks are downloaded into the cache, with a message.
        cache: The cache folder; by default ``$PDF_SEARCH_CACHE``, else ``~/.cache/pdf_search``.
        assume_yes: Whether a download of more than 1 GB may start.
        progress: Called with a sentence about each step.

    Raises:
        DataError: The data are unknown or damaged, there is no network, or the cache cannot be
            written.
    """
    say = progress or silent
    info = lookup(config)
    root = cache_folder(cache)
    keep_kernels(root)  # must come before kernels are imported, here or in workers
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
    """The prepared folder, named by a hash of everything that decides its content.

    Because of this, a folder that exists is never out of date.
    """
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
        reason = told(error, folder.parent)
        raise DataError(f"{info.title} cannot be prepared in {folder.parent}: {reason}") from None
