"""Finds or downloads a data set's raw files, and knows what identifies them and who reads them."""

from __future__ import annotations

import hashlib
import importlib.metadata
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from pdf_search.atomic import new_folder, put_folder
from pdf_search.config import DataConfig
from pdf_search.data import registry
from pdf_search.data.molecules.smiles_table import read_own_of, rows_for_lines
from pdf_search.data.own_graphs.read import graphs_identity, read_graph_set
from pdf_search.data.raw import download, ogb_csv, tu, zinc
from pdf_search.data.raw.find_files import DEPTH, Wanted, has_all, plain, search
from pdf_search.data.raw.ogb_package import graph_property_sets
from pdf_search.data.raw.raw_set import Progress, RawSet, silent
from pdf_search.data.registry import TU_SETS, DatasetInfo, lookup
from pdf_search.errors import DataError
from pdf_search.paths import expanded

SHIPPED = {"freesolv": Path(str(files("pdf_search.data") / "freesolv" / "freesolv.csv"))}


@dataclass(frozen=True)
class RawFiles:
    """Raw files that exist on this machine, ready to be read."""

    identity: dict[str, Any]  # plain data that changes when the files do
    place: str  # folder or file, for messages and the record
    read: Callable[[Progress], RawSet]


@dataclass(frozen=True)
class Source:
    """How the raw files of a named data set are recognised, read and downloaded."""

    wanted: Wanted
    read: Callable[[Path, Progress], RawSet]
    download: Callable[[Path, bool, Progress], None]
    downloaded: str  # the folder, below its target folder, into which the download puts the files

    def downloaded_to(self, root: Path) -> Path | None:
        """Return the folder of an earlier download below ``root``; None if there is no such folder.

        Raises:
            DataError: The folder is there, but some of its files are not.
        """
        folder = root / self.wanted.homes[0]
        if folder.is_dir() and not has_all(folder, self.wanted):
            raise DataError(
                f"{folder}, an earlier download, is incomplete: remove it to have the data set "
                "downloaded again"
            )
        return folder if folder.is_dir() else None

    def files(self, folder: Path) -> RawFiles:
        """Return the raw files in ``folder``, identified by size and modification time."""
        names = (*self.wanted.required, *self.wanted.optional)
        stats = {name: (folder / name).stat() for name in names if (folder / name).is_file()}
        identity = {name: [stat.st_size, stat.st_mtime_ns] for name, stat in stats.items()}
        return RawFiles({"files": identity}, str(folder), partial(self.read, folder))


def find_raw(
    config: DataConfig,
    info: DatasetInfo,
    data_root: Path | None,
    cache: Path,
    say: Progress = silent,
) -> RawFiles | None:
    """Find the raw files at or below the data root, or in the cache from an earlier download.

    ``say`` is told if files are read from any other place than the data root's usual folders.
    FreeSolv comes with the package; own molecules are read from their file.

    Returns:
        The raw files; None if they must be downloaded.

    Raises:
        DataError: The data root does not exist, or has the data set in a form that cannot be read.
    """
    if data_root is not None and not data_root.is_dir():
        raise DataError(f"the data root {data_root.absolute()} is not a folder{_hint(data_root)}")
    if info.name in ("csv", "freesolv"):
        return _table_files(config, info)
    if info.name == registry.GRAPHS:
        return _graph_files(config, info)
    source = source_of(info)
    if data_root is not None and (folder := search(data_root.absolute(), source.wanted)):
        if folder not in [data_root.absolute() / home for home in source.wanted.homes]:
            say(f"{info.title}: reading {folder}")
        return source.files(folder)
    folder = source.downloaded_to(cache / "raw")
    if data_root is not None:
        # A download says so itself where it begins: one that is too large is refused before.
        instead = f": reading the earlier download {folder}" if folder else ""
        say(f"{info.title} is not in {data_root.absolute()} (looked {DEPTH} levels deep){instead}")
    return source.files(folder) if folder else None


def sets_below(data_root: Path) -> tuple[list[str], list[str]]:
    """Return the titles of the named data sets in a data root, and why others there are refused."""
    titles, refusals = [], []
    for name in registry.names():
        info = lookup(DataConfig(name=name))
        if name == "freesolv":
            continue  # it comes with the package
        try:
            if search(data_root.absolute(), source_of(info).wanted):
                titles.append(info.title)
        except DataError as error:
            refusals.append(str(error))
    return titles, refusals


def _hint(path: Path) -> str:
    return ": unpack it, and give the folder" if path.is_file() else ""


