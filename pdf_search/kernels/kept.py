"""Where compiled kernels are kept: beside the code, or below the cache of an installation that may
not be changed."""

from __future__ import annotations

import os
from pathlib import Path

from pdf_search.errors import PdfSearchError
from pdf_search.paths import usual_cache, why_not_writable

BESIDE = Path(__file__).parent / "__pycache__"


def keep_kernels(cache: Path | None = None) -> Path | None:
    """The folder of Numba's compiled kernels, told to Numba and Triton through the environment.

    ``cache``: the cache folder, by default the usual one. None if there is no place: every process
    then compiles anew.
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
