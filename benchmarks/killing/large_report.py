"""Fills a database with a large recorded sweep, and times its report."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from pdf_search.parameters import parameter_count
from pdf_search.records import EpochReport, Phase, ReplicateEpoch, State, TrialRecord
from pdf_search.results import Store, rows, tables
from pdf_search.space import load_space
from pdf_search.sweep import Plan, SweepOptions, plan_sweep
from pdf_search.sweep.api import new_sweep_record
from pdf_search.sweep.samplers.trial_builder import random_points
from reports import write_report

EPOCHS, REPLICATES, CONFIRMED = 100, 4, 3
BEGAN, ENDED = "2026-01-01T00:00:00+00:00", "2026-01-01T00:01:00+00:00"


def report_row(space: Path, folder: Path, trials: int) -> dict[str, Any]:
    """Processor and wall seconds of the report, and the megabytes of its page."""
    options = SweepOptions(
        name="large",
        out=folder,
        cache=folder / "cache",
        method="random",
        trials=trials,
        epochs=EPOCHS,
        replicates=REPLICATES,
        seeds=REPLICATES,
    )
    plan = plan_sweep(load_space(str(space)), options)
    file = folder / "large.db"
    with Store(str(file)) as store:
        fill(store, file, plan, trials)
        cpu, wall = time.process_time(), time.perf_counter()
        write_report(store, plan.name, folder / "report")
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    page = (folder / "report" / "report.html").stat().st_size
    size = {"trials": trials, "epochs": EPOCHS, "replicates": REPLICATES}
    return {**size, "cpu_s": cpu, "wall_s": wall, "page_mb": page / 2**20}


def fill(store: Store, file: Path, plan: Plan, trials: int) -> None:
    """Record that many searched trials, and the first of them as confirmed."""
    store.create_sweep(new_sweep_record(plan, "large"))
    searched = list(_searched(plan, trials))
    confirmed = [
        replace(t, phase=Phase.CONFIRM, origin=f"confirm of {t.number}")
        for t in searched[:CONFIRMED]
    ]
    dice = random.Random(0)
    for trial in (*searched, *confirmed):
        store.save_trial(trial)
    engine = sa.create_engine(f"sqlite:///{file}")  # one transaction, not one an epoch
    with engine.begin() as connection:
        known = connection.execute(sa.select(tables.trial.c.id, tables.trial.c.phase)).all()
        for identity, phase in known:
            curve = _curve(dice, Phase(phase))
            found = [row for report in curve for row in rows.epoch_rows(report, identity)]
            connection.execute(tables.epoch.insert(), found)
    engine.dispose()


def _searched(plan: Plan, trials: int) -> Iterator[TrialRecord]:
    shape = plan.data.info.shape
    assert shape is not None
    for number, values in enumerate(random_points(plan.space, trials)):
        config = plan.builder.search(values)
        yield TrialRecord(
            sweep=plan.name,
            phase=Phase.SEARCH,
            number=number,
            config=config.model_dump(mode="json"),
            config_hash=config.content_hash(),
            state=State.COMPLETE,
            params=values,
            replicates=config.replicates,
            parameters=parameter_count(config.model, config.basis.size, shape),
            device="cpu",
            started=BEGAN,
            ended=ENDED,
            seconds=60.0,
            peak_mb=300.0,
            epochs_done=EPOCHS,
        )


def _curve(dice: random.Random, phase: Phase) -> list[EpochReport]:
    end = dice.uniform(0.5, 1.5)
    return [
        EpochReport(
            epoch,
            1e-3,
            tuple(_replicate(dice, end + 1 / epoch, phase) for _ in range(REPLICATES)),
            0.6,
            300.0,
        )
        for epoch in range(1, EPOCHS + 1)
    ]


def _replicate(dice: random.Random, value: float, phase: Phase) -> ReplicateEpoch:
    valid, test = (value + dice.gauss(0.0, 0.05) for _ in range(2))
    return ReplicateEpoch(value, valid, test if phase is Phase.CONFIRM else None)
