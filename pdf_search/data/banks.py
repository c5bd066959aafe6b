"""Caches banks on disk: each is built once and then shared by all trials and processes.

The name of a bank's folder is a hash of everything that decides its content: data fingerprint,
grid, support, standardisation, format. A cached bank is therefore never out of date. Its arrays
are checked by checksum when they are read, and a damaged bank is built again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pdf_search.atomic import new_folder, put_folder
from pdf_search.config import BasisConfig
from pdf_search.data.prepared.arrays import checksum, map_array, save_array
from pdf_search.data.prepared.cache import cache_folder, locked
from pdf_search.data.prepared.folder import Prepared
from pdf_search.data.raw.raw_set import Progress, silent
from pdf_search.errors import DataError
from pdf_search.full_disk import told
from pdf_search.graphs import Array, Bank
from pdf_search.paths import SET_CACHE
from pdf_search.wording import counted

FORMAT = 1  # of the folder and of the computation; after a change, older banks are not used
ARRAYS = ("rows", "node_count", "pair_ptr", "target", "source", "row", "edge_type", "far_row")
_SMALL = {"target": np.int16, "source": np.int16, "edge_type": np.int16}  # stored so if they fit


def cached_bank(
    data: Prepared,
    basis: BasisConfig,
    cache: Path | None = None,
    progress: Progress | None = None,
    wider: BasisConfig | None = None,
) -> Bank:
    """Return the bank of all graphs of a data set; it is built if the cache does not have it.

    If the cache has a bank with more bases, its columns are selected.

    Args:
        data: The prepared data set.
        basis: The bases that the bank has.
        cache: The cache folder; by default the one that holds the prepared data, if that exists.
        progress: Called with a sentence before a bank is built.
        wider: Bases that include ``basis``. If a bank must be built, it is built with these, so
            that later calls with other parts of them find it.

    Raises:
        DataError: The cache cannot be written.
    """
    say = progress or silent
    if cache is None and data.folder.exists():
        cache = data.folder.parents[1]
    root = cache_folder(cache)
    family = root / "banks" / family_name(data.fingerprint, basis.hops, basis.standardise)
    bank = _find(family, basis)
    if bank is not None:
        return bank
    with locked(root, f"bank-{family.name}", say):
        bank = _find(family, basis)
        if bank is None:
            built = wider or basis
            bases = counted(built.size, "basis", "bases")
            say(f"computing {bases} of {data.info.title}'s {counted(len(data.graphs), 'graph')}")
            # Imported here because building needs torch and reading does not.
            from pdf_search.graphs import build_bank  # noqa: PLC0415

            bank = build_bank(data.graphs, built)
            _store(family / _bases_name(built), bank)
            if wider is not None:
                bank = bank.columns(basis.grid, basis.diagonals)
    return bank


def family_name(fingerprint: str, hops: int | None, standardise: bool) -> str:
    """Return a hash of everything that decides a bank, except the grid and the diagonals."""
    known = [FORMAT, fingerprint, hops, standardise]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()[:16]


def _bases_name(basis: BasisConfig) -> str:
    """A hash of the grid and the diagonals.

    Without diagonals it is a hash of the grid alone, as before diagonals were added.
    """
    known = [basis.grid, basis.diagonals] if basis.diagonals else basis.grid
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()[:16]


def _find(family: Path, basis: BasisConfig) -> Bank | None:
    """The wanted bases of the smallest intact bank that has them all; None if there is none."""
    wanted = (basis.grid, basis.diagonals)
    covering = []
    for folder, meta in _entries(family):
        bases = _bases_in(meta)
        if all(set(w) <= set(b) for w, b in zip(wanted, bases, strict=True)):
            covering.append((sum(map(len, bases)), folder, meta))
    for _, folder, meta in sorted(covering, key=lambda entry: entry[:2]):
        bank = _read(folder, meta)
        if bank is not None:
            return bank if (bank.grid, bank.diagonals) == wanted else bank.columns(*wanted)
    return None


def _bases_in(meta: dict[str, Any]) -> tuple[tuple[tuple[float, int], ...], tuple[float, ...]]:
    """The grid and diagonals of a stored bank; older banks do not name diagonals."""
    grid = tuple((float(eps), int(k)) for eps, k in meta["grid"])
    return grid, tuple(float(e) for e in meta.get("diagonals", ()))


def _entries(family: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the folder and ``meta.json`` of each stored bank, sorted by path."""
    for path in sorted(family.glob("[!.]*/meta.json")):
        try:
            yield path.parent, json.loads(path.read_text())
        except (OSError, ValueError):
            continue  # being removed, or damaged: the next build replaces it


def _read(folder: Path, meta: dict[str, Any]) -> Bank | None:
    """The bank in a folder; None if a file is missing or does not match its checksum."""
    arrays: dict[str, Array] = {}
    try:
        for name in ARRAYS:
            array = map_array(folder / f"{name}.npy")
            if checksum(array) != meta["checksums"][name]:
                return None
            arrays[name] = array.astype(np.int32) if name in _SMALL else array
    except (OSError, ValueError, KeyError):
        return None
    grid, diagonals = _bases_in(meta)
    return Bank(grid=grid, diagonals=diagonals, hops=meta["hops"], **arrays)  # type: ignore[arg-type]


def _store(folder: Path, bank: Bank) -> None:
    """Write a bank and rename it into place; the caller must hold the lock."""
    try:
        with new_folder(folder) as temp:
            _write(temp, bank)
            put_folder(temp, folder)
    except OSError as error:
        raise DataError(
            f"the bank cannot be written to {folder.parent} ({told(error, folder.parent)}): "
            f"{SET_CACHE} with room"
        ) from None


def _write(folder: Path, bank: Bank) -> None:
    checksums = {}
    for name in ARRAYS:
        array = np.ascontiguousarray(_compact(name, getattr(bank, name)))
        save_array(folder / f"{name}.npy", array)
        checksums[name] = checksum(array)
    bases = {"grid": bank.grid, "diagonals": bank.diagonals}
    meta = {**bases, "hops": bank.hops, "checksums": checksums}
    (folder / "meta.json").write_text(json.dumps(meta))


def _compact(name: str, array: Array) -> Array:
    kind = _SMALL.get(name)
    fits = kind is not None and array.max(initial=0) <= np.iinfo(kind).max
    return array.astype(kind) if fits else array
