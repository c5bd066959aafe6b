"""Makes the record of a sweep, and checks that a name is free and that data are unchanged."""

from __future__ import annotations

import sys
from typing import Any

from pdf_search.errors import DataError
from pdf_search.records import SweepRecord
from pdf_search.results import masked
from pdf_search.sweep.planned import Planned
from pdf_search.sweep.trial_log.provenance import commit, versions
from pdf_search.sweep.trial_log.trial_log import now

RAW_FILES = "the raw files (--data-root)"


def new_record(plan: Planned, command: str, **own: Any) -> SweepRecord:
    """The record of a sweep that begins now.

    ``own`` are the fields in which searched and listed sweeps differ. ``command`` "" means the
    command line of this process.
    """
    return SweepRecord(
        dataset=plan.info.name,
        fingerprint=plan.data.fingerprint,
        split_hash=plan.split_hash,
        metric=plan.metric.name,
        epochs=plan.epochs,
        versions=versions(),
        commit=commit(),
        command=command or " ".join(map(masked, sys.argv)),
        created=now(),
        **own,
    )


def refuse_changed_data(
    record: SweepRecord, fingerprint: str, split: str, source: str = RAW_FILES
) -> None:
    """Check that the data and its split are those that the sweep began with.

    ``source`` is where the data came from, in words for the message.

    Raises:
        DataError: the fingerprint or the hash of the split differs.
    """
    for what, was, is_now in (
        ("data", record.fingerprint, fingerprint),
        ("split", record.split_hash, split),
    ):
        if was != is_now:
            raise DataError(
                f"sweep {record.name}: the {what} of {record.dataset} is not what the sweep began "
                f"with ({was[:12]}, now {is_now[:12]}). "
                f"Restore {source}, or start a new sweep"
            )
