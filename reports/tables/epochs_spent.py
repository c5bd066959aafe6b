"""Epochs that a search trained, and those that it saved because trials ended early."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pdf_search.records import State
from pdf_search.wording import counted
from reports.entry import Entry
from reports.grid.cell import Cell
from reports.grid.grid import Grid, Line
from reports.grid.numbers import format_count
from reports.sweep_data import SweepData

ENDS = (State.COMPLETE, State.PRUNED, State.DIVERGED, State.FAILED)


@dataclass(frozen=True)
class EpochsSpent:
    """Epochs of the search trials of one state, or of all together (``state`` is None).

    ``trained`` were trained; ``full`` are those of the same trials, had each trained to its end.
    """

    state: State | None
    trials: int
    trained: int
    full: int

    @property
    def name(self) -> str:
        """The state, or ``all``."""
        return self.state.value if self.state else "all"

    @property
    def saved(self) -> int:
        """Epochs that were not trained."""
        return self.full - self.trained

    @property
    def share(self) -> float | None:
        """Share of the full epochs that were not trained; None for no epochs."""
        return self.saved / self.full if self.full else None


def epochs_spent(data: SweepData) -> list[EpochsSpent]:
    """Epochs by state, for the states that ended trials have, and of all of these; [] for none."""
    ended = [entry for entry in data.search if entry.trial.state in ENDS]
    rows = [_spent(state, (e for e in ended if e.trial.state is state)) for state in ENDS]
    return [*(row for row in rows if row.trials), _spent(None, ended)] if ended else []


def _spent(state: State | None, entries: Iterable[Entry]) -> EpochsSpent:
    members = list(entries)
    trained = sum(entry.summary.epochs for entry in members)
    return EpochsSpent(
        state, len(members), trained, sum(entry.summary.epochs_planned for entry in members)
    )


def epochs_text(data: SweepData) -> str:
    """The epochs in one sentence; empty before the first trial has ended."""
    rows = epochs_spent(data)
    if not rows:
        return ""
    whole, pruned = rows[-1], next((row for row in rows if row.state is State.PRUNED), None)
    saved = 0 if pruned is None else pruned.saved
    return (
        f"{format_count(whole.trained)} of the {counted(whole.full, 'epoch')} of "
        f"{counted(whole.trials, 'trial')} in full; early stopping saved "
        f"{format_count(saved)} ({saved / whole.full if whole.full else 0:.0%})"
    )


def epochs_grid(data: SweepData) -> Grid | None:
    """The epochs by state as a table; None before the first trial has ended."""
    rows = epochs_spent(data)
    if not rows:
        return None
    return Grid(
        key=f"{data.sweep.name}/epochs",
        title="Epochs of the search",
        corner="state",
        columns=("trials", "epochs trained", "epochs in full", "saved", "share saved"),
        lines=tuple(
            Line(row.name, tuple(_cells(data, row)), section="all" if row.state is None else "")
            for row in rows
        ),
        notes=tuple(_notes(data)),
        notices=tuple(data.notices()),
    )


def _cells(data: SweepData, row: EpochsSpent) -> Iterator[Cell]:
    for quantity, number in (
        ("trials", row.trials),
        ("epochs trained", row.trained),
        ("epochs in full", row.full),
        ("epochs saved", row.saved),
    ):
        yield Cell("ours", quantity, value=number, exact=format_count(number), dataset=data.title)
    share = "–" if row.share is None else f"{row.share:.0%}"
    yield Cell("ours", "share saved", value=row.share, exact=share, dataset=data.title)


def _notes(data: SweepData) -> Iterator[str]:
    yield (
        "Only PRUNED trials were ended to save epochs; DIVERGED and FAILED ones broke off. An "
        "epoch counts once, whatever its trial's size."
    )
    open_trials = sum(entry.trial.state not in ENDS for entry in data.search)
    if open_trials:
        yield f"{counted(open_trials, 'trial')} not ended yet and left out."
