"""The sentences under a study's tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pdf_search.records import Protocol
from reports.grid.cell import PUBLISHED, Cell
from reports.grid.grid import Line
from reports.grid.notes import PROTOCOLS, PUBLISHED_ROWS, marks_note
from reports.studies.study_data import Study
from reports.sweep_data import SweepData
from reports.versions import version_notes

LAST_EPOCH = (
    "Row 'last epoch': the same runs after their last epoch, so that no epoch is chosen on "
    "held-out values."
)
UPPER_BOUND = (
    "Row 'upper bound' is a warning, not a valid estimate: each fold's epoch is its best, "
    "chosen on the very values that it reports. It is never marked."
)
DIFFERENCE = (
    "Difference: our mean test value minus the published one; within: no larger than the published "
    "spread."
)
SPREAD = (
    "± of our rows is the population standard deviation (ddof 0) over n seeds or folds; one run "
    "has none."
)
COUNTED = "Parameters of our rows are counted, those of published rows are as printed there."
COMPARISON = (DIFFERENCE, SPREAD, COUNTED, PUBLISHED_ROWS)
ALONE = (SPREAD,)  # of a comparison with nothing published


def study_notes(study: Study, lines: Sequence[Line]) -> tuple[str, ...]:
    """What a reader must know to use the numbers: protocols, spread, marks, sources."""
    return tuple(_notes(study, lines))


def _notes(study: Study, lines: Sequence[Line]) -> Iterator[str]:
    protocols = list(dict.fromkeys(run.protocol for run in study.runs()))
    folds = any(protocol is not Protocol.SPLIT for protocol in protocols)
    yield from (PROTOCOLS[protocol] for protocol in protocols)
    if Protocol.GIN_CURVE in protocols:
        yield LAST_EPOCH
        yield UPPER_BOUND
    yield SPREAD
    yield from data_notes(study.parts)
    yield from version_notes(
        (f"{run.name} of {run.part.sweep.name}", run.entry.trial.config) for run in study.runs()
    )
    if quotes(lines):
        yield marks_note(folds, any(cell.mark for cell in _numbers(lines)))
        yield PUBLISHED_ROWS
        yield COUNTED


def quotes(lines: Sequence[Line]) -> bool:
    """Whether any line has a published number."""
    return any(cell.kind == PUBLISHED for cell in _numbers(lines))


def _numbers(lines: Sequence[Line]) -> list[Cell]:
    return [cell for line in lines for cell in line.cells if isinstance(cell, Cell)]


def data_notes(parts: Sequence[SweepData]) -> tuple[str, ...]:
    """Notes on the data of these parts, each sentence once."""
    notes = dict.fromkeys(f"{part.title}: {note}" for part in parts for note in part.data_notes)
    return tuple(f"Data: {note}" for note in notes)


def provenance(study: Study) -> tuple[str, ...]:
    """The commands that ran the parts, and the commits they ran at, each once."""
    commands = dict.fromkeys(p.sweep.command for p in study.parts if p.sweep.command)
    commits = dict.fromkeys(p.sweep.commit for p in study.parts if p.sweep.commit)
    facts = [f"Command: {command}" for command in commands]
    return (*facts, *(f"Commit: {commit}" for commit in commits))
