"""The checks of ``pdf-search doctor``: they do what a trial does, and see whether it works."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pdf_search.cli.checkup.check import Check
from pdf_search.cli.checkup.folders import folder_checks
from pdf_search.cli.checkup.packages import package_checks
from pdf_search.cli.checkup.process import process_checks
from pdf_search.cli.checkup.worker import worker_checks

__all__ = ["Check", "checkup"]


def checkup(out: Path, data_root: Path | None, cache: Path | None) -> Iterator[Check]:
    """Run all checks, and give each as soon as it is done."""
    yield from package_checks()
    yield from process_checks()
    yield from folder_checks(out, data_root, cache)
    yield from worker_checks(cache)
