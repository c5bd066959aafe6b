"""Where every trial diverged, what to change is said."""

from __future__ import annotations

from typing import Any

from pdf_search.records import Phase, State, TrialRecord
from pdf_search.results.advice import divergence_advice


def trial(number: int, state: State, rate: float = 0.1, **model: Any) -> TrialRecord:
    config = {"model": model, "training": {"learning_rate": rate, "schedule": {"warmup": 0}}}
    message = "train_loss of replicate 0 is nan in epoch 2"
    return TrialRecord(
        "s", Phase.SEARCH, number, config, "", state, epochs_done=2 + number, message=message
    )


def test_what_was_not_tried_is_named() -> None:
    trials = [
        trial(0, State.DIVERGED, 0.5, softmax=False, ffn_norm=True),
        trial(1, State.DIVERGED, 0.02, softmax=True, ffn_norm=True),
        trial(2, State.NOT_STARTED),
    ]
    advice = divergence_advice(trials)
    assert advice.startswith("all 2 trials DIVERGED, in epochs 2 to 3 (train_loss of replicate 0")
    assert "lower training.learning_rate below 0.02, the lowest tried" in advice
    assert "training.schedule.warmup" in advice
    assert "model.filter_norm: true" in advice
    assert "training.standardise_targets: true" in advice
    assert "softmax" not in advice
    assert "ffn_norm" not in advice
    assert "confirm" not in advice


def test_other_ends_need_no_advice() -> None:
    assert divergence_advice([]) == ""
    assert divergence_advice([trial(0, State.NOT_STARTED)]) == ""
    assert divergence_advice([trial(0, State.DIVERGED), trial(1, State.FAILED)]) == ""
    assert divergence_advice([trial(0, State.DIVERGED), trial(1, State.COMPLETE)]) == ""