def fetch_raw(
    info: DatasetInfo, data_root: Path | None, cache: Path, assume_yes: bool, say: Progress
) -> RawFiles:
    """Download the raw files into the cache; a failed download leaves nothing there.

    Raises:
        DataError: The download fails or is incomplete, or it is large and ``assume_yes`` is false.
    """
    source = source_of(info)
    folder = cache / "raw" / source.wanted.homes[0]
    try:
        with new_folder(cache / "raw" / info.name) as temp:
            source.download(temp, assume_yes, say)
            put_folder(temp / source.downloaded, folder)
    except DataError as error:
        raise DataError(f"{error}{_remedy(source, data_root)}") from None
    except OSError as error:
        raise DataError(f"{info.name} cannot be downloaded into {folder}: {error}") from None
    if not has_all(folder, source.wanted):
        shutil.rmtree(folder, ignore_errors=True)
        raise DataError(
            f"the download of {info.name} does not hold all of {', '.join(source.wanted.required)}"
        )
    return source.files(folder)


def _remedy(source: Source, data_root: Path | None) -> str:
    where = data_root.absolute() if data_root else "DIR"
    looked = f" (looked in {data_root.absolute()})" if data_root else ""
    return (
        f"\nThe files are not here yet{looked}. Without a network, copy "
        f"{', '.join(source.wanted.required)} into {where}/{source.wanted.homes[0]} and give "
        f"--data-root {where}"
    )


def source_of(info: DatasetInfo) -> Source:
    """Return the source of a named data set other than FreeSolv."""
    if info.name == "zinc":
        return _zinc_source()
    if info.name in TU_SETS:
        return _tu_source(TU_SETS[info.name].folder, TU_SETS[info.name].classes)
    return _ogb_source(info)


def _zinc_source() -> Source:
    return Source(
        wanted=Wanted(
            title="ZINC",
            required=zinc.FILES,
            optional=(),
            homes=("ZINC/raw",),
            names=frozenset({"zinc", "zinc12k", "zinc_12k", "zinc_full", "molecules"}),
            others=frozenset(),
            unique=False,
        ),
        read=zinc.read_zinc,
        download=lambda into, _, say: download.download_zinc(into, say),
        downloaded="raw",
    )


def _tu_source(name: str, classes: int) -> Source:
    return Source(
        wanted=Wanted(
            title=name,
            required=tu.required_files(name),
            optional=tu.optional_files(name),
            homes=(f"TUDataset/{name}/raw", f"{name}/raw"),
            names=frozenset({plain(name)}),
            others=frozenset(),
            unique=True,
        ),
        read=lambda folder, _: tu.read_tu(folder, name, classes),
        download=lambda into, _, say: download.download_tu(name, into, say),
        downloaded="raw",
    )


def _ogb_source(info: DatasetInfo) -> Source:
    shape, split = info.shape, graph_property_sets()[info.name]["split"]
    assert shape is not None
    folder = info.name.replace("-", "_")
    others = frozenset().union(*map(_ogb_names, graph_property_sets()))
    return Source(
        wanted=Wanted(
            title=info.title,
            required=ogb_csv.required_files(shape, split),
            optional=ogb_csv.OPTIONAL,
            homes=tuple(f"{root}{folder}{end}" for root in ("ogb/", "") for end in ("", "_pyg")),
            names=_ogb_names(info.name),
            others=others - _ogb_names(info.name),
            unique=False,
        ),
        read=lambda folder, say: ogb_csv.read_ogb(folder, shape, split, say),
        download=lambda into, yes, say: download.download_ogb(info.name, into, yes, say),
        downloaded=".",
    )


def _ogb_names(name: str) -> frozenset[str]:
    """The plain names of a set's folders and archive, with and without ``ogbg_`` and ``mol``."""
    own = plain(name)
    short = own.removeprefix("ogbg_")
    bases = {own, short, short.removeprefix("mol"), graph_property_sets()[name]["download_name"]}
    return frozenset(f"{base}{end}" for base in bases for end in ("", "_pyg"))


def _table_files(config: DataConfig, info: DatasetInfo) -> RawFiles:
    if info.name != "csv":
        path = SHIPPED["freesolv"]
        config = DataConfig(
            name="csv", path=str(path), targets=("expt",), featuriser=config.featuriser
        )
    assert config.path is not None
    path = expanded(config.path)
    identity = {
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "smiles": config.smiles,
        "targets": list(config.targets),
        "task": str(info.task),
        "task_given": config.task is not None,  # notes and refusals depend on it
        "split_column": config.split_column,
        "skip_bad_rows": config.skip_bad_rows,
        "featuriser": {name: importlib.metadata.version(name) for name in ("ogb", "rdkit")}
        | {"version": config.featuriser},
    }
    return RawFiles(identity, str(path.absolute()), partial(_read_table, config))


def _graph_files(config: DataConfig, info: DatasetInfo) -> RawFiles:
    assert config.path is not None
    path = expanded(config.path)
    identity = {
        "sha256": graphs_identity(path),
        "targets": list(config.targets),
        "task": str(info.task),
        "split_column": config.split_column,
    }
    return RawFiles(identity, str(path.absolute()), lambda _: read_graph_set(config))


def _read_table(config: DataConfig, say: Progress) -> RawSet:
    from pdf_search.data.molecules.featurise import read_molecules  # noqa: PLC0415

    table, targets = read_own_of(config)
    with rows_for_lines(table):
        return read_molecules(table, targets, config, say)
