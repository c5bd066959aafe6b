"""Nested selection: choose the best of several settings for each held-out fold.

Works on records only; no database is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pdf_search.records import METRICS, Protocol, Replicate, SweepRecord, TrialRecord
from pdf_search.results.summary import Stat, TrialSummary, Values

Candidate = tuple[TrialRecord, TrialSummary]


@dataclass(frozen=True)
class NestedSummary:
    """The result of a row under protocol ``nested``. Tuples have one entry per replicate.

    ``chosen``: index of the chosen candidate, None where no candidate has a value. ``valid`` and
    ``test``: its values. ``reasons``: why the row is partial, () for a complete one.
    """

    replicates: tuple[Replicate, ...]
    chosen: tuple[int | None, ...]
    valid: Values
    test: Values
    reasons: tuple[str, ...]

    protocol = Protocol.NESTED

    @property
    def headline(self) -> Stat:
        """Mean and standard deviation of the test values."""
        return Stat.of(self.test)

    @property
    def partial(self) -> bool:
        """Whether training or values are missing; ``reasons`` says which."""
        return bool(self.reasons)


def nested_candidates(sweep: SweepRecord) -> dict[str, tuple[str, ...]]:
    """Return the nested rows of a study's sweep: name of the row to the names of its candidates.

    Empty unless the sweep ran under protocol ``inner`` as part of a study with candidates.
    """
    if sweep.protocol is not Protocol.INNER:
        return {}
    nested = sweep.options.get("study", {}).get("nested", {})
    return {row: tuple(names) for row, names in nested.get(sweep.dataset, {}).items()}


def select_nested(sweep: SweepRecord, candidates: Sequence[Candidate]) -> NestedSummary:
    """Choose, for each seed and fold, the candidate with the best inner validation value.

    ``candidates``: the runs under protocol ``inner`` on the same seeds and folds, each with its
    summary. A candidate is compared at its own best epoch, which the same validation part chose.
    The held-out fold plays no part in the choice. A tie goes to the candidate listed first. A value
    that is missing or not finite is never chosen.

    Raises:
        ValueError: there is no candidate, or the candidates differ in seeds or folds.
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
