"""Whether the first of the confirmed trials is the one that leads the search, and if not, who is.

A search that went on after its confirmation may have a better trial, which has no test value.
"""

from __future__ import annotations

from pdf_search.wording import sentence_case
from reports.entry import Entry
from reports.sweep_data import SweepData


def leader_left_out(data: SweepData) -> Entry | None:
    """The best trial of the search, where others have test values and it has none; else None."""
    best = next((e for e in data.search if e.rank == 1 and e.summary.n), None)
    tested = {entry.searched_as for entry in data.confirmed}
    return best if best and tested and best.trial.number not in tested else None


def place_of_first(data: SweepData) -> str:
    """By what the first confirmed trial is the first."""
    return "first of the confirmed" if leader_left_out(data) else "first by the search"


def leader_sentence(data: SweepData) -> str:
    """That the best trial of the search has no test value, and what gives it one; "" if it has."""
    best = leader_left_out(data)
    if best is None:
        return ""
    leads = f"{sentence_case(best.called)}, which leads the search,"
    if any(entry.searched_as == best.trial.number for entry in data.confirm):
        return f"{leads} has no test value: its confirmation is not whole."
    return f"{leads} is not confirmed: `{data.how_to_confirm}` confirms it."
