"""The live display on a terminal. Where there is none, the views print plain lines instead."""

from __future__ import annotations

import time
from contextlib import suppress
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.text import Text

from pdf_search.records import TrialRecord
from pdf_search.results import BestEpochs
from pdf_search.wording import without_control

MOST_SHOWN = 12  # running trials that have a line of their own
QUIET = 60.0  # seconds without a line after which a plain line shows that training goes on
NONE_RUNS = "Ray starts workers, or waits for CPUs or GPUs that others have"


class LiveView:
    """A bar for the whole, one for each running trial, and a line of status, in a ``with`` block.

    ``running`` maps the sweep and number of each running trial to its bar. The first bar shows
    ``done`` of ``total``.
    """

    def __init__(self, console: Console, title: str) -> None:
        self.console = console
        self.title = title
        self.running: dict[tuple[str, int], TaskID] = {}
        self.done = self.total = 0
        self.text = ""
        self.told = time.monotonic()  # when the last line was printed
        self.bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[count]}", justify="right"),
            TextColumn("{task.fields[value]}"),
            console=console,
        )
        self.task = self.bars.add_task(title, total=None, count="", value="")
        # rich draws it again four times a second, whatever happens in between.
        self.live = Live(get_renderable=self._drawn, console=console, transient=True)

    def __enter__(self) -> Self:
        self.told = time.monotonic()
        if self.console.is_terminal:
            self.refresh()
            self.live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.console.is_terminal:  # else an older rich leaves an empty line
            with suppress(OSError):
                self.live.stop()

    def started(self, trial: TrialRecord) -> None:
        """See ``View.started``."""
        self._gone(trial)
        shown = len(self.running) < MOST_SHOWN
        task = self.bars.add_task("", total=None, count="", value="", visible=shown)
        self.running[trial.sweep, trial.number] = task
        self.bars.update(task, description=f"  {self.named(trial)}")
        self.refresh()

    def paused(self, trial: TrialRecord, best: BestEpochs) -> None:  # noqa: ARG002
        """See ``View.paused``."""
        self._gone(trial)
        self.refresh()

    def lost(self, trial: TrialRecord) -> None:
        """See ``View.lost``."""
        self._gone(trial)
        self.refresh()

    def named(self, trial: TrialRecord) -> str:
        """The name of a trial beside its bar."""
        return f"trial {trial.number}"

    def counted(self) -> str:
        """How much is done, beside the first bar."""
        return f"{self.done}/{self.total}"

    def status(self) -> str:
        """The line below the bars."""
        return f"{len(self.running)} running"

    def refresh(self) -> None:
        """Take over the present numbers; nothing without a terminal."""
        if self.console.is_terminal:
            with suppress(OSError):  # the terminal is gone
                self.text = self.status()
                self.bars.update(
                    self.task, completed=self.done, total=self.total or None, count=self.counted()
                )

    def say(self, line: str) -> None:
        """Print a line that stays above the live display."""
        print_line(self.console, line)
        self.told = time.monotonic()

    def heard_nothing(self) -> None:
        """See ``View.heard_nothing``: a line a minute without a terminal, or where nothing runs."""
        if self.console.is_terminal and self.running:
            return
        if time.monotonic() - self.told > QUIET:
            why = "" if self.running else f": {NONE_RUNS}"
            self.say(f"{self.title} {self.counted()}, {self.status()}{why}")

    def tell_status(self) -> None:
        """Print how far it has come, as a line that stays."""
        self.say(f"{self.title} {self.counted()}, {self.status()}")

    def _advance(self, trial: TrialRecord, planned: int, value: str) -> None:
        """Move the bar of a running trial to its latest epoch."""
        task = self.running.get((trial.sweep, trial.number))
        if task is None:
            return
        done = trial.epochs_done
        count = f"epoch {done}/{planned}"
        self.bars.update(task, completed=done, total=planned, count=count, value=value)

    def _gone(self, trial: TrialRecord) -> None:
        """Remove the bar of a trial that does not run any more, and show one that was hidden."""
        task = self.running.pop((trial.sweep, trial.number), None)
        if task is None:
            return
        self.bars.remove_task(task)
        for shown in list(self.running.values())[:MOST_SHOWN]:
            self.bars.update(shown, visible=True)

    def _drawn(self) -> RenderableType:
        more = len(self.running) - MOST_SHOWN
        hidden = [Text(f"  and {more} more")] if more > 0 else []
        return Group(self.bars, *hidden, Text(self.text))


def print_line(console: Console, line: str) -> None:
    """Print a line without markup, highlighting or wrapping; a console that is gone is ignored."""
    with suppress(OSError):
        console.print(without_control(line), markup=False, highlight=False, soft_wrap=True)
