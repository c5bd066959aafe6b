"""Writes, describes, checks and maps the arrays of a prepared folder."""

from __future__ import annotations

import shutil
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from pdf_search.graphs import Array


class GrowingArray:
    """Writes an .npy file block by block when its length is not known in advance.

    Blocks go to part files, and ``close`` joins these under one header. An array of fixed ``rows``,
    such as [2, E], grows along its second axis. Each row then has its own part file, so that the
    joined file is in C order.
    """

    def __init__(self, path: Path, dtype: type[np.generic], rows: int | None = None) -> None:
        self._path, self._dtype, self._rows = path, np.dtype(dtype), rows
        self._parts = [path.with_suffix(f".part{i}") for i in range(rows or 1)]
        self._files = [part.open("wb") for part in self._parts]
        self._length = 0
        self._width: tuple[int, ...] = ()

    def append(self, block: Array) -> None:
        """Add a block [n, ...], or [rows, n] if the number of rows is fixed."""
        block = np.ascontiguousarray(block, self._dtype)
        if self._rows is None:
            self._files[0].write(block.tobytes())
            self._width = block.shape[1:]
        else:
            for file, row in zip(self._files, block, strict=True):
                file.write(row.tobytes())
        self._length += block.shape[0 if self._rows is None else 1]

    def close(self) -> None:
        """Join the part files into the .npy file and remove them."""
        self.abandon()
        length = (self._length,)
        shape = (*length, *self._width) if self._rows is None else (self._rows, *length)
        with self._path.open("wb") as out:
            header: dict[str, Any] = {"descr": self._dtype.str, "fortran_order": False}
            np.lib.format.write_array_header_1_0(out, {**header, "shape": shape})
            for part in self._parts:
                with part.open("rb") as file:
                    shutil.copyfileobj(file, out, 1 << 24)
        for part in self._parts:
            part.unlink()

    def abandon(self) -> None:
        """Close the part files and leave them as they are."""
        for file in self._files:
            file.close()


def save_array(path: Path, array: Array) -> None:
    """Write an array as .npy in C order, without pickling."""
    np.save(path, np.ascontiguousarray(array), allow_pickle=False)


def map_array(path: Path) -> Array:
    """Map an .npy file read-only.

    Raises:
        OSError: There is no such file.
        ValueError: The file is no .npy file, or is shorter than its header says.
    """
    array: Array = np.load(path, mmap_mode="r", allow_pickle=False)
    return array


def describe(array: Array) -> dict[str, Any]:
    """Return an array's type, shape and checksum, as ``meta.json`` records them."""
    return {"dtype": array.dtype.str, "shape": list(array.shape), "crc32": checksum(array)}


def checksum(array: Array) -> int:
    """Return the CRC-32 of an array's bytes in C order; a mapped C-order array is not copied."""
    return zlib.crc32(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
