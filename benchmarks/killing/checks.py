"""What must hold of a sweep after a kill, and after its end."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from math import isnan
from pathlib import Path
from typing import Any

import optuna

from pdf_search.records import Phase, State, TrialRecord
from pdf_search.results import Store
from pdf_search.sweep import Plan

TOLD = {State.COMPLETE: "COMPLETE", State.PRUNED: "PRUNED", State.DIVERGED: "PRUNED"}
Decisions = list[tuple[Any, ...]]


class Journal:
    """What the driver had done for good, written line by line into a file by the driver itself."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __call__(self, *words: Any) -> None:
        with self.file.open("a") as stream:
            stream.write(json.dumps(words) + "\n")

    def lines(self) -> list[Any]:
        text = self.file.read_text() if self.file.exists() else ""
        return [json.loads(line) for line in text.splitlines()]


def after_a_kill(plan: Plan, journal: Journal) -> list[str]:
    """What is wrong right after a kill: what this process or one before it reported is there."""
    file = Path(plan.folder.database)
    if not file.exists():
        return []
    # Not read-only: a journal that the kill left is rolled back, as any command would.
    with closing(sqlite3.connect(file)) as connection:
        (sound,) = connection.execute("pragma integrity_check").fetchone()
    wrong = [] if sound == "ok" else [f"the database is damaged: {sound}"]
    with plan.folder.open_store(create=True) as store:
        begun = bool(store.sweeps(plan.name))
        curves = {p: store.all_epochs(plan.name, p) if begun else {} for p in Phase}
    known = {(p, n): {r.epoch for r in c} for p in curves for n, c in curves[p].items()}
    for event, phase, number, *rest in journal.lines():
        if event == "epoch" and rest[0] not in known.get((Phase(phase), number), ()):
            wrong.append(f"{phase} trial {number}: epoch {rest[0]} was reported and is gone")
    return wrong


def at_the_end(plan: Plan, journal: Journal) -> list[str]:
    """What is wrong with a sweep that has ended."""
    with plan.folder.open_store() as store:
        wrong = [line for phase in Phase for line in _phase(plan, store, phase)]
        wrong += _as_reported(plan, store, journal.lines())
    return wrong + _optuna(plan) + _on_disk(plan)


def decisions(plan: Plan) -> Decisions:
    """What was drawn, how each trial ended, and its values."""
    with plan.folder.open_store() as store:
        found = []
        for trial in store.trials(plan.name):
            curve = store.epochs(plan.name, trial.phase, trial.number)
            values = [[repr(r.valid), repr(r.replicates[0].test)] for r in curve]
            told = trial.origin, trial.config_hash, trial.state, trial.message, trial.seconds
            found.append((trial.phase, trial.number, *told, values, trial.perturbations))
    return found


def _phase(plan: Plan, store: Store, phase: Phase) -> list[str]:
    trials = [t for t in store.trials(plan.name, phase) if not t.is_baseline]
    wrong = []
    if phase is Phase.SEARCH and [t.number for t in trials] != list(range(plan.trials)):
        wrong.append(f"trials {[t.number for t in trials]} instead of {plan.trials}")
    twice = [h for h, n in Counter(t.config_hash for t in trials).items() if n > 1]
    if twice:
        wrong.append(f"{phase}: configurations {twice} twice")
    for trial in trials:
        wrong += [f"{phase} trial {trial.number}: {line}" for line in _trial(plan, store, trial)]
    return wrong


def _trial(plan: Plan, store: Store, trial: TrialRecord) -> list[str]:
    curve = store.epochs(plan.name, trial.phase, trial.number)
    wrong = [] if trial.state in TOLD else [f"{trial.state}: {trial.message}"]
    if [r.epoch for r in curve] != list(range(1, trial.epochs_done + 1)):
        wrong.append(f"epochs {[r.epoch for r in curve]}, {trial.epochs_done} done")
    if abs((trial.seconds or 0) - sum(r.seconds for r in curve)) > 1e-9:
        wrong.append(f"{trial.seconds} s for {len(curve)} epochs")
    ended = trial.epochs_done == plan.epochs
    if ended != (trial.state is State.COMPLETE) and trial.state is not State.DIVERGED:
        wrong.append(f"{trial.state} after {trial.epochs_done} epochs")
    if (trial.state is State.DIVERGED) != isnan(curve[-1].replicates[0].train_loss):
        wrong.append(f"{trial.state}, but its last loss is {curve[-1].replicates[0].train_loss}")
    return wrong


def _as_reported(plan: Plan, store: Store, lines: list[Any]) -> list[str]:
    """Every epoch that was reported is there with its value; what ended stayed as it was."""
    curves = {phase: store.all_epochs(plan.name, phase) for phase in Phase}
    values = {
        (p, n, r.epoch): r.valid for p in curves for n, curve in curves[p].items() for r in curve
    }
    states = {(t.phase, t.number): t.state.value for t in store.trials(plan.name)}
    wrong, ended = [], set()
    for event, phase, number, *rest in lines:
        key = Phase(phase), number
        if event == "epoch" and repr(values.get((*key, rest[0]))) != repr(rest[1]):
            wrong.append(f"{phase} trial {number}, epoch {rest[0]}: lost or another value")
        if event == "started" and key in ended:
            wrong.append(f"{phase} trial {number}: had ended and was trained again")
        if event == "ended" and rest[0] != State.PAUSED.value:
            ended.add(key)
            if states[key] != rest[0]:
                wrong.append(f"{phase} trial {number}: was {rest[0]}, is {states[key]}")
    return wrong


def _optuna(plan: Plan) -> list[str]:
    """Standard tools read the mirror and agree with the record."""
    storage = f"sqlite:///{plan.folder.database}"
    study = optuna.load_study(study_name=plan.name, storage=storage)
    kept = [t for t in study.trials if "trial" in t.user_attrs and "rejected" not in t.user_attrs]
    told = {t.user_attrs["trial"]: t.state.name for t in kept}
    with plan.folder.open_store() as store:
        trials = store.trials(plan.name, Phase.SEARCH)
    wrong = [] if len(kept) == len(told) else ["Optuna has a trial twice"]
    for trial in trials:
        if told.get(trial.number) != TOLD.get(trial.state):
            wrong.append(f"trial {trial.number} {trial.state}, Optuna: {told.get(trial.number)}")
    return wrong


def _on_disk(plan: Plan) -> list[str]:
    """The last checkpoint of each COMPLETE trial lies on disk, and nothing else."""
    with plan.folder.open_store() as store:
        trials = store.trials(plan.name)
    wanted = {plan.folder.checkpoint(t.checkpoint) for t in trials if not t.is_baseline} - {""}
    there = {str(p) for p in Path(plan.folder.storage(None)).glob("*/*/checkpoint_*")}
    return [f"not there: {path}" for path in sorted(wanted - there)] + [
        f"left behind: {path}" for path in sorted(there - wanted)
    ]
