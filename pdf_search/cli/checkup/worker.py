"""Checks what a trial does: it compiles a kernel, and runs in a worker that Ray starts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from pdf_search.cli.checkup.check import Check
from pdf_search.data import cache_folder
from pdf_search.errors import PdfSearchError


def worker_checks(cache: Path | None) -> Iterator[Check]:
    """Compile and run a kernel, then import this package in a worker of Ray."""
    yield _kernels(cache)
    yield _ray()


def _kernels(cache: Path | None) -> Check:
    """Run a kernel, which is compiled or loaded from the folder of compiled ones."""
    started = time.monotonic()
    try:
        from pdf_search.kernels import keep_kernels

        kept = keep_kernels(cache_folder(cache) if cache is not None else None)
        _count()
    except Exception as error:  # whatever a broken installation raises is the finding
        return Check(
            "kernels",
            f"cannot be compiled ({type(error).__name__}: {error}): set NUMBA_CACHE_DIR to a "
            "folder that can be written",
            ok=False,
        )
    where = f"kept in {kept}" if kept else "compiled anew by each process: set NUMBA_CACHE_DIR"
    return Check("kernels", f"{where} ({time.monotonic() - started:.1f} s)")


def _count() -> None:
    import torch

    from pdf_search.kernels import group_triples

    place = torch.arange(3, dtype=torch.int32)
    found = group_triples(torch.tensor([1, 0, 1]), place, place, 2).first.tolist()
    if found != [1, 0, 2]:
        raise ValueError(f"a kernel computes {found}, not [1, 0, 2]")


def _ray() -> Check:
    from pdf_search.sweep import try_ray

    started = time.monotonic()
    try:
        here = try_ray()
    except PdfSearchError as error:
        return Check("ray's worker", str(error), ok=False)
    return Check("ray's worker", f"imports {here} ({time.monotonic() - started:.1f} s)")
