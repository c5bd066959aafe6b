"""Everything that a study's report needs, read once.

A study has parts; each is a data set under one protocol.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pdf_search.errors import StoreError
from pdf_search.records import Protocol, SweepRecord
from pdf_search.results import Store, is_study_part, nested_candidates
from pdf_search.wording import counted
from reports.entry import Entry
from reports.grid.cell import Cell
from reports.grid.trial_cells import published_cell
from reports.published_numbers import Published, printed_name, published
from reports.studies.nested import nested_entry
from reports.studies.state import reasons, state_of
from reports.sweep_data import SweepData, load_sweep

ORIGIN = "study: "


@dataclass(frozen=True)
class Run:
    """A row of a study in one part: its trial, and the published row that it repeats."""

    name: str
    part: SweepData
    entry: Entry
    published: Published | None
    note: str = ""

    @property
    def protocol(self) -> Protocol:
        """The protocol of the part; ``nested`` for a row computed from runs under ``inner``."""
        return self.entry.summary.protocol

    def reference(self, split: str = "test") -> Cell | None:
        """The published number of a split; None if there is none."""
        row = self.published
        if row is None or (split == "valid" and row.valid is None):
            return None
        return published_cell(self.part.title, row, split)


@dataclass(frozen=True)
class Study:
    """A study and its parts in order; ``missing`` names parts without a recorded sweep."""

    name: str
    title: str
    table: str
    parts: tuple[SweepData, ...]
    missing: tuple[str, ...] = ()

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the data sets in the order of the parts, each once; see ``SweepData.title``."""
        return tuple(dict.fromkeys(part.title for part in self.parts))

    def runs(self) -> Iterator[Run]:
        """Yield the rows of each part in the study's order, then its rows of protocol nested."""
        for part in self.parts:
            wanted = _references(part.sweep)
            runs = {}
            for name, entry in _rows(part):
                runs[name] = Run(name, part, entry, _published(part.sweep, wanted.get(name)))
                yield runs[name]
            for name, candidates in nested_candidates(part.sweep).items():
                known = [runs[candidate] for candidate in candidates if candidate in runs]
                if known:
                    entry, note = nested_entry(part, [(run.name, run.entry) for run in known])
                    yield Run(name, part, entry, known[0].published, note)

    @property
    def partial(self) -> str:
        """What the titles say of unfinished or shortened runs; empty for a whole study."""
        if not self.notices():
            return ""
        cuts = {run.entry.cut[0] for run in self.runs() if run.entry.cut}
        return f"partial: cut to {counted(cuts.pop(), 'epoch')}" if len(cuts) == 1 else "partial"

    def notices(self) -> tuple[str, ...]:
        """What is unfinished, cut short or trained on less, one sentence per reason."""
        runs = list(self.runs())
        states = Counter(state_of(run.entry) for run in runs)
        open_runs = len(runs) - states["complete"]
        found = [f"{states['complete']} of {len(runs)} rows are complete"] if open_runs else []
        counts = Counter(reason for run in runs for reason in reasons(run.entry))
        found += [f"{reason} ({counted(count, 'row')})" for reason, count in counts.items()]
        found += [f"part {name} has not begun" for name in self.missing]
        return tuple(found)


def title_of(part: SweepData) -> str:
    """The data set of a part as the paper prints it, or by its own name."""
    return printed_name(part.title)


def has_study(store: Store, name: str) -> bool:
    """Whether the database has a study of this name, or one with a part of this name."""
    return _facts(store, name) is not None


def _facts(store: Store, name: str) -> dict[str, Any] | None:
    """The facts of a study that its parts recorded; None if the database has no such study.

    ``name`` is that of the study or of one of its parts.
    """
    found = (part.options["study"] for part in store.sweeps(name) if is_study_part(part))
    return next((f for f in found if name == f["name"] or name in f["parts"]), None)


def load_study(store: Store, name: str) -> Study:
    """The study of this name, or the one that a part of this name belongs to.

    Raises:
        StoreError: the database has no study of this name.
    """
    about = _facts(store, name)
    if about is None:
        parts = filter(is_study_part, store.sweeps())
        known = ", ".join(dict.fromkeys(part.options["study"]["name"] for part in parts)) or "none"
        raise StoreError(f"no study named {name!r} in {store.place}; studies there: {known}")
    there = {sweep.name for sweep in store.sweeps(about["name"])}
    return Study(
        name=about["name"],
        title=about.get("title") or about["name"],
        table=about["table"],
        parts=tuple(load_sweep(store, part) for part in about["parts"] if part in there),
        missing=tuple(part for part in about["parts"] if part not in there),
    )


def _rows(part: SweepData) -> list[tuple[str, Entry]]:
    """Name and entry of each row; equal rows were trained once and share an entry."""
    own = {entry.trial.origin.removeprefix(ORIGIN): entry for entry in part.confirmations}
    same = part.sweep.options["study"].get("same", {})
    also = {row: own[first] for row, first in same.items() if first in own and row not in own}
    if not also:
        return list(own.items())
    order = [row["name"] for row in part.sweep.space_definition["rows"]]
    return sorted((own | also).items(), key=lambda item: order.index(item[0]))


def _references(sweep: SweepRecord) -> dict[str, dict[str, Any]]:
    """Map the name of each row of this data set to the published row that it refers to.

    Rows without one are left out.
    """
    rows = sweep.space_definition.get("rows", [])
    own = [row for row in rows if row.get("data", {}).get("name") == sweep.dataset]
    return {row["name"]: row["published"] for row in own or rows if row.get("published")}


def _published(sweep: SweepRecord, wanted: dict[str, Any] | None) -> Published | None:
    if wanted is None:
        return None
    rows = published(sweep.dataset, sweep.metric, wanted.get("table", "results"))
    return next((row for row in rows if row.method == wanted["method"]), None)
