"""What the driver hands to search, early stopping and confirmation, above all when it resumes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO
from math import nan
from pathlib import Path

import pandas as pd
import pytest
from optuna.study import StudyDirection as Direction
from rich.console import Console

from pdf_search.records import (
    METRICS,
    PREDICTIONS,
    Phase,
    Replicate,
    ReplicateEpoch,
    State,
    TrialRecord,
)
from pdf_search.results.store import Store
from pdf_search.space import Space
from pdf_search.stop_condition import StopCondition
from pdf_search.sweep import SweepOptions, plan_sweep
from pdf_search.sweep.confirm_phase import best_trials
from pdf_search.sweep.confirmed_predictions import gather_predictions
from pdf_search.sweep.driver import Driver, Functions
from pdf_search.sweep.plan import Plan
from pdf_search.sweep.samplers.optuna_study import OptunaStudy
from pdf_search.sweep.trial_log.trial_log import TrialLog
from tests.sweep.helpers import NAME, SHAPE, Bench, SilentView, finish, report, sweep_record


@pytest.fixture
def plan(space: Space, cache: Path, tmp_path: Path) -> Plan:
    options = SweepOptions(out=tmp_path / "runs", cache=cache, name=NAME)
    return plan_sweep(space, options)


@contextmanager
def driven(plan: Plan, bench: Bench) -> Iterator[tuple[Driver, OptunaStudy, TrialLog]]:
    """A driver on the bench's database, opened anew as a resume does."""
    driver = Driver(plan, bench.store, StopCondition(), Console(file=StringIO()), Functions())
    bench.open()
    yield driver, bench.log, bench.trial_log()


def test_a_resumed_search_goes_on_with_the_next_number_and_nothing_known(
    plan: Plan, space: Space, tmp_path: Path
) -> None:
    bench = Bench(tmp_path, space, trials=plan.trials)
    trial_log = bench.trial_log()
    source = bench.suggestions(trial_log)
    for value in (3.0, 1.0):
        job = source.next()
        assert job is not None
        finish(trial_log, job, value)
    with driven(plan, bench) as (driver, study, again):
        resumed = driver._suggestions(study, again, [])
        assert resumed.remaining() == plan.trials - 2
        hashes = {number: record.config_hash for number, record in again.records.items()}
        assert resumed.known == {config: number for number, config in hashes.items()}
        jobs = [resumed.next() for _ in range(plan.trials - 2)]
        assert [job.number for job in jobs if job] == list(range(2, plan.trials))
        assert not {job.config.content_hash() for job in jobs if job} & set(hashes.values())
        assert resumed.next() is None


@pytest.mark.parametrize("name", METRICS)
def test_early_stopping_follows_the_metric_and_remembers_what_was_recorded(
    name: str, plan: Plan, space: Space, tmp_path: Path
) -> None:
    bench = Bench(tmp_path, space)
    trial_log = bench.trial_log()
    source = bench.suggestions(trial_log)
    for value in (0.4, 0.5, 0.6):
        job = source.next()
        assert job is not None
        trial_log.planned(job)
        for epoch in (1, 2, 3):
            trial_log.epoch(job.number, report(epoch, value), "cpu")
    with driven(replace(plan, metric=METRICS[name]), bench) as (driver, _, again):
        rungs = driver._brackets(again).of(0)
        best = 2 if METRICS[name].mode == "max" else 0
        assert [number for _, number in rungs.reached[3]] == [best, 1, 2 - best]
        assert [number for number in range(3) if rungs.goes_on(number)] == [best]
        good, bad = (0.2, 0.8) if best == 0 else (0.8, 0.2)
        rungs.see(7, 3, bad)
        assert not rungs.goes_on(7)
        rungs.see(8, 3, good)
        assert rungs.goes_on(8)


@pytest.mark.parametrize("name", METRICS)
def test_the_best_by_validation_are_confirmed_whatever_their_test_values(
    name: str, space: Space, tmp_path: Path
) -> None:
    """Test values that a search never records, in the opposite order."""
    with Store(f"sqlite:///{tmp_path / 'results.db'}") as store:
        store.create_sweep(replace(sweep_record(space, "tpe", 4), metric=name))
        trial_log = TrialLog(store, NAME, Phase.SEARCH, SHAPE, SilentView(), print)
        valid, test = (0.2, 0.8, 0.5, 0.9), (0.8, 0.2, 0.5, 0.1)
        for number in range(4):
            state = State.PRUNED if number == 3 else State.COMPLETE
            trial_log.save(_record(number, state))
            epoch = replace(
                report(1, 0.0), replicates=(ReplicateEpoch(1.0, valid[number], test[number]),)
            )
            trial_log.epoch(number, epoch, "cpu")
        order = [0, 2, 1] if METRICS[name].mode == "min" else [1, 2, 0]
        assert [t.number for t in best_trials(store, NAME, 3)] == order
        assert [t.number for t in best_trials(store, NAME, 1)] == order[:1]


@pytest.mark.parametrize("name", METRICS)
def test_optuna_is_told_the_best_value_in_the_direction_of_the_metric(
    name: str, space: Space, tmp_path: Path
) -> None:
    bench = Bench(tmp_path, space)
    job = bench.suggestions(bench.trial_log()).next()
    assert job is not None
    log = OptunaStudy(bench.url, "another", space, METRICS[name], 0, 8)
    log.accept(log.ask("random"), 0)
    log.tell(0, State.COMPLETE, [report(1, 0.5), report(2, 0.9), report(3, nan), report(4, 0.3)])
    assert log.study.direction is Direction[f"{METRICS[name].mode.upper()}IMIZE"]
    best = 0.5 if METRICS[name].mode == "min" else 0.7  # of the means 0.5, 0.7 and 0.5667
    assert log.study.trials[0].value == pytest.approx(best)
    log.close()


def _record(number: int, state: State, checkpoint: Path | None = None) -> TrialRecord:
    return TrialRecord(
        sweep=NAME,
        phase=Phase.SEARCH,
        number=number,
        config={},
        config_hash=str(number),
        state=state,
        replicates=(Replicate(0),),
        checkpoint="" if checkpoint is None else str(checkpoint),
    )


def test_predictions_are_gathered_of_whole_trials_alone(tmp_path: Path) -> None:
    trials = []
    for number, state in enumerate((State.COMPLETE, State.FAILED, State.INTERRUPTED)):
        folder = tmp_path / str(number)
        folder.mkdir()
        pd.DataFrame({"prediction": [0.5 + number]}).to_parquet(folder / PREDICTIONS)
        trials.append(_record(number, state, folder))
    assert gather_predictions(trials, tmp_path / "all.parquet")
    table = pd.read_parquet(tmp_path / "all.parquet")
    assert table.to_dict("list") == {"prediction": [0.5], "trial": [0]}
    assert not gather_predictions(trials[1:], tmp_path / "none.parquet")
    assert not (tmp_path / "none.parquet").exists()
