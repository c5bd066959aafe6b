"""The data of a sweep: prepared when it begins, found again when it goes on."""

from __future__ import annotations

from pathlib import Path

from pdf_search.config import DataConfig
from pdf_search.data import Prepared, Progress, load_prepared, prepare, recorded_data
from pdf_search.records import SweepRecord
from pdf_search.sweep.options import SweepOptions


def prepared_data(config: DataConfig, options: SweepOptions, progress: Progress | None) -> Prepared:
    """The data set, prepared if it is not there yet."""
    yes = options.assume_yes
    return load_prepared(prepare(config, options.data_root, options.cache, yes, progress))


def begun_data(
    record: SweepRecord, cache: Path | None, progress: Progress | None
) -> Prepared | None:
    """The prepared data that a sweep began with; None if they are gone, which is told."""
    place = record.options.get("prepared", "")
    data = recorded_data(place, record.fingerprint, cache)
    if data is None and place and progress is not None:
        progress(f"the prepared data of {record.name} are gone from {place}: preparing them again")
    return data
