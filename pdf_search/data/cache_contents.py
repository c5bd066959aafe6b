"""Lists what the cache folder holds, by kind and data set, and removes parts of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pdf_search.config import DataConfig
from pdf_search.data import registry
from pdf_search.data.banks import family_name
from pdf_search.data.prepared.cache import cache_folder
from pdf_search.data.raw.sources import source_of
from pdf_search.errors import ConfigError, DataError
from pdf_search.kernels import kernels_outside
from pdf_search.paths import size_of

KERNELS = "kernels"
# The kinds, and their folders in the cache. Everything in it can be made or downloaded again.
FOLDERS = {
    "downloads": ("raw",),
    "prepared": ("prepared",),
    "bases": ("banks", "moments"),
    KERNELS: ("kernels",),
}
UNUSED, ALL = "unused", "all"


@dataclass(frozen=True)
class CachePart:
    """A folder or file in the cache, or a compiled kernel, wherever kernels are kept.

    ``data`` is the data set's title, "" where it belongs to none. ``unused``: no run reads it
    again, because its data set is no longer prepared, or it is damaged. ``outside``: it does not
    lie in the cache folder.
    """

    kind: str
    data: str
    path: Path
    size: int  # bytes
    unused: bool = False
    outside: bool = False


def cache_parts(cache: Path | None = None) -> list[CachePart]:
    """List the parts of the cache folder, by kind, then compiled kernels that lie elsewhere."""
    root = cache_folder(cache)
    prepared = _prepared(root)
    owners = {
        root / "raw" / source_of(info).wanted.homes[0]: info.title
        for info in map(registry.lookup, _named())
    }
    owners |= {folder: title for folder, (title, _) in prepared.items()}
    owners |= _bank_owners(root, prepared.values())
    owners |= _moment_owners(root, prepared.values())
    inside = [
        CachePart(kind, owners.get(path, ""), path, size_of(path), _unused(path, owners))
        for kind, names in FOLDERS.items()
        for name in names
        for path in _entries(root / name, owners)
    ]
    outside = [CachePart(KERNELS, "", p, size_of(p), outside=True) for p in kernels_outside(root)]
    return inside + outside


def chosen_parts(parts: Collection[CachePart], words: Collection[str]) -> list[CachePart]:
    """The parts that ``words`` name: a kind, a data set, ``unused`` or ``all``.

    Raises:
        ConfigError: a word names nothing that is in the cache.
    """
    known = {*FOLDERS, UNUSED, ALL, *(part.data for part in parts if part.data)}
    spelt = {name.lower(): name for name in sorted(known, key=str.lower)}
    for word in words:
        if word.lower() not in spelt:
            raise ConfigError(f"--clear {word}: name one of {', '.join(spelt.values())}")
    wanted = {word.lower() for word in words}
    return [part for part in parts if wanted & _names(part)]


def remove_parts(parts: Collection[CachePart]) -> None:
    """Remove parts of the cache.

    Raises:
        DataError: one of them cannot be removed.
    """
    for part in parts:
        try:
            if part.path.is_dir() and not part.path.is_symlink():
                shutil.rmtree(part.path)
            else:
                part.path.unlink(missing_ok=True)
        except OSError as error:
            raise DataError(f"{error.filename} cannot be removed: {error.strerror}") from None


def _names(part: CachePart) -> set[str]:
    names = {ALL, part.kind, UNUSED if part.unused else ALL}
    return names | {part.data.lower()} if part.data else names


def _named() -> list[DataConfig]:
    return [DataConfig(name=name) for name in registry.names() if name != "freesolv"]


def _entries(folder: Path, owners: dict[Path, str]) -> Iterator[Path]:
    """The parts in a folder of the cache: a folder that belongs to a data set is not divided."""
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if path not in owners and any(owner.is_relative_to(path) for owner in owners):
            yield from _entries(path, owners)
        else:
            yield path


def _prepared(root: Path) -> dict[Path, tuple[str, str]]:
    """The folders of prepared data sets that can be read, each with its title and fingerprint."""
    metas = _metas(root / "prepared", "[!.]*/meta.json")
    return {
        folder: (meta["info"]["title"], meta["fingerprint"])
        for folder, meta in metas.items()
        if "info" in meta and "fingerprint" in meta
    }


def _bank_owners(root: Path, prepared: Iterable[tuple[str, str]]) -> dict[Path, str]:
    """The folders of banks whose data set is prepared, each with the data set's title."""
    banks = _metas(root / "banks", "*/[!.]*/meta.json").values()
    kinds = {(meta.get("hops"), standardise) for meta in banks for standardise in (False, True)}
    return {
        root / "banks" / family_name(fingerprint, *kind): title
        for title, fingerprint in prepared
        for kind in kinds
    }


def _moment_owners(root: Path, prepared: Iterable[tuple[str, str]]) -> dict[Path, str]:
    """The files of moments that record a data set that is prepared, each with its title."""
    titles = {fingerprint: title for title, fingerprint in prepared}
    files = _trees(root / "moments", "[!.]*.json")
    whose = {file: tree.get("data") for file, tree in files.items()}  # none in older files
    return {file: titles[data] for file, data in whose.items() if data in titles}


def _metas(folder: Path, pattern: str) -> dict[Path, dict[str, Any]]:
    """Every ``meta.json`` that can be read, by its folder."""
    return {file.parent: tree for file, tree in _trees(folder, pattern).items()}


def _trees(folder: Path, pattern: str) -> dict[Path, dict[str, Any]]:
    """Every JSON file that can be read, by its path."""
    found = {}
    for file in sorted(folder.glob(pattern)):
        try:
            found[file] = dict(json.loads(file.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            continue  # damaged, or being removed
    return found


def _unused(path: Path, owners: dict[Path, str]) -> bool:
    """Whether no run can read this bank or prepared folder; a hidden one is being written."""
    kept = path in owners or path.name.startswith(".")
    return path.parent.name in ("banks", "prepared") and not kept
