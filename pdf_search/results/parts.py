"""Finds the recorded sweeps that belong to one study."""

from __future__ import annotations

from pdf_search.records import SweepRecord
from pdf_search.results.store import Store


def is_study_part(sweep: SweepRecord) -> bool:
    """Whether a sweep holds the rows of a study for one data set and protocol."""
    return isinstance(sweep.options.get("study"), dict)


def study_parts(store: Store, name: str) -> list[SweepRecord]:
    """Return the recorded sweeps of a study, in the order of its table; [] for an unknown name."""
    parts = filter(is_study_part, store.sweeps(name))
    found = [part for part in parts if part.options["study"]["name"] == name]
    return sorted(found, key=lambda part: part.options["study"]["parts"].index(part.name))
