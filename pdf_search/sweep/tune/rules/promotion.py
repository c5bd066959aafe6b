"""Trials that wait at a rung go on before new ones start."""

from __future__ import annotations

from math import nan

from pdf_search.records import State
from pdf_search.sweep.samplers.jobs import Job
from pdf_search.sweep.samplers.suggestions import Suggestions
from pdf_search.sweep.trial_log.recovery import job_from
from pdf_search.sweep.trial_log.saved import SavedTrials
from pdf_search.sweep.trial_log.trial_log import TrialLog
from pdf_search.sweep.tune.rules.brackets import Brackets
from pdf_search.wording import counted


class PromotingSource:
    """The jobs of a search with early stopping: unfinished trials, those that go on, new ones.

    When there are no new ones, the best that wait at each rung go on. ``saved`` are
    the checkpoints on disk, as for ``job_from``.
    """

    def __init__(
        self,
        new: Suggestions,
        brackets: Brackets,
        trial_log: TrialLog,
        device: str,
        saved: SavedTrials,
    ) -> None:
        self.new = new
        self.brackets = brackets
        self.trial_log = trial_log
        self.device = device
        self.saved = saved

    def remaining(self) -> int:
        """See ``Source.remaining``."""
        return self.new.remaining() + sum(map(self._waits, self.trial_log.records))

    def waits(self) -> bool:
        """See ``Source.waits``: any running trial may let one that waits go on."""
        return bool(self.trial_log.going)

    def next(self) -> Job | None:
        """See ``Source.next``.

        Trials that can go on no more are recorded as PRUNED first.
        """
        for number, rank, most in self.brackets.left_behind(self.new.end):
            if self._waits(number):
                self._prune(number, rank, most)
        if self.new.unfinished:
            return self.new.next()
        return self._promoted(ended=False) or self.new.next() or self._promoted(ended=True)

    def finish(self) -> None:
        """Record those that still wait as PRUNED, since the search is at its end."""
        for number in [n for n in self.trial_log.records if self._waits(n)]:
            rungs = self.brackets.of(number)
            went_on = len(rungs.went_on[rungs.last[number]])
            self._prune(number, rungs.rank(number), went_on)

    def _promoted(self, ended: bool) -> Job | None:
        number = self.brackets.promotable(self._waits, ended)
        if number is None:
            return None
        self.brackets.of(number).promote(number)
        return job_from(self.trial_log, number, self.device, self.saved)

    def _prune(self, number: int, rank: int, most: int) -> None:
        epochs = counted(self.trial_log.records[number].epochs_done, "epoch")
        reason = f"number {rank} after {epochs}, of which the best {most} go on"
        self.trial_log.ended(number, State.PRUNED, reason)
        self.brackets.of(number).decided(number)

    def _waits(self, number: int) -> bool:
        record = self.trial_log.records.get(number)
        return record is not None and record.state is State.PAUSED


def rebuild(brackets: Brackets, trial_log: TrialLog) -> None:
    """Enter the recorded epochs of the sweep's own trials, and which of them went on.

    A trial that was at a rung with its checkpoint when the run ended goes on if it is among the
    best there, as if it came now; else it waits.
    """
    for number in trial_log.own:
        for report in trial_log.curve(number):
            if number in brackets.of(number).last:
                brackets.of(number).promote(number)
            brackets.see(number, report.epoch, report.valid)
    for number, record in trial_log.own.items():
        rungs = brackets.of(number)
        if record.state.finished:
            rungs.decided(number)
        was_running = not record.state.finished and record.state is not State.PAUSED
        if was_running and record.checkpoint and rungs.last.get(number) == record.epochs_done:
            value = trial_log.curve(number)[-1].valid
            if not brackets.goes_on(number, record.epochs_done, nan if value is None else value):
                trial_log.paused(number)
