"""Sweeps built by hand: records and curves with known answers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

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

CONFIG: dict[str, Any] = {
    "data": {"name": "freesolv"},
    "basis": {"eps": [-0.1, -0.2], "k": 3},
    "training": {"epochs": 3, "schedule": {"kind": "constant"}},
}


def sweep(name: str = "night", **changes: Any) -> SweepRecord:
    record = SweepRecord(
        name=name,
        space="freesolv",
        space_definition={"model": {"hidden": {"choice": [32, 64]}}, "limit": None},
        dataset="freesolv",
        fingerprint="f" * 16,
        split_hash="5" * 16,
        metric="rmse",
        protocol=Protocol.SPLIT,
        method="tpe+asha",
        seed=7,
        trials=3,
        epochs=3,
        options={"concurrent": 2, "unit": "kcal/mol"},
        versions={"pdf_search": "0.1.0", "torch": "2.13.0"},
        commit="abc1234",
        command="pdf-search sweep freesolv --name night",
        created="2025-03-01T20:00:00+00:00",
    )
    return replace(record, **changes)


def trial(number: int = 0, phase: Phase = Phase.SEARCH, **changes: Any) -> TrialRecord:
    record = TrialRecord(
        sweep="night",
        phase=phase,
        number=number,
        config=CONFIG,
        config_hash=f"{phase}-{number}",
        state=State.COMPLETE,
        params={"model.hidden": 32},
        replicates=(Replicate(0),),
        parameters=48_121,
        device="cpu",
        started="2025-03-01T20:01:00+00:00",
        ended="2025-03-01T20:02:00+00:00",
        seconds=60.0,
        peak_mb=512.0,
        epochs_done=3,
    )
    return replace(record, **changes)


def epoch(
    number: int, valid: Sequence[float | None], test: Sequence[float | None] | None = None
) -> EpochReport:
    tests = test if test is not None else [None] * len(valid)
    members = (ReplicateEpoch(1.0 / number, v, t) for v, t in zip(valid, tests, strict=True))
    return EpochReport(number, 1e-3, tuple(members), seconds=0.5, peak_mb=100.0)


def curve(
    valid: Sequence[Sequence[float | None]], test: Sequence[Sequence[float | None]] | None = None
) -> list[EpochReport]:
    """Epochs 1.. from values by epoch and replicate."""
    tests = test if test is not None else [None] * len(valid)
    return [epoch(i, v, t) for i, (v, t) in enumerate(zip(valid, tests, strict=True), start=1)]
