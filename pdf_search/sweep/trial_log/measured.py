"""What a trial's record says of its epochs together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pdf_search.records import EpochReport, State, TrialRecord


def measured(record: TrialRecord, epochs: Iterable[EpochReport]) -> TrialRecord:
    """The record with the number, seconds and peak memory of further epochs added."""
    for report in epochs:
        record = replace(
            record,
            epochs_done=report.epoch,
            seconds=(record.seconds or 0.0) + report.seconds,
            peak_mb=max(record.peak_mb or 0.0, report.peak_mb),
        )
    return record


def unfinished(record: TrialRecord) -> State:
    """The state of a trial that is to train on: INTERRUPTED, or NOT STARTED without an epoch."""
    return State.INTERRUPTED if record.epochs_done else State.NOT_STARTED
