"""Which recorded sweeps are the parts of one study."""

from __future__ import annotations

from pdf_search.records import SweepRecord
from pdf_search.results.store import Store


def is_study_part(sweep: SweepRecord) -> bool:
    return isinstance(sweep.options.get("study"), dict)


def study_parts(store: Store, name: str) -> list[SweepRecord]:
    """The recorded parts of a study, in the order of its table; none for an unknown name."""
    parts = filter(is_study_part, store.sweeps(name))
    found = [part for part in parts if part.options["study"]["name"] == name]
    return sorted(found, key=lambda part: part.options["study"]["parts"].index(part.name))
