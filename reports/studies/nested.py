"""Rows of protocol nested: each held-out fold with the candidate that its inner part chose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from pdf_search.records import Protocol, State
from pdf_search.results import select_nested
from reports.entry import Entry
from reports.sweep_data import SweepData

OTHER_FOLDS = "candidates on different seeds or folds"


def nested_entry(part: SweepData, candidates: Sequence[tuple[str, Entry]]) -> tuple[Entry, str]:
    """Combine candidates that were run under ``inner`` into one row of protocol nested.

    Returns the row and a note on how often each candidate was chosen. The row has no epochs of its
    own, and no values if the candidates have different seeds or folds. Its parameter count is known
    if all candidates have the same.
    """
    entries = [entry for _, entry in candidates]
    first = entries[0]
    if len({entry.trial.replicates for entry in entries}) > 1:
        none = (None,) * len(first.summary.test)
        return _entry(entries, none, none, (OTHER_FOLDS,)), ""
    found = select_nested(part.sweep, [(entry.trial, entry.summary) for entry in entries])
    names = [name for name, _ in candidates]
    counts = Counter(names[choice] for choice in found.chosen if choice is not None)
    chosen = ", ".join(f"{name} {count}x" for name, count in counts.items())
    entry = _entry(entries, found.valid, found.test, found.reasons)
    return entry, f"chosen: {chosen}" if chosen else ""


def _entry(
    entries: Sequence[Entry],
    valid: tuple[float | None, ...],
    test: tuple[float | None, ...],
    reasons: tuple[str, ...],
) -> Entry:
    first = entries[0]
    counts = {entry.trial.parameters for entry in entries}
    summary = replace(
        first.summary,
        protocol=Protocol.NESTED,
        best_epochs=(None,) * len(test),
        valid=valid,
        test=test,
        partial=bool(reasons),
        reasons=reasons,
    )
    trial = replace(
        first.trial,
        state=_state(entries),
        parameters=counts.pop() if len(counts) == 1 else None,
        peak_mb=None,
    )
    return Entry(trial, (), summary)


def _state(entries: Sequence[Entry]) -> State:
    """The state that all candidates share; RUNNING if they differ."""
    states = {entry.trial.state for entry in entries}
    return states.pop() if len(states) == 1 else State.RUNNING
