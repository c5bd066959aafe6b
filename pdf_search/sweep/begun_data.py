"""The prepared data of a sweep: made when it begins, found again when it is resumed."""

from __future__ import annotations

from pathlib import Path

from pdf_search.config import DataConfig
from pdf_search.data import Prepared, Progress, load_prepared, prepare, recorded_data
from pdf_search.records import SweepRecord
from pdf_search.sweep.options import SweepOptions


def prepared_data(config: DataConfig, options: SweepOptions, progress: Progress | None) -> Prepared:
    """Load the prepared data set, after preparing it if the cache does not have it."""
    yes = options.assume_yes
    return load_prepared(prepare(config, options.data_root, options.cache, yes, progress))


def begun_data(
    record: SweepRecord, cache: Path | None, progress: Progress | None
) -> Prepared | None:
    """The prepared data that a sweep began with.

    None if they are gone, or if the record does not name them. ``progress`` is told of the first.
    """
    place = record.options.get("prepared", "")
    data = recorded_data(place, record.fingerprint, cache)
    if data is None and place and progress is not None:
        progress(f"the prepared data of {record.name} are gone from {place}: preparing them again")
    return data
