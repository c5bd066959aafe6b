"""What a sweep or study is recorded with, and what a resume must find unchanged."""

from __future__ import annotations

import subprocess
from pathlib import Path

from pdf_search.errors import DataError
from pdf_search.records import SweepRecord

RAW_FILES = "the raw files (--data-root)"


def refuse_changed_data(
    record: SweepRecord, fingerprint: str, split: str, source: str = RAW_FILES
) -> None:
    """``source``: where the data came from, in words of the command line.

    Raises:
        DataError: the data, or its split, is not what the record was begun with.
    """
    for what, was, is_now in (
        ("data", record.fingerprint, fingerprint),
        ("split", record.split_hash, split),
    ):
        if was != is_now:
            raise DataError(
                f"sweep {record.name}: the {what} of {record.dataset} is not what the sweep began "
                f"with ({was[:12]}, now {is_now[:12]}). "
                f"Restore {source}, or start a new sweep"
            )


def commit() -> str:
    """The commit of a source checkout; "" for an installed package."""
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():
        return ""
    command = ["git", "-C", str(root), "rev-parse", "HEAD"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.strip()
