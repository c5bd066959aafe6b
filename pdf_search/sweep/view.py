"""Progress on the terminal: a live line there, a plain line for each trial elsewhere."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from pdf_search.records import EpochReport, Metric, Phase, State, TrialRecord


class ProgressView:
    """Counts the trials of a phase: ``done`` of ``total``, those of earlier runs included."""

    def __init__(self, console: Console, phase: Phase, metric: Metric) -> None:
        self.console = console
        self.phase = phase
        self.metric = metric
        self.total = 0
        self.done = 0
        self.done_here = 0
        self.running: set[int] = set()
        self.best: tuple[float, int] | None = None
        self.clock = time.monotonic()
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[status]}"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self.task = self.bar.add_task(phase.value, total=None, status="")

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.bar.stop()

    def seen(self, trial: TrialRecord, epochs: list[EpochReport]) -> None:
        """A trial of an earlier run."""
        if trial.state.finished and trial.origin != "baseline":
            self.done += 1
        for report in epochs:
            self._compare(trial.number, report.valid)

    def expect(self, count: int) -> None:
        """So many trials are still to come."""
        self.total = self.done + count
        self._refresh()

    def started(self, trial: TrialRecord) -> None:
        self.running.add(trial.number)
        self._refresh()

    def epoch(self, trial: TrialRecord, report: EpochReport) -> None:
        self._compare(trial.number, report.valid)
        self._refresh()

    def ended(self, trial: TrialRecord, epochs: list[EpochReport]) -> None:  # noqa: ARG002
        self.running.discard(trial.number)
        self.done += 1
        self.done_here += 1
        self._refresh()
        reason = f": {trial.message.splitlines()[0]}" if trial.message else ""
        where = "" if trial.state is State.COMPLETE else f" at epoch {trial.epochs_done}{reason}"
        line = f"{self.phase.value} trial {trial.number} {trial.state.value}{where}"
        if not self.console.is_terminal:
            line = f"{line}  [{self.done}/{self.total} done, {self.status()}]"
        if not self.console.is_terminal or trial.state is State.FAILED:
            self.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def status(self) -> str:
        parts = [f"{len(self.running)} running"]
        if self.best is not None:
            value, number = self.best
            shown = f"{100 * value:.2f}" if self.metric.percent else f"{value:.4g}"
            parts.append(f"best validation {self.metric.label} {shown} (trial {number})")
        if self.done_here and self.done < self.total:
            each = (time.monotonic() - self.clock) / self.done_here
            parts.append(f"about {duration(each * (self.total - self.done))} left")
        return ", ".join(parts)

    def _compare(self, number: int, value: float | None) -> None:
        if value is not None and self.metric.better(value, self.best and self.best[0]):
            self.best = (value, number)

    def _refresh(self) -> None:
        self.bar.update(self.task, completed=self.done, total=self.total, status=self.status())


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
