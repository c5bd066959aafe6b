"""Explains failed trials, and ends a run whose first trials all fail for the same reason."""

from __future__ import annotations

import re

from pdf_search.records import State, first_line

FIRST = 3  # so many first trials that fail alike, before an epoch is done, end the run
NUMBER = re.compile(r"0x[0-9a-fA-F]+|[-+]?\d[\d_,.]*(e[-+]?\d+)?")
KILLED = re.compile(r"SIGKILL|OOM|out of memory|connection error code 2", re.IGNORECASE)
MEMORY = (
    "give it fewer trials at once (--concurrent), a smaller batch or model, or hop support "
    "(basis.support: {hops: 2})"
)


class FirstFailures:
    """Watches whether the first trials of a run all fail for the same reason."""

    def __init__(self) -> None:
        self.reasons: list[str] = []
        self.other = False  # one of the first has trained

    def ended(self, state: State, message: str, trained: bool) -> str:
        """Take in how a trial ended; return the reason if ``FIRST`` trials failed alike, else "".

        Messages that differ only in numbers are alike. ``trained``: the trial has done an epoch.
        """
        if len(self.reasons) >= FIRST or self.other:
            return ""
        self.other = trained or state is not State.FAILED
        self.reasons.append(first_line(message))
        same = len({NUMBER.sub("#", reason) for reason in self.reasons}) == 1
        return self.reasons[0] if same and not self.other and len(self.reasons) == FIRST else ""


def out_of_memory(text: str) -> str:
    """The message for a worker that Ray ended because the machine's memory was nearly full."""
    return f"out of memory: this machine's is full; {MEMORY}\n{text}"


def died(text: str) -> str:
    """The message for a worker that is gone without an exception.

    Ray gives the same text for a kill and for a crash.
    """
    if KILLED.search(text):
        return f"the worker was killed (out of memory?) or crashed; {MEMORY}\n{text}"
    return f"the worker died: {first_line(text)}\n{text}"
