"""Where a data set's raw files lie, what identifies them, and how they are read."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import shutil
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from pdf_search.config import DataConfig
from pdf_search.data import download, molecules, ogb_raw, tu, zinc
from pdf_search.data.ogb_package import graph_property_sets
from pdf_search.data.raw_set import Progress, RawSet
from pdf_search.data.registry import TU_SETS, DatasetInfo
from pdf_search.errors import DataError


@dataclass(frozen=True)
class RawFiles:
    """Raw files that are there. ``identity`` changes when their content does."""

    identity: dict[str, Any]
    place: str
    read: Callable[[Progress], RawSet]


@dataclass(frozen=True)
class Source:
    """A named data set's raw files: folders below a data root, and the files in them."""

    places: tuple[str, ...]  # in order of preference
    required: tuple[str, ...]
    optional: tuple[str, ...]
    read: Callable[[Path, Progress], RawSet]
    download: Callable[[Path, bool, Progress], None]
    downloaded: str  # where below its target folder the download puts the files

    def find(self, root: Path) -> Path | None:
        """The folder below ``root`` that holds the files; None if there is no such folder.

        Raises:
            DataError: the folder is there, some of its files are not.
        """
        for place in self.places:
            folder = root / place
            missing = [name for name in self.required if not (folder / name).is_file()]
            if not missing:
                return folder
            if len(missing) < len(self.required):
                raise DataError(
                    f"{folder} is incomplete: {', '.join(missing)} missing; complete it, or remove "
                    "the folder to have the data set downloaded"
                )
        return None

    def files(self, folder: Path) -> RawFiles:
        """The raw files in ``folder``, identified by size and time of change."""
        present = [n for n in (*self.required, *self.optional) if (folder / n).is_file()]
        stats = {name: (folder / name).stat() for name in present}
        identity = {name: [stat.st_size, stat.st_mtime_ns] for name, stat in stats.items()}
        return RawFiles({"files": identity}, str(folder), partial(self.read, folder))


def find_raw(
    config: DataConfig, info: DatasetInfo, data_root: Path | None, cache: Path
) -> RawFiles | None:
    """The raw files in the data root or, from an earlier download, in the cache.

    Raises:
        DataError: the data root does not exist, or holds the set incompletely.
    """
    if data_root is not None and not data_root.is_dir():
        raise DataError(f"the data root {data_root.absolute()} is not a folder")
    if info.name in ("csv", "freesolv"):
        return _table_files(config, info)
    source = source_of(info)
    for root in (data_root, cache / "raw"):
        folder = source.find(root) if root is not None else None
        if folder is not None:
            return source.files(folder)
    return None


def fetch_raw(
    info: DatasetInfo, data_root: Path | None, cache: Path, assume_yes: bool, say: Progress
) -> RawFiles:
    """Download the raw files into the cache; whole or not at all.

    Raises:
        DataError: no network, or a large download without ``assume_yes``.
    """
    source = source_of(info)
    folder = cache / "raw" / source.places[0]
    for leftover in (cache / "raw").glob(f".{info.name}.*"):  # of a process that was killed
        shutil.rmtree(leftover, ignore_errors=True)
    temp = cache / "raw" / f".{info.name}.{os.getpid()}.{uuid.uuid4().hex[:8]}"
    try:
        temp.mkdir(parents=True)
        source.download(temp, assume_yes, say)
        folder.parent.mkdir(parents=True, exist_ok=True)
        (temp / source.downloaded).rename(folder)
    except DataError as error:
        raise DataError(f"{error}{_remedy(source, data_root)}") from None
    except OSError as error:
        raise DataError(f"{info.name} cannot be downloaded into {folder}: {error}") from None
    finally:
        shutil.rmtree(temp, ignore_errors=True)
    found = source.find(cache / "raw")
    if found is None:
        raise DataError(f"the download of {info.name} holds none of {', '.join(source.required)}")
    return source.files(found)


def _remedy(source: Source, data_root: Path | None) -> str:
    where = data_root.absolute() if data_root else "DIR"
    looked = f" (looked in {data_root.absolute()})" if data_root else ""
    return (
        f"\nThe files are not here yet{looked}. Without a network, copy "
        f"{', '.join(source.required)} into {where}/{source.places[0]} and give --data-root {where}"
    )


def source_of(info: DatasetInfo) -> Source:
    """The source of a named data set."""
    if info.name == "zinc":
        return _zinc_source()
    if info.name in TU_SETS:
        return _tu_source(TU_SETS[info.name].folder)
    return _ogb_source(info)


def _zinc_source() -> Source:
    return Source(
        places=("ZINC/raw",),
        required=zinc.FILES,
        optional=(),
        read=zinc.read_zinc,
        download=lambda into, _, say: download.download_zinc(into, say),
        downloaded="raw",
    )


def _tu_source(name: str) -> Source:
    return Source(
        places=(f"TUDataset/{name}/raw", f"{name}/raw"),
        required=tu.required_files(name),
        optional=tu.optional_files(name),
        read=lambda folder, _: tu.read_tu(folder, name),
        download=lambda into, _, say: download.download_tu(name, into, say),
        downloaded="raw",
    )


def _ogb_source(info: DatasetInfo) -> Source:
    shape, split = info.shape, graph_property_sets()[info.name]["split"]
    assert shape is not None
    folder = info.name.replace("-", "_")
    return Source(
        places=tuple(f"{root}{folder}{end}" for root in ("ogb/", "") for end in ("", "_pyg")),
        required=ogb_raw.required_files(shape, split),
        optional=(),
        read=lambda folder, say: ogb_raw.read_ogb(folder, shape, split, say),
        download=lambda into, yes, say: download.download_ogb(info.name, into, yes, say),
        downloaded=".",
    )


def _table_files(config: DataConfig, info: DatasetInfo) -> RawFiles:
    if info.name == "csv":
        assert config.path is not None
        path, smiles, names = Path(config.path).expanduser(), config.smiles, config.targets
    else:
        path = Path(str(files("pdf_search.data") / "freesolv" / "freesolv.csv"))
        smiles, names = "smiles", ("expt",)
    identity = {
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "smiles": smiles,
        "targets": list(names),
        "task": str(info.task),
        "featuriser": {name: importlib.metadata.version(name) for name in ("ogb", "rdkit")},
    }
    return RawFiles(identity, str(path.absolute()), partial(_read_table, path, smiles, names, info))


def _read_table(
    path: Path, smiles: str, names: tuple[str, ...], info: DatasetInfo, say: Progress
) -> RawSet:
    from pdf_search.data.featurise import read_molecules  # noqa: PLC0415

    table = molecules.read_table(path)
    targets = molecules.read_targets(table, smiles, names, info.task)
    return read_molecules(table, smiles, targets, say)
