"""Cells of a study's runs, one function for each rule by which runs are scored."""

from __future__ import annotations

from collections.abc import Iterable

from pdf_search.records import METRICS, Metric, Protocol
from reports.grid.cell import NOT_STARTED, Cell
from reports.grid.trial_cells import metric_cell
from reports.studies.state import reasons, state_of
from reports.studies.study_data import Run


def score_cell(run: Run) -> Cell:
    """The test value of a run under its protocol."""
    epoch, note = run.entry.summary.best_epoch, run.note
    if run.protocol is Protocol.GIN_CURVE and epoch:
        note = f"epoch {epoch} for all folds"
    return _cell(run, run.entry.summary.test, "test", note=note)


def valid_cell(run: Run) -> Cell:
    """The validation value of a run under its protocol."""
    return _cell(run, run.entry.summary.valid, "valid")


def last_epoch_cell(run: Run) -> Cell:
    """The values of the held-out folds after the last epoch, so that no epoch is chosen."""
    note = f"epoch {run.entry.summary.epochs}" if run.entry.epochs else ""
    return _cell(run, run.entry.summary.last_test, "test", "aside", ", last epoch", note)


def upper_bound_cell(run: Run) -> Cell:
    """The value of each held-out fold at its own best epoch, which is no valid estimate.

    The epoch is chosen on the very values that are reported.
    """
    metric = METRICS[run.part.sweep.metric]
    values = [
        _best(metric, (report.replicates[i].test for report in run.entry.epochs))
        for i in range(len(run.entry.summary.test))
    ]
    return _cell(run, values, "test", "warning", ", best epoch of each fold")


def _best(metric: Metric, values: Iterable[float | None]) -> float | None:
    """The best of some values; None if there is none."""
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
    return metric_cell(
        run.part,
        run.entry,
        split,
        values,
        kind=kind,
        protocol=run.protocol.value + rule,
        state=state_of(run.entry),
        why=", ".join(reason for reason in reasons(run.entry) if reason != NOT_STARTED),
        reference=run.reference(split),
        source=f"study part {run.part.sweep.name}",
        note=note,
    )
