"""Jobs, the trials that are handed to Ray, and the interface of what gives them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from pdf_search.config import TrialConfig
from pdf_search.records import RERUN_OF, Phase


@dataclass(frozen=True)
class Job:
    """A trial to train.

    ``number`` is that of the trial within its phase. ``params`` is the point of the space.
    ``resume`` is the checkpoint folder or URI to continue from, "" to start afresh. ``data`` names
    one of the runner's data sets, "" if it has one.
    """

    phase: Phase
    number: int
    config: TrialConfig
    origin: str = "sampled"
    params: dict[str, Any] | None = None
    resume: str = ""
    data: str = ""

    @property
    def is_rerun(self) -> bool:
        """See ``TrialRecord.is_rerun``."""
        return self.origin.startswith(RERUN_OF)


class Source(Protocol):
    """Gives a phase its jobs one after the other."""

    def next(self) -> Job | None:
        """The next job; None when there are no more, or none yet."""

    def waits(self) -> bool:
        """Whether jobs may still come after None, when a running trial has got further."""

    def remaining(self) -> int:
        """At most how many jobs are still to come."""


class ListSource:
    """A source of jobs that are known beforehand."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self.jobs = deque(jobs)

    def next(self) -> Job | None:
        """See ``Source.next``."""
        return self.jobs.popleft() if self.jobs else None

    def waits(self) -> bool:
        """See ``Source.waits``; never here."""
        return False

    def remaining(self) -> int:
        """See ``Source.remaining``; exact here."""
        return len(self.jobs)
