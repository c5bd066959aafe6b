"""What a trial's record says of its epochs together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pdf_search.records import EpochReport, TrialRecord


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
