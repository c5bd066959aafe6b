"""What a search is ranked by, in words, for who reads the best epochs in a table beside it."""

from __future__ import annotations

from pdf_search.results import smoothed_words
from reports.sweep_data import SweepData


def ranked_by(data: SweepData) -> str:
    """The value that ranks the trials of a search, by how many epochs the longest is to have."""
    planned = (entry.summary.epochs_planned for entry in data.search)
    return smoothed_words(max(planned, default=data.sweep.epochs))


def ranked_otherwise(data: SweepData) -> bool:
    """Whether the best epochs, which tables show, would rank the trials in another order."""
    shown = [entry.summary.mean for entry in data.search if entry.rank is not None]
    known = [value for value in shown if value is not None]
    return known != sorted(known, reverse=data.metric.mode == "max")
