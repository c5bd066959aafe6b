"""The results database: written by the driver of a sweep alone, read by everyone. No torch."""

from pdf_search.results.nested import NestedSummary, nested_candidates, select_nested
from pdf_search.results.store import Store, no_trial
from pdf_search.results.study_parts import is_study_part, study_parts
from pdf_search.results.summary import BestEpochs, Stat, TrialSummary, rank_trials, summarise

__all__ = [
    "BestEpochs",
    "NestedSummary",
    "Stat",
    "Store",
    "TrialSummary",
    "is_study_part",
    "nested_candidates",
    "no_trial",
    "rank_trials",
    "select_nested",
    "study_parts",
    "summarise",
]
