"""Where compiled kernels are kept between processes.

They lie beside the code; if the installation may not be changed, below the cache folder.
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
    """The folder of Numba's compiled kernels; Numba and Triton get it through the environment.

    ``cache``: the cache folder, by default the usual one. Gives None if there is no place: every
    process then compiles anew.
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
    """Remove what was compiled before the newest change of a source file.

    Numba looks at the file of a kernel alone, not at the files of the functions that it inlines.
    """
    sources = list(SOURCES.glob("*.py"))
    newest = max(source.stat().st_mtime for source in sources)
    names = {source.stem for source in sources}
    for index in folder.rglob("*.nbi"):
        with suppress(FileNotFoundError):  # another process was quicker
            if index.name.partition(".")[0] in names and index.stat().st_mtime < newest:
                index.unlink()
