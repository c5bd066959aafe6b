"""Why trials fail: a first line that can be read, and a run that ends when the first fail alike."""

from __future__ import annotations

import re

from pdf_search.records import State, first_line

FIRST = 3  # trials that fail alike before an epoch is done end the run
NUMBER = re.compile(r"0x[0-9a-fA-F]+|[-+]?\d[\d_,.]*(e[-+]?\d+)?")
KILLED = re.compile(r"SIGKILL|OOM|out of memory|connection error code 2", re.IGNORECASE)
MEMORY = (
    "give it fewer trials at once (--concurrent), a smaller batch or model, or hop support "
    "(basis.support: {hops: 2})"
)


class FirstFailures:
    """Looks at the first trials of a run that ended, whether they all failed for one reason."""

    def __init__(self) -> None:
        self.reasons: list[str] = []
        self.other = False  # one of the first has trained

    def ended(self, state: State, message: str, trained: bool) -> str:
        """Take in an end; the reason if it was the last of ``FIRST`` that failed alike, else "".

        Numbers in the messages may differ. ``trained``: an epoch was done.
        """
        if len(self.reasons) >= FIRST or self.other:
            return ""
        self.other = trained or state is not State.FAILED
        self.reasons.append(first_line(message))
        same = len({NUMBER.sub("#", reason) for reason in self.reasons}) == 1
        return self.reasons[0] if same and not self.other and len(self.reasons) == FIRST else ""


def out_of_memory(text: str) -> str:
    """A worker that Ray ended because the machine's memory was nearly full."""
    return f"out of memory: this machine's is full; {MEMORY}\n{text}"


def died(text: str) -> str:
    """A worker that is gone without an exception: Ray says the same of a kill and of a crash."""
    if KILLED.search(text):
        return f"the worker was killed (out of memory?) or crashed; {MEMORY}\n{text}"
    return f"the worker died: {first_line(text)}\n{text}"
