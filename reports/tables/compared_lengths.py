"""How many epochs the trials of several sweeps had: what is shorter is no worse for that alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from pdf_search.records import State
from reports.entry import Entry
from reports.findings.winners import winner
from reports.grid.grid import ABSENT
from reports.sweep_data import SweepData


def search_length(data: SweepData) -> str:
    """The epochs after which a trial of the search ends unless it is stopped: ``5 of 40``.

    The second number is that of its schedule, where it is cut short.
    """
    return _length(data.search) or str(data.sweep.epochs)


def winner_length(data: SweepData) -> str:
    """The epochs that the winner was to train, as ``search_length`` has them."""
    won = winner(data)
    return ABSENT if won is None else _length([won])


def stopped_early(data: SweepData) -> str:
    """How many trials early stopping ended, and after how many epochs."""
    ended = [e.summary.epochs for e in data.search if e.trial.state is State.PRUNED]
    return f"{len(ended)}, after {_span(ended)} epochs" if ended else "0"


def epochs_trained(entries: Iterable[Entry]) -> int:
    """The epochs of all replicates together: each is a network of its own."""
    return sum(entry.summary.epochs * len(entry.trial.replicates) for entry in entries)


def length_notes(sweeps: Sequence[tuple[str, SweepData]]) -> Iterator[str]:
    """Say where trials of one sweep, or its winner, had other epochs than those of another."""
    yield from _note(sweeps, "Trials of the searches", search_length)
    confirmed = [(name, data) for name, data in sweeps if winner(data) is not None]
    yield from _note(confirmed, "The winners", winner_length)


def _note(
    sweeps: Sequence[tuple[str, SweepData]], what: str, length: Callable[[SweepData], str]
) -> Iterator[str]:
    found = [(name, length(data)) for name, data in sweeps]
    if len({text for _, text in found}) > 1:
        listed = ", ".join(f"{text} in {name}" for name, text in found)
        yield f"{what} are of different lengths, in epochs: {listed}."


def _length(entries: Sequence[Entry]) -> str:
    if not entries:
        return ""
    planned = _span([entry.summary.epochs_planned for entry in entries])
    whole = [entry.cut[1] for entry in entries if entry.cut is not None]
    return f"{planned} of {_span(whole)}" if whole else planned


def _span(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}"
