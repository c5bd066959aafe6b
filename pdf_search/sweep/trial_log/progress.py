"""Shows the progress of a phase: a live display on a terminal, elsewhere a plain line a trial."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import chain

from rich.console import Console

from pdf_search.records import METRICS, RERUN_OF, Phase, State, SweepRecord, TrialRecord
from pdf_search.results import BestEpochs, Stat, Values, planned_epochs
from pdf_search.sweep.trial_log.live_view import LiveView

VERBS = {Phase.SEARCH: "search", Phase.CONFIRM: "confirming"}
LEAST_ENDS = 3  # trials that must have ended before the time left is estimated


class ProgressView(LiveView):
    """The progress view of a phase; it counts trials, those of earlier runs included.

    ``concurrent`` trials run at once. The first so many are slower, since they compile kernels and
    fill caches.
    """

    def __init__(
        self, console: Console, phase: Phase, sweep: SweepRecord, concurrent: int = 1
    ) -> None:
        super().__init__(console, phase.value)
        self.phase = phase
        self.sweep = sweep
        self.metric = METRICS[sweep.metric]
        self.concurrent = concurrent
        self.ends: list[float] = []  # of this run, on the clock of time.monotonic
        # Of running and COMPLETE trials, by the name that is shown: the values of a trial's rows,
        # their mean, what trials are ranked by, and the name of the best trial.
        self.valid: dict[str, dict[int, Values]] = {}
        self.means: dict[str, float] = {}
        self.worth: dict[str, float] = {}
        self.best = ""
        self.reruns: dict[str, str] = {}  # origin of a rerun: the same with the run's name

    def seen(self, trial: TrialRecord, best: Callable[[], BestEpochs]) -> None:
        """See ``View.seen``; the baseline and reruns are not counted."""
        if trial.is_baseline or trial.is_rerun:
            return
        self.reruns[f"{RERUN_OF}{trial.number}"] = f"{RERUN_OF}{trial.run_called}"
        self.done += trial.state.finished
        if trial.state is State.COMPLETE or not trial.state.finished:
            self._note(trial, best())

    def expect(self, count: int) -> None:
        """Set how many trials are still to come, without reruns."""
        self.total = self.done + count
        self.refresh()

    def epoch(self, trial: TrialRecord, best: BestEpochs) -> None:
        """See ``View.epoch``."""
        self._note(trial, best)
        value = Stat.of(best.values("valid")).mean
        shown = "" if value is None else f"best {self._shown(value)}"
        self._advance(trial, planned_epochs(self.sweep, trial), shown)
        self.refresh()

    def lost(self, trial: TrialRecord) -> None:
        """See ``View.lost``; it gets a line on a terminal too."""
        super().lost(trial)
        self.say(f"{VERBS[self.phase]} {trial.called}: {trial.reason}; it is tried again")

    def ended(self, trial: TrialRecord, best: BestEpochs) -> None:  # noqa: ARG002
        """See ``View.ended``; a FAILED trial gets a line on a terminal too."""
        self._gone(trial)
        if trial.state is not State.COMPLETE:
            self._note(trial, None)
        if not trial.is_rerun:
            self.done += 1
            self.ends.append(time.monotonic())
        self.refresh()
        reason = f": {trial.reason}" if trial.message else ""
        where = "" if trial.state is State.COMPLETE else f" at epoch {trial.epochs_done}{reason}"
        again = f" ({self.reruns.get(trial.origin, trial.origin)})" if trial.is_rerun else ""
        line = f"{VERBS[self.phase]} {trial.called}{again} {trial.state.value}{where}"
        if not self.console.is_terminal:
            line = f"{line}  [{self.done}/{self.total} done, {self.status()}]"
        if not self.console.is_terminal or trial.state is State.FAILED:
            self.say(line)

    def status(self) -> str:
        """The running trials, the best validation value, and the time left once it is known."""
        parts = [super().status()]
        if self.best:
            value = f"validation {self.metric.label} {self._shown(self.means[self.best])}"
            # A confirmation keeps the order of the search, whatever its values are.
            leads = "leads with" if self.phase is Phase.SEARCH else "has the best"
            parts.append(f"{self.best} {leads} {value}")
        left = self.seconds_left()
        if left is not None:
            parts.append(f"about {duration(left)} left")
        return ", ".join(parts)

    def named(self, trial: TrialRecord) -> str:
        """See ``LiveView.named``."""
        return trial.called

    def _shown(self, value: float) -> str:
        return f"{100 * value:.2f}" if self.metric.percent else f"{value:.4g}"

    def seconds_left(self) -> float | None:
        """Estimate the seconds left; None until enough trials have ended.

        The pace is that after the first ``concurrent`` trials, which compile.
        """
        first = self.concurrent
        if len(self.ends) < max(LEAST_ENDS, 2 * first) or self.done >= self.total:
            return None
        each = (time.monotonic() - self.ends[first - 1]) / (len(self.ends) - first)
        return each * (self.total - self.done)

    def _note(self, trial: TrialRecord, best: BestEpochs | None) -> None:
        """Update a trial's mean over its replicates, each at its best epoch as in the tables.

        A search ranks by smoothed values, as the leaderboard does. A rerun is never the best.
        """
        if trial.is_rerun:
            return
        name = trial.called
        rows = self.valid.setdefault(name, {})
        rows[trial.number] = () if best is None else best.values("valid")
        mean = Stat.of(chain.from_iterable(rows.values())).mean
        worth = best.smoothed if best is not None and self.phase is Phase.SEARCH else mean
        was = self.worth.pop(name, None)
        if mean is not None and worth is not None:
            self.means[name], self.worth[name] = mean, worth
        self._rank(name, was, self.worth.get(name))

    def _rank(self, name: str, was: float | None, worth: float | None) -> None:
        """Update the best trial; all are compared only if the best itself became worse."""
        if name == self.best:
            if worth is None or (was is not None and self.metric.better(was, worth)):
                sign = 1 if self.metric.mode == "min" else -1
                self.best = min(self.worth, key=lambda n: sign * self.worth[n], default="")
        elif worth is not None and self.metric.better(worth, self.worth.get(self.best)):
            self.best = name


def duration(seconds: float) -> str:
    """A number of seconds in words, such as ``1 h 5 min`` or ``2 min 3 s``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
