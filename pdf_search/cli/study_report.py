"""The tables of a study, written as its runs end."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pdf_search.cli.output import say

if TYPE_CHECKING:
    from pdf_search.results import Store
    from pdf_search.sweep import SweepFolder

PAUSE = 9  # times what writing the tables took


class StudyReport:
    """Writes a study's tables as runs end. A failure is told once and never ends the study.

    All runs are read each time, so that a long study writes less often: its tables take at most a
    tenth of its time.
    """

    def __init__(self, folder: SweepFolder) -> None:
        self.folder = folder
        self.told = ""
        self.due = 0.0  # on the clock of time.monotonic

    def __call__(self, store: Store) -> None:
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
