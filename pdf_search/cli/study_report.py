"""Writes the tables of a study while its runs end."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pdf_search.cli.output import say

if TYPE_CHECKING:
    from pdf_search.results import Store
    from pdf_search.sweep import SweepFolder

PAUSE = 9  # the pause after writing, as a multiple of the time that it took


class StudyReport:
    """Writes a study's tables when a run ends; a failure is told once and never ends the study.

    All runs are read each time. So that writing takes at most a tenth of the time, a call within
    the pause after the last writing does nothing.
    """

    def __init__(self, folder: SweepFolder) -> None:
        self.folder = folder
        self.told = ""
        self.due = 0.0  # on the clock of time.monotonic

    def __call__(self, store: Store) -> None:
        """Write the tables from the database, unless the pause is not over."""
        begun = time.monotonic()
        if begun < self.due:
            return
        try:
            from reports import write_study

            write_study(store, self.folder.name, self.folder.report)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            if reason != self.told:
                say(f"warning: the table could not be written ({reason}). The results are safe")
            self.told = reason
        now = time.monotonic()
        self.due = now + PAUSE * (now - begun)
