"""Nested selection: each fold chooses by its own inner validation part, never by the held-out."""

from __future__ import annotations

from dataclasses import replace
from math import nan

import pytest

from pdf_search.config import parse_trial
from pdf_search.errors import ConfigError
from pdf_search.records import (
    EpochReport,
    Phase,
    Protocol,
    Replicate,
    ReplicateEpoch,
    State,
    SweepRecord,
    TrialRecord,
)
from pdf_search.results import nested_candidates, select_nested, summarise
from pdf_search.space import paper_trial

SWEEP = SweepRecord(
    name="s/mutag/inner",
    space="s",
    space_definition={},
    dataset="mutag",
    fingerprint="f",
    split_hash="h",
    metric="accuracy",
    protocol=Protocol.INNER,
    method="study",
    seed=0,
    trials=0,
    epochs=2,
    options={"study": {"name": "s", "nested": {"mutag": {"PDF": ["a", "b"]}}}},
)
Fold = tuple[tuple[float, float], ...]  # (validation, held-out) of each epoch


def candidate(number: int, name: str, *folds: Fold, state: State = State.COMPLETE):  # type: ignore[no-untyped-def]
    trial = TrialRecord(
        sweep=SWEEP.name,
        phase=Phase.CONFIRM,
        number=number,
        config={"training": {"epochs": 2}},
        config_hash=name,
        origin=f"study: {name}",
        state=state,
        replicates=tuple(Replicate(0, fold) for fold in range(len(folds))),
    )
    epochs = [
        EpochReport(e + 1, 1e-3, tuple(ReplicateEpoch(1.0, *fold[e]) for fold in folds), 1.0, 1.0)
        for e in range(2)
    ]
    return trial, summarise(SWEEP, trial, epochs)


def test_each_fold_takes_the_candidate_that_is_best_on_its_validation_part() -> None:
    a = candidate(0, "a", ((0.6, 0.5), (0.8, 0.7)), ((0.9, 0.1), (0.5, 1.0)), ((0.7, 0.2),) * 2)
    b = candidate(1, "b", ((0.7, 0.9), (0.6, 0.9)), ((0.6, 0.9), (0.9, 0.9)), ((0.7, 0.9),) * 2)
    found = select_nested(SWEEP, [a, b])
    assert found.chosen == (0, 0, 0)  # ties go to the first, whatever the held-out fold says
    assert found.test == (0.7, 0.1, 0.2)
    found = select_nested(SWEEP, [b, a])
    assert found.chosen == (1, 0, 0)
    assert found.test == (0.7, 0.9, 0.9)
    assert found.headline.mean == pytest.approx(2.5 / 3)
    assert (found.headline.n, found.partial, found.protocol) == (3, False, Protocol.NESTED)


def test_what_is_missing_is_never_chosen_and_makes_the_row_partial() -> None:
    a = candidate(0, "a", ((nan, 0.9), (nan, 0.9)), ((0.6, 0.5), (0.6, 0.5)), state=State.DIVERGED)
    b = candidate(1, "b", ((0.5, 0.4), (0.5, 0.4)), ((0.5, 0.4), (0.5, 0.4)))
    found = select_nested(SWEEP, [a, b])
    assert found.chosen == (1, 0)
    assert found.test == (0.4, 0.5)
    assert found.reasons == ("a: diverged", "a: 1 of 2 replicates")


def test_candidates_on_other_folds_are_refused() -> None:
    a, b = candidate(0, "a", ((0.5, 0.5),) * 2), candidate(1, "b", *(((0.5, 0.5),) * 2,) * 2)
    with pytest.raises(ValueError, match="same seeds and folds"):
        select_nested(SWEEP, [a, b])


def test_the_record_says_which_rows_are_candidates() -> None:
    assert nested_candidates(SWEEP) == {"PDF": ("a", "b")}
    assert nested_candidates(replace(SWEEP, protocol=Protocol.GIN_CURVE)) == {}
    assert nested_candidates(replace(SWEEP, options={})) == {}


def test_no_trial_is_configured_with_it() -> None:
    with pytest.raises(ConfigError, match="a trial is run under inner"):
        parse_trial({**paper_trial("mutag"), "protocol": "nested"})
