"""Chooses the folder where compiled kernels are kept between processes.

It lies beside the code, or below the cache folder where the installation is read-only.
"""

from __future__ import annotations

import os
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
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named and not why_not_writable(Path(named)):
        return Path(named)
    if not named and not why_not_writable(BESIDE):
        return BESIDE
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


def drop_stale(folder: Path) -> None:
    """Remove the index files of kernels compiled before the newest change of any kernel source.

    Numba compares only the kernel's own source file. It would keep a kernel whose inlined
    functions have changed in another file.
    """
    sources = list(SOURCES.glob("*.py"))
    newest = max(source.stat().st_mtime for source in sources)
    names = {source.stem for source in sources}
    # Numba keeps the kernels of a package in a folder named after it, unless beside the code.
    for index in (*folder.glob("*.nbi"), *folder.glob(f"{SOURCES.name}_*/*.nbi")):
        with suppress(FileNotFoundError):  # another process was quicker
            if index.name.partition(".")[0] in names and index.stat().st_mtime < newest:
                index.unlink()
