"""Suggests changes to a configuration when every trial diverged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pdf_search.records import State, TrialRecord


def divergence_advice(trials: Sequence[TrialRecord]) -> str:
    """Return one line: that all finished trials diverged, in which epochs, and what to change.

    Returns "" if no trial has finished, or if one finished in another state than DIVERGED.
    """
    ended = [trial for trial in trials if trial.state.finished]
    if not ended or any(trial.state is not State.DIVERGED for trial in ended):
        return ""
    first, last = (pick(trial.epochs_done for trial in ended) for pick in (min, max))
    epochs = f"epoch {first}" if first == last else f"epochs {first} to {last}"
    every = f"all {len(ended)} trials" if len(ended) > 1 else "the only trial"
    said = f"{every} DIVERGED, in {epochs} ({ended[0].reason or 'not finite'})"
    return f"{said}: {', or '.join(_changes(ended))}"


def _changes(trials: Sequence[TrialRecord]) -> list[str]:
    rates = [float(rate) for t in trials if (rate := _get(t, "training", "learning_rate"))]
    below = f" below {min(rates):g}, the lowest tried" if rates else ""
    changes = [f"lower training.learning_rate{below}"]
    if not any(_get(t, "training", "schedule", "warmup") for t in trials):
        changes.append("warm up: training.schedule.warmup: 5")
    for part, key in (("model", "softmax"), ("model", "filter_norm"), ("model", "ffn_norm")):
        if not any(_get(trial, part, key) for trial in trials):
            changes.append(f"normalise: {part}.{key}: true")
    if not any(_get(trial, "training", "standardise_targets") for trial in trials):
        changes.append("for large targets training.standardise_targets: true")
    return changes


def _get(trial: TrialRecord, *path: str) -> Any:
    value: Any = trial.config
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value
