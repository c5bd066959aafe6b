"""Checks that the packages can be imported, and which CPUs and GPUs they find."""

from __future__ import annotations

import os
import platform
import sys
import warnings
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from pdf_search.cli.checkup.check import Check, guarded
from pdf_search.imports import quietly
from pdf_search.sweep import usable_cpus

NEEDED = (
    *("torch", "ray", "optuna", "torch-geometric", "ogb", "rdkit"),
    *("SQLAlchemy", "pandas", "numba", "pyarrow"),
)
MODULES = {"torch-geometric": "torch_geometric", "SQLAlchemy": "sqlalchemy"}


def package_checks() -> Iterator[Check]:
    """Check the versions of this package, Python and the needed packages, the GPU and the CPUs."""
    yield Check("pdf-search", version("pdf-search"))
    yield Check("python", platform.python_version(), sys.version_info >= (3, 11))
    for name in NEEDED:
        yield package(name, MODULES.get(name, name))
    yield guarded("gpu", gpu)
    yield guarded("triton", _triton)
    yield Check("cpus", str(usable_cpus()))


def package(name: str, module: str) -> Check:
    """Check that a package can be imported; ``name`` is its name on PyPI."""
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


def gpu() -> str:
    """The GPUs that torch sees; if none, what torch is built for and why it sees none."""
    import torch

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        there = torch.cuda.is_available()
    if there:
        names = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
        return ", ".join(names)
    built = torch.version.cuda
    if not built:
        return "none (torch is built for the CPU)"
    said = [str(warning.message) for warning in caught if "CUDA" in str(warning.message)]
    return f"none (torch is built for CUDA {built}): {_why_none(said)}"


def _why_none(said: list[str]) -> str:
    """Why torch sees no GPU; ``said`` are its warnings, which it gives only once a process."""
    import torch

    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None and visible.strip() in ("", "-1"):
        return f"CUDA_VISIBLE_DEVICES={visible} hides every GPU: unset it"
    try:
        torch.cuda.init()  # type: ignore[no-untyped-call]
    except Exception as error:  # of a broken installation whatever it raises
        said = [*said, str(error)]
    reason = said[0].partition("(Triggered internally")[0] if said else "torch gives no reason"
    chosen = f"; CUDA_VISIBLE_DEVICES={visible}" if visible is not None else ""
    return f"{' '.join(reason.split())}{chosen}"


def _triton() -> str:
    """Triton's version, and why it does not run on the GPU if there is one."""
    import torch

    from pdf_search.kernels import why_plain_torch_apart

    try:
        found = version("triton")
    except PackageNotFoundError:
        return "not installed (only GPUs need it)"
    plain = why_plain_torch_apart(torch.device("cuda")) if torch.cuda.is_available() else None
    return f"{found}; plain torch computes on the GPU: {plain}" if plain else found
