"""Shared fixtures: where the real data and the golden vectors lie."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# Before torch starts: threads that spin while they wait starve tests that run beside them.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

SHARED = Path(__file__).parents[2] / "shared"


def shared_folder(name: str) -> Path:
    """A folder of real files beside the checkout; tests that need it are skipped without it."""
    folder = Path(os.environ.get("PDF_SEARCH_TEST_DATA", SHARED)) / name
    if not folder.is_dir():
        pytest.skip(f"needs the real files in {folder}")
    return folder


@pytest.fixture(scope="session")
def data_root() -> Path:
    return shared_folder("data")


@pytest.fixture(scope="session")
def golden_root() -> Path:
    return Path(__file__).parent / "golden"
