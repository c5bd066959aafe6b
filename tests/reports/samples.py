"""Whole sweeps written through the store, with curves that look like training."""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from pdf_search.records import (
    METRICS,
    EpochReport,
    Phase,
    Protocol,
    Replicate,
    ReplicateEpoch,
    State,
    SweepRecord,
    TrialRecord,
)
from pdf_search.results import Store
from reports.grid.cell import Cell
from reports.grid.grid import Grid

EPOCHS = 20


def sweep(dataset: str = "freesolv", **changes: Any) -> SweepRecord:
    regression = dataset in ("freesolv", "zinc")
    record = SweepRecord(
        name="night",
        space=dataset,
        space_definition={},
        dataset=dataset,
        fingerprint="0f1e2d3c4b5a6978",
        split_hash="8796a5b4c3d2e1f0",
        metric={"freesolv": "rmse", "zinc": "mae"}.get(dataset, "accuracy"),
        protocol=Protocol.SPLIT if regression else Protocol.GIN_CURVE,
        method="tpe+asha",
        seed=1,
        trials=16,
        epochs=EPOCHS,
        options={"unit": "kcal/mol"} if dataset == "freesolv" else {},
        versions={"pdf_search": "0.1.0", "torch": "2.13.0", "python": "3.11.7"},
        commit="74182b3",
        command=f"pdf-search sweep {dataset} --name night",
        created="2025-03-01T20:00:00+00:00",
    )
    return replace(record, **changes)


def save(
    store: Store,
    record: SweepRecord,
    number: int,
    phase: Phase = Phase.SEARCH,
    epochs: Sequence[EpochReport] = (),
    **changes: Any,
) -> TrialRecord:
    trial = TrialRecord(
        sweep=record.name,
        phase=phase,
        number=number,
        config={"data": {"name": record.dataset}, "training": {"epochs": record.epochs}},
        config_hash=f"{number:016x}",
        state=State.COMPLETE,
        replicates=tuple(Replicate(i) for i in range(len(epochs[0].replicates) if epochs else 1)),
        parameters=40_000 + 1000 * number,
        device="cpu",
        seconds=30.0 + number,
        peak_mb=300.0,
        epochs_done=len(epochs),
    )
    trial = replace(trial, **changes)
    store.save_trial(trial)
    for report in epochs:
        store.add_epoch(record.name, phase, number, report)
    return trial


def training(
    record: SweepRecord,
    goal: float,
    phase: Phase = Phase.SEARCH,
    replicates: int = 1,
    epochs: int = EPOCHS,
    seed: int = 0,
) -> list[EpochReport]:
    """Curves that approach ``goal`` from a bad start, with some noise."""
    random = np.random.default_rng(seed)
    up = METRICS[record.metric].mode == "max"
    start, noise = (0.5, 0.01) if up else (goal + 3.0, 0.03 * goal)
    held_out = record.protocol is Protocol.GIN_CURVE and phase is Phase.CONFIRM
    offsets = random.normal(0, 2 * noise, size=replicates)
    reports = []
    for epoch in range(1, epochs + 1):
        share = float(np.exp(-epoch / 5))
        values = goal + (start - goal) * share + offsets + random.normal(0, noise, replicates)
        members = tuple(
            ReplicateEpoch(
                train_loss=2.0 * share + 0.1,
                valid=None if held_out else float(value),
                test=float(value) + noise if phase is Phase.CONFIRM else None,
            )
            for value in values
        )
        reports.append(EpochReport(epoch, 1e-3, members, seconds=1.5, peak_mb=300.0))
    return reports


def rows(table: Grid) -> list[SimpleNamespace]:
    """Lines of a result table: what its CSV has of them, and ``text``, the number as printed."""
    found = []
    for line in table.lines:
        cell = line.cells[0]
        assert isinstance(cell, Cell)
        found.append(SimpleNamespace(**line.record, text=cell.printed))
    return found


def params(number: int) -> dict[str, Any]:
    hidden = (32, 64, 96, 128)[number % 4]
    return {
        "model.hidden": hidden,
        "model.filter": ("lin", "2l")[number // 2 % 2],
        "training.learning_rate": 1e-3 * (1 + number % 5),
        "basis.eps": [-0.1, -0.2],
    }


def search(store: Store, record: SweepRecord, trials: int = 16, folds: int = 1) -> None:
    """All five states; wider networks are better, nothing else matters."""
    store.create_sweep(record)
    up = METRICS[record.metric].mode == "max"
    for number in range(trials):
        values = params(number)
        step = values["model.hidden"] / 32
        goal = 0.75 + 0.02 * step if up else 1.6 - 0.15 * step
        state, epochs = State.COMPLETE, EPOCHS
        if number % 3 == 2:
            state, epochs = State.PRUNED, 4 + number % 5
        if number == 7:
            state, epochs = State.DIVERGED, 3
        if number == 10:
            state, epochs = State.FAILED, 0
        reports = training(record, goal, Phase.SEARCH, folds, epochs, number) if epochs else []
        save(
            store,
            record,
            number,
            epochs=reports,
            state=state,
            params=values,
            origin="published" if number == 0 else "sampled",
            message="out of memory" if state is State.FAILED else "",
        )


def confirm(
    store: Store,
    record: SweepRecord,
    numbers: Sequence[int],
    goals: Sequence[float],
    replicates: int = 4,
    **changes: Any,
) -> None:
    """Confirmed configurations in the order given, and the baseline predictor."""
    folds = record.protocol is not Protocol.SPLIT
    members = tuple(Replicate(0, i) if folds else Replicate(100 + i) for i in range(replicates))
    for place, (number, goal) in enumerate(zip(numbers, goals, strict=True)):
        reports = training(record, goal, Phase.CONFIRM, replicates, EPOCHS, 50 + number)
        save(
            store,
            record,
            place,
            Phase.CONFIRM,
            reports,
            **{
                "replicates": members,
                "origin": f"confirm of {number}",
                "params": params(number),
                **changes,
            },
        )
    flat = 0.665 if METRICS[record.metric].mode == "max" else 3.35
    valid = None if record.protocol is Protocol.GIN_CURVE else flat
    epoch = EpochReport(0, 0.0, (ReplicateEpoch(0.0, valid, flat),) * replicates, 0.0, 0.0)
    save(
        store,
        record,
        len(numbers),
        Phase.CONFIRM,
        [epoch],
        replicates=members,
        origin="baseline",
        parameters=None,
        seconds=None,
    )
