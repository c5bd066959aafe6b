"""How far a run is, and what sets it apart from a whole run of the setting."""

from __future__ import annotations

from pdf_search.records import State
from reports.cell import COMPLETE, NOT_STARTED, PARTIAL
from reports.sweep_data import Entry


def reasons(entry: Entry) -> list[str]:
    """Why a run's numbers are partial; empty for a whole run."""
    if entry.trial.state is State.NOT_STARTED:
        return [NOT_STARTED]
    found = list(entry.summary.reasons)
    if entry.cut is not None:
        found.append("cut after {} of {} epochs".format(*entry.cut))
    if entry.train_fraction < 1:
        found.append(f"trained on {entry.train_fraction:.3g} of the training part")
    return found


def state_of(entry: Entry) -> str:
    """``complete``, ``partial`` or ``not started``."""
    if entry.trial.state is State.NOT_STARTED:
        return NOT_STARTED
    return PARTIAL if reasons(entry) else COMPLETE


def seeds_text(entry: Entry) -> str:
    """Which replicates have a value: ``seeds 0, 1``, ``folds 0-9 of seed 0``."""
    values = entry.summary.test if entry.summary.split == "test" else entry.summary.valid
    found = [
        replicate
        for replicate, value in zip(entry.trial.replicates, values, strict=False)
        if value is not None
    ]
    seeds = list(dict.fromkeys(replicate.seed for replicate in found))
    folds = [replicate.fold for replicate in found if replicate.fold is not None]
    if not seeds:
        return ""
    text = f"{'seed' if len(seeds) == 1 else 'seeds'} {_listed(seeds)}"
    return f"folds {_listed(sorted(set(folds)))} of {text}" if folds else text


def epochs_text(entry: Entry) -> str:
    """Epochs done and planned by the setting: ``351 of 351``."""
    planned = entry.cut[1] if entry.cut else entry.summary.epochs_planned
    return f"{entry.summary.epochs} of {planned}"


def _listed(numbers: list[int]) -> str:
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]}-{numbers[-1]}"
    return ", ".join(map(str, numbers))
