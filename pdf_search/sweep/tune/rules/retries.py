"""Trials whose workers were lost are tried again, from their checkpoints."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import replace

from pdf_search.sweep.samplers.jobs import Job, Source
from pdf_search.sweep.trial_log.recovery import job_from
from pdf_search.sweep.trial_log.saved import SavedTrials
from pdf_search.sweep.trial_log.trial_log import TrialLog

RETRIES = 2  # of a trial that has no new checkpoint since its worker was lost before


class RetryingSource:
    """The jobs of another source, and again those whose workers were lost.

    The first retry comes at once. The last comes when nothing else is left to train, because the
    trials beside it may have taken its memory. ``saved`` looks at the checkpoints on disk.
    """

    def __init__(
        self, source: Source, trial_log: TrialLog, saved: Callable[[], SavedTrials]
    ) -> None:
        self.source = source
        self.trial_log = trial_log
        self.saved = saved
        self.given: dict[int, Job] = {}
        self.at_once: deque[int] = deque()
        self.alone: deque[int] = deque()
        self._times: Counter[int] = Counter()  # lost without a new checkpoint
        self._checkpoints: dict[int, str] = {}  # the last ones when the workers were lost

    def lost(self, number: int, reason: str) -> bool:
        """Record that the worker of a trial is gone, if it is to be tried again; whether it is."""
        checkpoint = self.trial_log.records[number].checkpoint
        if checkpoint != self._checkpoints.get(number, checkpoint):
            self._times[number] = 0
        self._checkpoints[number] = checkpoint
        self._times[number] += 1
        if self._times[number] > RETRIES:
            return False
        self.trial_log.lost(number, reason)
        (self.alone if self._times[number] == RETRIES else self.at_once).append(number)
        return True

    def next(self) -> Job | None:
        """See ``Source.next``."""
        if self.at_once:
            return self._again(self.at_once.popleft())
        job = self.source.next()
        if job is not None:
            self.given[job.number] = job
            if job.number in self.alone:  # a population does not wait for its member
                self.alone.remove(job.number)
        elif self.alone and not self.trial_log.going:
            return self._again(self.alone.popleft())
        return job

    def waits(self) -> bool:
        """See ``Source.waits``: the worker of any trial that runs may be lost."""
        return self.source.waits() or bool(self.trial_log.going)

    def remaining(self) -> int:
        """See ``Source.remaining``."""
        return self.source.remaining() + len(self.at_once) + len(self.alone)

    def _again(self, number: int) -> Job:
        given = self.given[number]
        job = job_from(self.trial_log, number, given.config.device, self.saved())
        return replace(job, data=given.data)
