"""Cells of our runs and of published rows."""

from __future__ import annotations

from collections.abc import Iterable

from pdf_search.records import METRICS, Metric, Protocol
from pdf_search.results import Stat
from reports.cell import NOT_STARTED, PUBLISHED, Cell
from reports.numbers import format_count, scaled, unit_of
from reports.published import Published
from reports.studies.data import Run
from reports.studies.state import epochs_text, reasons, seeds_text, state_of
from reports.sweep_data import Entry

NO_COUNT = "NA"  # the paper's word for a parameter count that is not known


def score_cell(run: Run) -> Cell:
    """The run's test number under its protocol."""
    epoch, note = run.entry.summary.best_epoch, run.note
    if run.protocol is Protocol.GIN_CURVE and epoch:
        note = f"epoch {epoch} for all folds"
    return _cell(run, run.entry.summary.test, "test", note=note)


def valid_cell(run: Run) -> Cell:
    return _cell(run, run.entry.summary.valid, "valid")


def last_epoch_cell(run: Run) -> Cell:
    """The held-out folds after the last epoch: no epoch is chosen."""
    note = f"epoch {run.entry.summary.epochs}" if run.entry.epochs else ""
    return _cell(run, run.entry.summary.last_test, "test", "aside", ", last epoch", note)


def upper_bound_cell(run: Run) -> Cell:
    """Each held-out fold at its own best epoch: chosen on the very numbers that it reports."""
    metric = METRICS[run.part.sweep.metric]
    values = [
        _best(metric, (report.replicates[i].test for report in run.entry.epochs))
        for i in range(len(run.entry.summary.test))
    ]
    return _cell(run, values, "test", "warning", ", best epoch of each fold")


def _best(metric: Metric, values: Iterable[float | None]) -> float | None:
    record: float | None = None
    for value in values:
        if value is not None and metric.better(value, record):
            record = value
    return record


def _cell(
    run: Run,
    values: Iterable[float | None],
    split: str,
    kind: str = "ours",
    rule: str = "",
    note: str = "",
) -> Cell:
    part, entry = run.part, run.entry
    stat = Stat.of(values)
    return Cell(
        kind=kind,
        quantity=f"{split} {part.sweep.metric}",
        dataset=part.title,
        split=split,
        value=scaled(stat.mean, part.metric),
        spread=scaled(stat.std, part.metric),
        n=stat.n,
        over=over(entry),
        unit=unit_of(part.metric, part.unit),
        protocol=run.protocol.value + rule,
        parameters=entry.trial.parameters,
        parameters_text=format_count(entry.trial.parameters),
        state=state_of(entry),
        why=", ".join(reason for reason in reasons(entry) if reason != NOT_STARTED),
        seeds=seeds_text(entry),
        epochs=epochs_text(entry),
        train_fraction=entry.train_fraction,
        reference=run.reference(split),
        source=f"study part {part.sweep.name}",
        note=note,
    )


def over(entry: Entry) -> str:
    """What n counts."""
    folds = any(replicate.fold is not None for replicate in entry.trial.replicates)
    several = len({replicate.seed for replicate in entry.trial.replicates}) > 1
    return ("folds and seeds" if several else "folds") if folds else "seeds"


def published_cell(dataset: str, row: Published, split: str = "test") -> Cell:
    """A published number as printed; ``valid`` for the ablation table's validation column."""
    valid = split == "valid"
    texts = (row.valid_text, row.valid_spread_text) if valid else (row.text, row.spread_text)
    return Cell(
        kind=PUBLISHED,
        quantity=f"{split} {row.metric}",
        dataset=dataset,
        split=split,
        value=row.valid if valid else row.value,
        spread=row.valid_spread if valid else row.spread,
        exact=" ± ".join(filter(None, texts)),
        unit=unit_of(METRICS[row.metric]),
        protocol=row.protocol,
        parameters=row.parameter_count,
        parameters_text=row.parameters or NO_COUNT,
        state=PUBLISHED,
        source=row.source,
        note=row.note,
    )
