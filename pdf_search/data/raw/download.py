"""Downloads raw files with the code of PyG and OGB, but without their processing."""

from __future__ import annotations

import contextlib
import shutil
import socket
import sys
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pdf_search.data.raw.ogb_package import graph_property_sets, import_ogb
from pdf_search.data.raw.raw_set import Progress
from pdf_search.errors import DataError
from pdf_search.imports import quietly

LARGE = 1 << 30  # bytes; for more, OGB asks on standard input, and this project requires --yes
_KNOWN_LARGE = frozenset({"ogbg-ppa"})
_TIMEOUT = 60.0  # seconds without an answer


def download_tu(name: str, into: Path, say: Progress) -> None:
    """Download ``NAME_*.txt`` into ``into / "raw"`` with PyG's TUDataset.

    Raises:
        DataError: The download fails.
    """
    datasets, in_memory = _pyg()

    class RawFiles(datasets.TUDataset):  # type: ignore[misc, name-defined]
        has_process = False

        def __init__(self, root: Path) -> None:
            self.name, self.cleaned = name, False
            in_memory.__init__(self, str(root))

    say(f"downloading {name} from {RawFiles.url}")
    with _failures(RawFiles.url):
        shutil.move(RawFiles(into / "pyg").raw_dir, into / "raw")


def download_zinc(into: Path, say: Progress) -> None:
    """Download ZINC's pickles and the subset's index files into ``into / "raw"`` with PyG's ZINC.

    Raises:
        DataError: The download fails.
    """
    datasets, in_memory = _pyg()

    class RawFiles(datasets.ZINC):  # type: ignore[misc, name-defined]
        has_process = False

        def __init__(self, root: Path) -> None:
            self.subset = True
            in_memory.__init__(self, str(root))

    say(f"downloading ZINC from {RawFiles.url}")
    with _failures(RawFiles.url):
        shutil.move(RawFiles(into / "pyg").raw_dir, into / "raw")


def _pyg() -> tuple[Any, Any]:
    """PyG's module of data sets, and their base class."""
    with quietly():
        from torch_geometric import datasets  # noqa: PLC0415
        from torch_geometric.data import InMemoryDataset  # noqa: PLC0415
    return datasets, InMemoryDataset


def download_ogb(name: str, into: Path, assume_yes: bool, say: Progress) -> None:
    """Download the folders ``raw``, ``split`` and ``mapping`` into ``into`` with OGB's own code.

    Raises:
        DataError: The download fails, or it is larger than 1 GB and ``assume_yes`` is false.
    """
    if name in _KNOWN_LARGE and not assume_yes:
        raise DataError(_needs_yes(name, "more than 1 GB"))
    row = graph_property_sets()[name]
    with _failures(row["url"]):
        with urllib.request.urlopen(row["url"], timeout=_TIMEOUT) as answer:
            size = int(answer.headers.get("Content-Length") or 0)
        if size > LARGE and not assume_yes:
            raise DataError(_needs_yes(name, f"{size / LARGE:.1f} GB"))
        say(f"downloading {name} ({size / 2**20:,.0f} MB) from {row['url']}")
        url = import_ogb("ogb.utils.url")
        with contextlib.redirect_stdout(sys.stderr):
            archive = Path(url.download_url(row["url"], str(into), log=False))
            url.extract_zip(str(archive), str(into / "ogb"), log=False)
    archive.unlink()
    for part in (into / "ogb" / row["download_name"]).iterdir():
        shutil.move(part, into / part.name)
    shutil.rmtree(into / "ogb")


def _needs_yes(name: str, size: str) -> str:
    return f"{name} is a download of {size}; to start it: pdf-search data {name} --yes"


@contextlib.contextmanager
def _failures(url: str) -> Iterator[None]:
    """Turn errors of a download, no answer for a minute among them, into one that names the URL."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(_TIMEOUT)
    try:
        yield
    except (OSError, urllib.error.URLError, zipfile.BadZipFile, RuntimeError, ValueError) as error:
        raise DataError(
            f"the download from {url} failed: {error or type(error).__name__}"
        ) from None
    finally:
        socket.setdefaulttimeout(before)
