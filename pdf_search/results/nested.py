"""Nested selection: for each held-out fold its own choice among several settings. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pdf_search.records import METRICS, Protocol, Replicate, SweepRecord, TrialRecord
from pdf_search.results.summary import Stat, TrialSummary, Values

Candidate = tuple[TrialRecord, TrialSummary]


@dataclass(frozen=True)
class NestedSummary:
    """A row under protocol ``nested``. Tuples have one entry a replicate.

    ``chosen``: position of the candidate, None where none has a value. ``test``: its test value.
    ``reasons``: why the row is partial, () for a whole one.
    """

    replicates: tuple[Replicate, ...]
    chosen: tuple[int | None, ...]
    valid: Values
    test: Values
    reasons: tuple[str, ...]

    protocol = Protocol.NESTED

    @property
    def headline(self) -> Stat:
        return Stat.of(self.test)

    @property
    def partial(self) -> bool:
        return bool(self.reasons)


def nested_candidates(sweep: SweepRecord) -> dict[str, tuple[str, ...]]:
    """The rows of a study whose ``inner`` runs ``nested`` chooses among: name to their names."""
    if sweep.protocol is not Protocol.INNER:
        return {}
    nested = sweep.options.get("study", {}).get("nested", {})
    return {row: tuple(names) for row, names in nested.get(sweep.dataset, {}).items()}


def select_nested(sweep: SweepRecord, candidates: Sequence[Candidate]) -> NestedSummary:
    """For each seed and fold the candidate that is best on the fold's inner validation part.

    ``candidates``: the runs under protocol ``inner`` and what they amount to, on the same seeds
    and folds. Each brings its own best epoch, which the same part chose. The held-out fold plays
    no part in the choice. A tie goes to the candidate listed first; a value that is missing or not
    finite is never chosen.

    Raises:
        ValueError: no candidate, or candidates on other seeds or folds.
    """
    if len({trial.replicates for trial, _ in candidates}) != 1:
        raise ValueError("nested selection compares candidates on the same seeds and folds")
    metric = METRICS[sweep.metric]
    replicates = candidates[0][0].replicates
    chosen: list[int | None] = []
    for r in range(len(replicates)):
        best, record = None, None
        for number, (_, summary) in enumerate(candidates):
            value = summary.valid[r]
            if value is not None and metric.better(value, record):
                best, record = number, value
        chosen.append(best)
    picked = [(None if c is None else candidates[c][1], r) for r, c in enumerate(chosen)]
    reasons = [
        f"{trial.origin.partition(': ')[2] or trial.number}: {reason}"
        for trial, summary in candidates
        for reason in summary.reasons
    ]
    return NestedSummary(
        replicates=replicates,
        chosen=tuple(chosen),
        valid=tuple(None if s is None else s.valid[r] for s, r in picked),
        test=tuple(None if s is None else s.test[r] for s, r in picked),
        reasons=tuple(reasons),
    )
