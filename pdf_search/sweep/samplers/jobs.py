"""What is trained next: a queue of jobs for each phase."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from pdf_search.config import TrialConfig
from pdf_search.records import Phase


@dataclass(frozen=True)
class Job:
    """A trial to train. ``resume``: checkpoint folder or URI to continue from, "" to start.

    ``data``: which of the runner's data sets, where it has several.
    """

    phase: Phase
    number: int
    config: TrialConfig
    origin: str = "sampled"
    params: dict[str, Any] | None = None
    resume: str = ""
    data: str = ""


class Source(Protocol):
    def next(self) -> Job | None:
        """The next job; None when there are no more."""

    def remaining(self) -> int:
        """At most how many jobs are still to come."""


class ListSource:
    """Jobs that are known beforehand."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self.jobs = deque(jobs)

    def next(self) -> Job | None:
        return self.jobs.popleft() if self.jobs else None

    def remaining(self) -> int:
        return len(self.jobs)
