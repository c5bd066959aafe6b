"""``--from``: what an earlier sweep knows is told to the sampler, and to nobody else."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from io import StringIO
from math import nan
from pathlib import Path
from typing import Any

import pytest
from optuna.trial import TrialState
from rich.console import Console

from pdf_search.errors import ConfigError, StoreError
from pdf_search.records import METRICS, Phase, Protocol, State
from pdf_search.results import Store
from pdf_search.space import Space
from pdf_search.stop_condition import StopCondition
from pdf_search.sweep import Plan, SweepOptions, plan_sweep
from pdf_search.sweep.api import new_sweep_record, recorded_plan
from pdf_search.sweep.confirm_phase import rerun_job
from pdf_search.sweep.driver import Driver, Functions
from pdf_search.sweep.samplers.jobs import Job
from pdf_search.sweep.samplers.optuna_study import OptunaStudy
from pdf_search.sweep.samplers.suggestions import Suggestions
from pdf_search.sweep.trial_log.trial_log import TrialLog
from tests.sweep.conftest import SPACE, write_space
from tests.sweep.helpers import NAME, SHAPE, Bench, SilentView, finish, report, sweep_record

RATE, HIDDEN = "training.learning_rate", "model.hidden"


def curve(last: int, best: float) -> list[float]:
    """Falls to ``best`` at epoch 5, or later by a tenth an epoch, and to 0.5 less at epoch 12."""
    values = [best + 0.1 * abs(epoch - 5) for epoch in range(1, last + 1)]
    return [*values[:-1], best - 0.5] if last == 12 else values


TRIALS: tuple[tuple[int, State, list[float]], ...] = (
    (16, State.COMPLETE, curve(12, 2.0)),
    (32, State.PRUNED, curve(3, 3.0)),
    (64, State.PRUNED, curve(9, 2.5)),
    (64, State.DIVERGED, [4.0, 4.0, nan]),
    (16, State.FAILED, [4.0]),
)


@pytest.fixture
def earlier(space: Space, cache: Path, tmp_path: Path) -> Iterator[Store]:
    """A recorded sweep of the same data, with a trial of each end."""
    made = planned(space, cache, tmp_path)
    folder = tmp_path / "runs" / NAME
    folder.mkdir(parents=True)
    with Store(f"sqlite:///{folder / 'results.db'}") as store:
        store.create_sweep(sweep_record(space, "tpe", len(TRIALS)))
        store.update_sweep(NAME, fingerprint=made.data.fingerprint, split_hash=made.split_hash)
        trial_log = TrialLog(store, NAME, Phase.SEARCH, SHAPE, SilentView(), print)
        for number, (hidden, state, values) in enumerate(TRIALS):
            point = {HIDDEN: hidden, RATE: 0.001 * (number + 1), "training.batch_size": 16}
            config = Bench.builder_of(space).search(point)
            trial_log.planned(Job(Phase.SEARCH, number, config, "sampled", point))
            trial_log.started(number)
            for epoch, value in enumerate(values, start=1):
                trial_log.epoch(number, report(epoch, value), "cpu")
            trial_log.ended(number, state)
        yield store


def planned(space: Space, cache: Path, tmp_path: Path, **options: Any) -> Plan:
    out = tmp_path / "runs"
    return plan_sweep(space, SweepOptions(out=out, cache=cache, **{"name": "second"} | options))


def after(space: Space, cache: Path, tmp_path: Path, **options: Any) -> Plan:
    return planned(space, cache, tmp_path, from_sweeps=(NAME,), **options)


def study_of(plan: Plan, tmp_path: Path) -> OptunaStudy:
    url = f"sqlite:///{tmp_path / 'second.db'}"
    return OptunaStudy(url, plan.name, plan.space, METRICS["rmse"], 5, plan.trials)


@pytest.mark.usefixtures("earlier")
def test_optuna_is_told_what_the_earlier_sweep_knew(
    space: Space, cache: Path, tmp_path: Path
) -> None:
    made = after(space, cache, tmp_path, seed=7)  # another seed makes no difference
    study = study_of(made, tmp_path)
    study.learn([*made.earlier.trials, *made.earlier.trials])  # a sweep that is named twice
    study.learn(made.earlier.trials)  # as a resume does
    told = study.study.trials
    complete, pruned = TrialState.COMPLETE, TrialState.PRUNED
    assert [t.state for t in told] == [complete, pruned, pruned, pruned]
    expected = [(2.1 + 2.0 + 2.1) / 3, (3.4 + 3.3 + 3.2) / 3, (2.7 + 2.8 + 2.9) / 3, None]
    assert [t.value for t in told] == [v if v is None else pytest.approx(v) for v in expected]
    assert [t.params[HIDDEN] for t in told] == [16, 32, 64, 64]
    assert [t.params[RATE] for t in told] == [0.001, 0.002, 0.003, 0.004]
    assert [len(t.intermediate_values) for t in told] == [12, 3, 9, 0]
    assert [t.user_attrs["earlier"] for t in told] == [f"sweep trial {n}" for n in range(4)]
    assert not study.untold
    study.accept(study.ask("tpe"), 0)
    assert study.untold == {0: 4}
    assert study.study.trials[4].distributions == told[0].distributions
    study.close()
    again = study_of(made, tmp_path)
    assert (again.draws, again.used_points, again.untold) == (5, set(), {0: 4})
    again.close()


def test_a_rerun_says_nothing_new(
    space: Space, cache: Path, tmp_path: Path, earlier: Store
) -> None:
    trial_log = TrialLog(earlier, NAME, Phase.SEARCH, SHAPE, SilentView(), print)
    finish(trial_log, rerun_job(trial_log, 3, "cpu"), 1.0)
    found = after(space, cache, tmp_path).earlier
    assert len(found.trials) == 4
    assert "4 of 4 trials used" in found.words[0]


@pytest.mark.usefixtures("earlier")
@pytest.mark.parametrize(
    ("epochs", "ends", "words"),
    [
        (12, [(State.COMPLETE, 12), (State.PRUNED, 3), (State.PRUNED, 9), (State.DIVERGED, 3)], ""),
        (9, [(State.COMPLETE, 9), (State.PRUNED, 3), (State.COMPLETE, 9), (State.DIVERGED, 3)], ""),
        (3, [(State.COMPLETE, 3)] * 3 + [(State.DIVERGED, 3)], ""),
        (2, [(State.COMPLETE, 2)] * 4, ""),
        (
            13,
            [(State.PRUNED, 3), (State.PRUNED, 9), (State.DIVERGED, 3)],
            ", 1 trained for fewer than 13 epochs",
        ),
    ],
)
def test_values_are_compared_at_the_same_budget(
    space: Space,
    cache: Path,
    tmp_path: Path,
    epochs: int,
    ends: list[tuple[State, int]],
    words: str,
) -> None:
    made = after(space, cache, tmp_path, epochs=epochs)
    assert [(t.state, t.epochs[-1].epoch) for t in made.earlier.trials] == ends
    assert made.earlier.words == (f"sweep: {len(ends)} of 4 trials used{words}",)
    assert f"earlier     {made.earlier.words[0]}\n" in "\n".join(made.lines())


@pytest.mark.usefixtures("earlier")
@pytest.mark.parametrize(
    ("old", "new", "kept", "words"),
    [
        ("[16, 32, 64, 128]", "[16, 32]", [16, 32], "2 outside this space (model.hidden = 64)"),
        ("{choice: [16, 32, 64, 128]}", "64", [64, 64], "1 outside this space (model.hidden = 16)"),
        ("layers: 2", "layers: 3", [], "4 outside this space (model.layers = 2)"),
        ("1e-3, 1e-2]", "1.5e-3, 1e-2]", [32, 64, 64], "(training.learning_rate = 0.001)"),
        (
            "hidden: {choice",
            "dropout: {choice: [0.0]}, hidden: {choice",
            [16, 32, 64, 64],
            "4 of 4",
        ),
    ],
)
def test_a_trial_counts_where_this_space_has_it(
    cache: Path, tmp_path: Path, old: str, new: str, kept: list[int], words: str
) -> None:
    text = SPACE.replace(old, new).split("points_to_evaluate:")[0]
    text += "basis:" + SPACE.replace(old, new).split("basis:")[1]
    made = after(write_space(tmp_path, text=text), cache, tmp_path)
    build = made.builder.search
    assert [build(t.values).model.hidden for t in made.earlier.trials] == kept
    assert words in made.earlier.words[0]


@pytest.mark.usefixtures("earlier")
def test_the_plan_says_that_random_draws_do_not_learn(
    space: Space, cache: Path, tmp_path: Path
) -> None:
    made = after(space, cache, tmp_path, method="random")
    text = "sweep: 4 of 4 trials used; the method random does not use them"
    assert made.earlier.described(made.method) == text


@pytest.mark.usefixtures("earlier")
def test_a_quick_plan_says_that_it_did_not_look(space: Space, cache: Path, tmp_path: Path) -> None:
    made = after(space, cache, tmp_path, quick=True)
    assert made.earlier.trials == ()
    assert "not read with --quick" in made.as_dict()["earlier"]
    with pytest.raises(StoreError, match=r"no sweep in .*nosuch"):
        planned(space, cache, tmp_path, from_sweeps=(NAME, "nosuch"), quick=True)


COMPACT = SPACE.replace(
    "basis: {eps: [-0.3], k: 2}",
    "basis: {eps: {low: -0.5, high: {range: [-0.4, -0.1], step: 0.1}, step: 0.1}, k: 2, "
    "select: {choice: [compact, full]}}",
).replace(
    "    training.batch", "    basis.eps.high: -0.2\n    basis.select: compact\n    training.batch"
)


def test_trials_with_compact_bases_fit(cache: Path, tmp_path: Path) -> None:
    space = write_space(tmp_path, text=COMPACT)
    made = planned(space, cache, tmp_path, name=NAME)
    with made.folder.open_store(create=True) as store:
        store.create_sweep(new_sweep_record(made, "command"))
        search(made, store)
    again = after(space, cache, tmp_path, epochs=2)
    assert again.earlier.words == ("sweep: 6 of 6 trials used",)
    known = [t.values["basis.select"] for t in again.earlier.trials]
    assert known[0] == "compact"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"fingerprint": "f"}, r"its data \(freesolv f\) is not that of this sweep \(freesolv"),
        ({"split_hash": "s"}, r"its split \(s\) is not that of this sweep"),
        ({"metric": "mae"}, r"its metric \(mae\) is not that of this sweep \(rmse\)"),
        ({"protocol": Protocol.INNER}, r"its protocol \(inner\) .* \(split\)"),
    ],
)
def test_another_sweep_is_refused(
    earlier: Store, space: Space, cache: Path, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    earlier.update_sweep(NAME, **changes)
    with pytest.raises(ConfigError, match=f"--from sweep: {message}"):
        after(space, cache, tmp_path)


def test_a_sweep_without_trials_is_refused(
    earlier: Store, space: Space, cache: Path, tmp_path: Path
) -> None:
    record = earlier.sweep(NAME)
    empty = tmp_path / "runs" / "empty"
    empty.mkdir()
    with Store(f"sqlite:///{empty / 'results.db'}") as store:
        store.create_sweep(
            type(record)(**{**vars(record), "name": "empty"}),
        )
    with pytest.raises(ConfigError, match="--from empty: its search has no trial that ended"):
        planned(space, cache, tmp_path, from_sweeps=("empty",))


class StubRunner:
    """Trains nothing: every trial ends after two epochs. ``most``: then the driver is killed."""

    def __init__(self, most: int) -> None:
        self.most = most

    def run(self, source: Suggestions, trial_log: TrialLog, _scheduler: object) -> None:
        for number, job in enumerate(iter(source.next, None)):
            if number == self.most:
                raise KeyboardInterrupt
            finish(trial_log, job, 5.0 - 0.1 * job.number)


def search(plan: Plan, store: Store, most: int = 99) -> None:
    driver = Driver(plan, store, StopCondition(), Console(file=StringIO()), Functions())
    driver.search(StubRunner(most))  # type: ignore[arg-type]


@pytest.mark.usefixtures("earlier")
def test_a_sweep_that_is_resumed_learns_once_and_counts_its_own_trials_alone(
    space: Space, cache: Path, tmp_path: Path
) -> None:
    made = after(space, cache, tmp_path, no_portfolio=True)
    with made.folder.open_store(create=True) as store:
        store.create_sweep(new_sweep_record(made, "command"))
        out = tmp_path / "runs"
        made = recorded_plan(store, made.folder, out, None)  # killed before the first trial
        assert len(made.earlier.trials) == 4
        with pytest.raises(KeyboardInterrupt):
            search(made, store, most=2)
        shutil.rmtree(out / NAME)  # by then it is not read any more
        again = recorded_plan(store, made.folder, out, None)
        assert again.earlier.trials == ()
        assert again.options.from_sweeps == (NAME,)
        search(again, store)
        records = store.trials("second", Phase.SEARCH)
    assert [r.number for r in records] == list(range(6))
    assert [r.origin for r in records] == ["listed", *["sampled"] * 5]
    study = OptunaStudy(made.folder.database, "second", space, METRICS["rmse"], 0, 6)
    told = study.study.trials
    assert ["earlier" in t.user_attrs for t in told[:5]] == [True] * 4 + [False]
    assert sum("earlier" in t.user_attrs for t in told) == 4
    ours = [t.user_attrs for t in told if "trial" in t.user_attrs]
    assert [a["trial"] for a in ours if "rejected" not in a] == list(range(6))
    study.close()
