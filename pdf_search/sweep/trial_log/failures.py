"""Explains failed trials, and ends a run whose first trials all fail for the same reason."""

from __future__ import annotations

import re

from pdf_search.records import State, first_line
from pdf_search.sweep.trial_log.progress import duration

FIRST = 3  # so many first trials that fail alike, before an epoch is done, end the run
NUMBER = re.compile(r"0x[0-9a-fA-F]+|[-+]?\d[\d_,.]*(e[-+]?\d+)?")
KILLED = re.compile(r"SIGKILL|OOM|out of memory|connection error code 2", re.IGNORECASE)
NODE = re.compile(r"node (has |was )?(died|dead|terminated)|unavailable", re.IGNORECASE)
LOW_MEMORY = "running low on memory"
LOST_NODE = "its node was lost"
MEMORY = (
    "give it fewer trials at once (--concurrent), a smaller batch or model, or hop support "
    "(basis.support: {hops: 2})"
)


class FirstFailures:
    """Watches whether the first trials of a run all fail for the same reason."""

    def __init__(self) -> None:
        self.reasons: dict[int, str] = {}
        self.other = False  # one of the first has trained

    def ended(self, number: int, state: State, message: str, trained: bool) -> str:
        """Take in how a trial ended; return the reason if ``FIRST`` trials failed alike, else "".

        Messages that differ only in numbers are alike. ``trained``: a trial has done an epoch.
        Of a trial that is tried again, the first end counts.
        """
        if len(self.reasons) >= FIRST or self.other or number in self.reasons:
            return ""
        self.other = trained or state is not State.FAILED
        self.reasons[number] = first_line(message)
        same = len({NUMBER.sub("#", reason) for reason in self.reasons.values()}) == 1
        alike = same and not self.other and len(self.reasons) == FIRST
        return next(iter(self.reasons.values())) if alike else ""


def is_lost_node(message: str) -> bool:
    """Whether a message is that of a trial whose node was lost."""
    return message.startswith(LOST_NODE)


def hung(seconds: float, text: str) -> str:
    """The message for a worker that ended itself because it trained no epoch for so long."""
    return (
        f"no epoch for {duration(seconds)} (--epoch-timeout), so it hung and was ended; its "
        f"worker's log in Ray's folder says where\n{text}"
    )


def died(text: str) -> str:
    """The message for a worker that is gone without an exception.

    Ray gives the same text for a kill and for a crash. It ends workers itself where the machine's
    memory is nearly full.
    """
    if LOW_MEMORY in text:
        return f"out of memory: this machine's is full; {MEMORY}\n{text}"
    if NODE.search(text):
        return f"{LOST_NODE}\n{text}"
    if KILLED.search(text):
        return f"its worker died, killed or crashed; if for want of memory, {MEMORY}\n{text}"
    return f"its worker died: {first_line(text)}\n{text}"
