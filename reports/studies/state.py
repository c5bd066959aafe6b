"""How far a run is, and how it differs from a whole run of its setting."""

from __future__ import annotations

from pdf_search.records import State
from reports.entry import Entry
from reports.grid.cell import COMPLETE, NOT_STARTED, PARTIAL
from reports.grid.trial_cells import shortened


def reasons(entry: Entry) -> list[str]:
    """List why a run's numbers are partial; empty for a whole run."""
    if entry.trial.state is State.NOT_STARTED:
        return [NOT_STARTED]
    return [*entry.summary.reasons, *shortened(entry)]


def state_of(entry: Entry) -> str:
    """State of a run in tables: ``complete``, ``partial`` or ``not started``."""
    if entry.trial.state is State.NOT_STARTED:
        return NOT_STARTED
    return PARTIAL if reasons(entry) else COMPLETE
