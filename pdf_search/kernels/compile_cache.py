"""Chooses the folder where compiled kernels are kept between processes.

It lies beside the code, or below the cache folder where the installation is read-only.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pdf_search.errors import PdfSearchError
from pdf_search.paths import usual_cache, why_not_writable

SOURCES = Path(__file__).parent / "cpu"
BESIDE = SOURCES / "__pycache__"


def keep_kernels(cache: Path | None = None) -> Path | None:
    """Choose the folder of Numba's compiled kernels, and return it.

    ``NUMBA_CACHE_DIR`` is taken if it is set; without it the folder beside the code. If that is
    not writable, the folder lies below ``cache``, by default the user's cache folder, and the
    environment variables of Numba and Triton are set to it. Returns None if that is not writable
    either: every process then compiles anew.
    """
    usual = _named_or_beside()
    if usual is not None:
        return usual
    try:
        folder = (usual_cache() if cache is None else cache) / "kernels"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, PdfSearchError):
        return None
    if why_not_writable(folder):
        return None
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    os.environ.setdefault("TRITON_CACHE_DIR", str(folder / "triton"))
    return folder


def _named_or_beside() -> Path | None:
    """The folder of compiled kernels if it is not below the cache folder."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    folder = Path(named) if named else BESIDE
    return None if why_not_writable(folder) else folder


def kernels_outside(cache: Path) -> list[Path]:
    """The files of this package's compiled kernels that do not lie in the cache folder."""
    folder = _named_or_beside()
    if folder is None or folder.resolve().is_relative_to(cache.resolve()):
        return []
    return sorted(_compiled(folder, "nb[ic]"))


def _compiled(folder: Path, ending: str) -> Iterator[Path]:
    """The files of compiled kernels of this package's modules, of which others may be there too."""
    names = {source.stem for source in SOURCES.glob("*.py")}
    # Numba keeps the kernels of a package in a folder named after it, unless beside the code.
    for pattern in (f"*.{ending}", f"{SOURCES.name}_*/*.{ending}"):
        yield from (file for file in folder.glob(pattern) if file.name.partition(".")[0] in names)


def drop_stale(folder: Path) -> None:
    """Remove the index files of kernels compiled before the newest change of any kernel source.

    Numba compares only the kernel's own source file. It would keep a kernel whose inlined
    functions have changed in another file.
    """
    newest = max(source.stat().st_mtime for source in SOURCES.glob("*.py"))
    for index in _compiled(folder, "nbi"):
        with suppress(FileNotFoundError):  # another process was quicker
            if index.stat().st_mtime < newest:
                index.unlink()
