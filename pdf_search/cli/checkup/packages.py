"""Packages that can really be imported, and the machine that they find."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from pdf_search.cli.checkup.check import Check, guarded
from pdf_search.imports import quietly
from pdf_search.sweep.machine import usable_cpus

NEEDED = (
    *("torch", "ray", "optuna", "torch-geometric", "ogb", "rdkit"),
    *("SQLAlchemy", "pandas", "numba", "pyarrow"),
)
MODULES = {"torch-geometric": "torch_geometric", "SQLAlchemy": "sqlalchemy"}


def package_checks() -> Iterator[Check]:
    yield Check("pdf-search", version("pdf-search"))
    yield Check("python", platform.python_version(), sys.version_info >= (3, 11))
    for name in NEEDED:
        yield package(name, MODULES.get(name, name))
    yield guarded("gpu", _gpu)
    yield guarded("triton", _triton)
    yield Check("cpus", str(usable_cpus()))


def package(name: str, module: str) -> Check:
    """Its version, if it can really be imported."""
    try:
        with quietly():
            import_module(module)
        return Check(name, version(name))
    except (ModuleNotFoundError, PackageNotFoundError) as error:
        if getattr(error, "name", name) in (name, module):
            return Check(name, "not installed: pip install --upgrade pdf-search", ok=False)
        return _broken(name, error)
    except Exception as error:  # whatever a broken installation raises is the finding
        return _broken(name, error)


def _broken(name: str, error: Exception) -> Check:
    return Check(name, f"cannot be imported: {type(error).__name__}: {error}", ok=False)


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
