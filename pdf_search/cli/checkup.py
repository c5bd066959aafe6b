"""What ``pdf-search doctor`` looks at."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pdf_search.cli.words import megabytes
from pdf_search.data import cache_folder, cache_size
from pdf_search.imports import quietly
from pdf_search.sweep.machine import usable_cpus

NEEDED = ("torch", "ray", "optuna", "torch-geometric", "ogb", "rdkit", "SQLAlchemy", "pandas")
MODULES = {"torch-geometric": "torch_geometric", "SQLAlchemy": "sqlalchemy"}
ROOTS = ("TUDataset", "ZINC", "ogb")


@dataclass(frozen=True)
class Check:
    """``ok`` is False only where a sweep cannot work; a missing GPU is fine."""

    name: str
    found: str
    ok: bool = True


def checkup(out: Path, data_root: Path | None, cache: Path | None) -> list[Check]:
    folder = cache_folder(cache)
    checks = [
        Check("pdf-search", version("pdf-search")),
        Check("python", platform.python_version(), sys.version_info >= (3, 11)),
        *(_package(name) for name in NEEDED),
        _guarded("gpu", _gpu),
        _guarded("triton", _triton),
        Check("cpus", str(usable_cpus())),
        _writable("cache", folder, f", {megabytes(cache_size(folder))}"),
        _writable("out", out.expanduser().absolute()),
    ]
    return checks if data_root is None else [*checks, _data_root(data_root.expanduser())]


def _package(name: str) -> Check:
    """Its version, if it can really be imported."""
    try:
        with quietly():
            import_module(MODULES.get(name, name))
        return Check(name, version(name))
    except PackageNotFoundError:
        return Check(name, "not installed: pip install --upgrade pdf-search", ok=False)
    except Exception as error:  # whatever a broken installation raises is the finding
        return Check(name, f"cannot be imported: {type(error).__name__}: {error}", ok=False)


def _guarded(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, look())
    except Exception as error:  # as above
        return Check(name, f"{type(error).__name__}: {error}", ok=False)


def _gpu() -> str:
    import torch

    if not torch.cuda.is_available():
        return f"none (torch is built for {torch.version.cuda or 'the CPU'})"
    names = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
    return ", ".join(names)


def _triton() -> str:
    try:
        return version("triton")
    except PackageNotFoundError:
        return "not installed (only GPUs need it)"


def _writable(name: str, folder: Path, more: str = "") -> Check:
    """Whether the folder, or the nearest one above it that exists, can be written."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if there.is_dir() and os.access(there, os.W_OK):
        return Check(name, f"{folder}{more}")
    return Check(name, f"{folder} cannot be written", ok=False)


def _data_root(folder: Path) -> Check:
    found = [name for name in ROOTS if (folder / name).is_dir()]
    if found:
        return Check("data root", f"{folder}: {', '.join(found)}")
    return Check("data root", f"{folder} has none of {', '.join(ROOTS)}", ok=False)
