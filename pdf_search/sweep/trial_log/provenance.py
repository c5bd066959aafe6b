"""Finds what produced the results: versions of Python and packages, and the source's commit."""

from __future__ import annotations

import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pdf_search

PACKAGES = ("pdf-search", "torch", "ray", "optuna", "numpy")


def versions() -> dict[str, str]:
    """The versions of Python and of ``PACKAGES``; "not installed" for one that is missing."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def commit() -> str:
    """The commit of a source checkout; "" for an installed package."""
    root = Path(pdf_search.__file__).parents[1]
    if not (root / ".git").exists():
        return ""
    command = ["git", "-C", str(root), "rev-parse", "HEAD"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.strip()
