"""Reads the bytes of a user's file, unpacked if the file is compressed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from pdf_search.errors import DataError
from pdf_search.paths import expanded
from pdf_search.wording import visible

PACKED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zip")
_ZIP, _EMPTY_ZIP = b"PK\x03\x04", b"PK\x05\x06"
_OF_A_WORKBOOK = {"[Content_Types].xml", "mimetype"}  # of Excel, of OpenDocument
_SHOWN = 5  # files of an archive in a message


class _NotOneFileError(Exception):
    """An archive that is not a single file; the message says what it holds."""


def unpacked_name(path: Path) -> Path:
    """Return a path without the suffix of a compression: ``a.csv.gz`` becomes ``a.csv``."""
    return path.with_suffix("") if path.suffix.lower() in PACKED_SUFFIXES else path


def read_bytes(path: Path, option: str) -> tuple[bytes, str]:
    """Return the content of a file, unpacked, and how it was compressed; "" if it was not.

    ``option`` is the setting that named the file, for messages.

    Raises:
        DataError: There is no such file, it cannot be read, or it is compressed and damaged.
    """
    try:
        data = expanded(path).read_bytes()
    except FileNotFoundError:
        raise DataError(f"{option}: no file {expanded(path).absolute()}") from None
    except OSError as error:
        raise DataError(f"{option}: {path} cannot be read: {error.strerror}") from None
    kind = next((name for start, name in _KINDS.items() if data.startswith(start)), "")
    try:
        found = _UNPACK[kind](data) if kind else data
    except _NotOneFileError as error:
        raise DataError(f"{option}: {path} is a zip archive {error}") from None
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, ValueError) as error:
        raise DataError(
            f"{option}: {path} is compressed ({kind}) and cannot be unpacked ({error}): the file "
            "is damaged or cut, get it again"
        ) from None
    return (data, "") if found is None else (found, kind)


def _unzip(data: bytes) -> bytes | None:
    """The single file in a zip archive; None if it is a workbook.

    The folders and notes that macOS adds do not count.

    Raises:
        _NotOneFileError: There is no file in it, or there are several.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        own = [name for name in names if PurePosixPath(name).parts[0] != "__MACOSX"]
        if not _OF_A_WORKBOOK.isdisjoint(own):
            return None
        if len(own) != 1:
            raise _NotOneFileError(_holds(own))
        if archive.getinfo(own[0]).flag_bits & 1:
            raise ValueError("it needs a password")
        return archive.read(own[0])


def _holds(names: list[str]) -> str:
    """Say what an archive without a single file holds, and what to do."""
    if not names:
        return "without a file in it: get it again"
    shown = ", ".join(map(visible, names[:_SHOWN]))
    rest = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return f"of {len(names):,} files, {shown}{rest}: unpack it, and give one of them"


def _unzstd(data: bytes) -> bytes:
    import pyarrow as pa  # noqa: PLC0415

    with pa.CompressedInputStream(pa.py_buffer(data), "zstd") as stream:
        found: bytes = stream.read()
    return found


_KINDS = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    _ZIP: "zip",
    _EMPTY_ZIP: "zip",
}
_UNPACK: dict[str, Callable[[bytes], bytes | None]] = {
    "gzip": gzip.decompress,
    "bzip2": bz2.decompress,
    "xz": lzma.decompress,
    "zstd": _unzstd,
    "zip": _unzip,
}
