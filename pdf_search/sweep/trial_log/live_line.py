"""The progress line on a terminal. Where there is none, the views print plain lines instead."""

from __future__ import annotations

from contextlib import suppress
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn

from pdf_search.records import TrialRecord
from pdf_search.results import BestEpochs


class LiveLine:
    """A line with a title, a bar, the column ``count`` and a status, shown in a ``with`` block.

    ``running`` are the sweep and number of each running trial. The bar shows ``done`` of ``total``.
    """

    def __init__(self, console: Console, title: str, count: ProgressColumn) -> None:
        self.console = console
        self.running: set[tuple[str, int]] = set()
        self.done = self.total = 0
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            count,
            TextColumn("{task.fields[status]}"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self.task = self.bar.add_task(title, total=None, status="")

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self.bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.console.is_terminal:  # else an older rich leaves an empty line
            with suppress(OSError):
                self.bar.stop()

    def started(self, trial: TrialRecord) -> None:
        """See ``View.started``."""
        self.running.add((trial.sweep, trial.number))
        self.refresh()

    def paused(self, trial: TrialRecord, best: BestEpochs) -> None:  # noqa: ARG002
        """See ``View.paused``."""
        self.running.discard((trial.sweep, trial.number))
        self.refresh()

    def lost(self, trial: TrialRecord) -> None:
        """See ``View.lost``."""
        self.running.discard((trial.sweep, trial.number))
        self.refresh()

    def status(self) -> str:
        """The text after the bar."""
        return f"{len(self.running)} running"

    def refresh(self) -> None:
        """Redraw the line with the present numbers; nothing without a terminal."""
        if self.console.is_terminal:
            with suppress(OSError):  # the terminal is gone
                total, status = self.total, self.status()
                self.bar.update(self.task, completed=self.done, total=total, status=status)

    def say(self, line: str) -> None:
        """Print a line that stays above the live one."""
        print_line(self.console, line)


def print_line(console: Console, line: str) -> None:
    """Print a line without markup, highlighting or wrapping; a console that is gone is ignored."""
    with suppress(OSError):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
