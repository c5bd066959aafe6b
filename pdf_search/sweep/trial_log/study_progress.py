"""Shows the progress of a study: a live display on a terminal, elsewhere plain lines."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Self

from rich.console import Console

from pdf_search.records import METRICS, State, SweepRecord, TrialRecord
from pdf_search.results import BestEpochs, Stat, planned_epochs
from pdf_search.sweep.trial_log.live_view import LiveView
from pdf_search.sweep.trial_log.progress import duration


class StudyView(LiveView):
    """The progress view of a study; it counts epochs, since runs are few and long.

    Epochs of earlier processes are included. ``after`` is called when a run has ended and its line
    is printed.
    """

    def __init__(self, console: Console, after: Callable[[], None] | None = None) -> None:
        super().__init__(console, "study")
        self.sweeps: dict[str, tuple[SweepRecord, str]] = {}
        self.epochs: dict[tuple[str, int], tuple[int, int]] = {}  # done, planned
        self.finished = 0
        self.after = after
        self.begun = time.monotonic()
        self.before = 0  # epochs that earlier processes trained

    def __enter__(self) -> Self:
        self.begun = time.monotonic()
        self.before = self.done
        return super().__enter__()

    def part(self, sweep: SweepRecord, title: str) -> None:
        """Announce a part of the study, before any of its runs; ``title`` is its data set's."""
        self.sweeps[sweep.name] = sweep, title

    def seen(self, trial: TrialRecord, best: Callable[[], BestEpochs]) -> None:  # noqa: ARG002
        """See ``View.seen``."""
        self._note(trial)
        self.finished += trial.state.finished

    def epoch(self, trial: TrialRecord, best: BestEpochs) -> None:
        """See ``View.epoch``."""
        self._note(trial)
        planned = planned_epochs(self.sweeps[trial.sweep][0], trial)
        self._advance(trial, planned, self._value(trial, best).removeprefix(", "))
        self.refresh()

    def lost(self, trial: TrialRecord) -> None:
        """See ``View.lost``; it gets a line on a terminal too."""
        super().lost(trial)
        self._print(f"{self._named(trial)} {trial.reason}; it is tried again")

    def ended(self, trial: TrialRecord, best: BestEpochs) -> None:
        """See ``View.ended``; a run that is not COMPLETE gets a line on a terminal too."""
        self._gone(trial)
        self._note(trial, counts=trial.state is State.COMPLETE)
        self.finished += 1
        self.refresh()
        reason = f": {trial.reason}" if trial.message else ""
        told = self._value(trial, best) if trial.state is State.COMPLETE else reason
        if not self.console.is_terminal or trial.state is not State.COMPLETE:
            self._print(f"{self._named(trial)} {trial.state.value}{told}")
        if self.after is not None:
            self.after()

    def status(self) -> str:
        """The runs finished and running, and the time left once it is known."""
        parts = [f"{self.finished}/{len(self.epochs)} runs", super().status()]
        left = self.seconds_left()
        return ", ".join([*parts, f"about {duration(left)} left"] if left else parts)

    def named(self, trial: TrialRecord) -> str:
        """See ``LiveView.named``."""
        return self._named(trial).removesuffix(":")

    def counted(self) -> str:
        """See ``LiveView.counted``: the share of all epochs."""
        return f"{self.done / self.total:.0%}" if self.total else ""

    def seconds_left(self) -> float | None:
        """Estimate the seconds left as if all epochs took the same time; None before the first."""
        done = self.done - self.before
        if done <= 0:
            return None
        return (time.monotonic() - self.begun) / done * (self.total - self.done)

    def _note(self, trial: TrialRecord, counts: bool = True) -> None:
        was_done, was_planned = self.epochs.get((trial.sweep, trial.number), (0, 0))
        planned = planned_epochs(self.sweeps[trial.sweep][0], trial) if counts else 0
        done = trial.epochs_done if counts else 0
        self.epochs[trial.sweep, trial.number] = done, planned
        self.done += done - was_done
        self.total += planned - was_planned

    def _value(self, trial: TrialRecord, best: BestEpochs) -> str:
        metric = METRICS[self.sweeps[trial.sweep][0].metric]
        stat = Stat.of(best.values(best.split))
        if stat.mean is None:
            return ""
        scale = 100 if metric.percent else 1
        spread = "" if stat.std is None else f" ± {scale * stat.std:.2g}"
        return f", test {metric.label} {scale * stat.mean:.4g}{spread} (n = {stat.n})"

    def _named(self, trial: TrialRecord) -> str:
        sweep, title = self.sweeps[trial.sweep]
        return f"{title}, {sweep.protocol}, {trial.origin.partition(': ')[2]}:"

    def _print(self, line: str) -> None:
        if not self.console.is_terminal:
            line = f"{line}  [{self.status()}]"
        self.say(line)
