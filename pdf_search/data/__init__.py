"""Data sets by name, own molecules, splits and folds, and the cache. Imports no torch."""

from pdf_search.data.cache import CacheEntry, cache_entries, cache_folder, cache_size
from pdf_search.data.prepare import prepare
from pdf_search.data.prepared import Prepared, load_prepared
from pdf_search.data.recorded import recorded_data
from pdf_search.data.registry import DatasetInfo, lookup, names
from pdf_search.data.splits import Split, search_view, split_for, split_hash
from pdf_search.data.statistics import mean_counts, statistics

__all__ = [
    "CacheEntry",
    "DatasetInfo",
    "Prepared",
    "Split",
    "cache_entries",
    "cache_folder",
    "cache_size",
    "load_prepared",
    "lookup",
    "mean_counts",
    "names",
    "prepare",
    "recorded_data",
    "search_view",
    "split_for",
    "split_hash",
    "statistics",
]
