"""Folders that an older version of the program wrote; see ``old_run/README.md``."""

from __future__ import annotations

import shutil
from pathlib import Path

OLD_RUN = Path(__file__).parent / "old_run"


def copy_old_run(to: Path) -> Path:
    """A copy of its files in ``to``; the training file is ``molecules.csv`` there."""
    return Path(shutil.copytree(OLD_RUN, to, dirs_exist_ok=True))
