from __future__ import annotations

from math import nan
from pathlib import Path

import pytest
from optuna.storages import RDBStorage
from optuna.trial import FrozenTrial, TrialState

from pdf_search.errors import ConfigError
from pdf_search.records import Phase, State
from pdf_search.space import Space
from pdf_search.sweep.samplers import optuna_study
from pdf_search.sweep.samplers.optuna_study import Rejection
from pdf_search.sweep.trial_log.recovery import settle_study
from tests.sweep.conftest import SPACE, write_space
from tests.sweep.helpers import NAME, Bench, finish, report

GRID = SPACE.replace(
    "learning_rate: {range: [1e-3, 1e-2], log: true}", "learning_rate: {choice: [0.002, 0.004]}"
)
CONDITIONAL = SPACE.replace(
    "  learning_rate: {range: [1e-3, 1e-2], log: true}",
    """  learning_rate: {range: [1e-3, 1e-2], log: true}
  schedule:
    choice:
      cosine: {kind: cosine, warmup: 2}
      step: {kind: step, step: {range: [5, 20]}, gamma: {range: [0.1, 0.9]}}""",
).split("points_to_evaluate:")
CONDITIONAL_SPACE = CONDITIONAL[0] + "basis:" + CONDITIONAL[1].split("basis:")[1]


def test_published_point_comes_first_and_all_configurations_differ(bench: Bench) -> None:
    trial_log = bench.trial_log()
    source = bench.suggestions(trial_log)
    jobs = []
    while (job := source.next()) is not None:
        jobs.append(job)
        finish(trial_log, job, 1.0 + job.config.training.learning_rate)
    assert [job.number for job in jobs] == list(range(8))
    assert jobs[0].origin == "listed"
    assert jobs[0].config.training.learning_rate == 0.004
    assert {job.origin for job in jobs[1:]} == {"sampled"}
    assert len({job.config.content_hash() for job in jobs}) == 8
    assert all(job.config.phase is Phase.SEARCH for job in jobs)
    assert all(job.config.stop_epoch == 12 for job in jobs)


def test_violations_are_never_trained_and_are_told_as_infeasible(bench: Bench) -> None:
    trial_log = bench.trial_log()
    source = bench.suggestions(trial_log)
    while (job := source.next()) is not None:
        assert job.config.model.hidden <= 64  # 128 * 2 breaks the limit of 200
        finish(trial_log, job, 1.0)
    rejected = [t for t in bench.log.study.trials if "rejected" in t.user_attrs]
    assert rejected
    limit = "model.hidden * model.layers <= 200"
    for draw in rejected:
        if "limit" in draw.user_attrs["rejected"]:
            assert draw.state is TrialState.PRUNED
            assert draw.constraints == {limit: 2 * draw.params["model.hidden"] - 200}
            assert draw.value is None
    assert any(draw.constraints for draw in rejected)
    assert all(not t.constraints for t in bench.log.study.trials if "trial" in t.user_attrs)


def test_optuna_is_told_the_truth(bench: Bench) -> None:
    trial_log = bench.trial_log()
    source = bench.suggestions(trial_log)
    for state in (State.COMPLETE, State.PRUNED, State.DIVERGED, State.FAILED):
        job = source.next()
        assert job is not None
        trial_log.planned(job)
        trial_log.started(job.number)
        for epoch, value in ((1, 4.0), (2, 3.0), (3, 1.0), (4, 2.0)):
            trial_log.epoch(job.number, report(epoch, value), "cpu")
        if state is State.DIVERGED:
            trial_log.epoch(job.number, report(5, nan), "cpu")
        trial_log.ended(job.number, state, "why")
    told = [t for t in bench.log.study.trials if "trial" in t.user_attrs]
    assert [t.state for t in told] == [
        TrialState.COMPLETE,
        TrialState.PRUNED,
        TrialState.PRUNED,
        TrialState.FAIL,
    ]
    # The best mean of three epochs, 4.0, 3.0 and 1.0 the first, not the best epoch.
    assert [t.value for t in told] == [2.0, 2.0, None, None]
    assert told[1].intermediate_values == {1: 4.0, 2: 3.5, 3: pytest.approx(8 / 3), 4: 2.0}
    assert told[2].intermediate_values == {}  # a diverged trial that came far is still TPE's worst
    assert told[2].user_attrs["state"] == "DIVERGED"


def test_a_draw_and_its_end_do_not_read_the_draws_before_them(
    tmp_path: Path, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TPE reads those that it learns from, up to a number; nothing else reads them."""
    bench = Bench(tmp_path, space, "random+asha")
    listed = []
    monkeypatch.setattr(bench.log.study, "get_trials", lambda *a, **k: listed.append((a, k)))
    trial_log = bench.trial_log()
    source = bench.suggestions(trial_log)
    for state in (State.COMPLETE, State.PRUNED, State.FAILED):
        job = source.next()
        assert job is not None
        finish(trial_log, job, 1.0, state)
    assert not listed
    assert not bench.log.untold


def lent(bench: Bench) -> list[FrozenTrial]:
    """The finished trials as the sampler sees them."""
    return [trial for trial in bench.log.latest.lent() if trial.state.is_finished()]


def test_a_trial_that_waits_at_a_rung_is_seen_by_the_sampler_and_still_open(bench: Bench) -> None:
    trial_log = bench.trial_log()
    source = bench.suggestions(trial_log)
    jobs = [source.next() for _ in range(2)]
    for job in jobs:
        assert job is not None
        trial_log.planned(job)
        trial_log.started(job.number)
        trial_log.epoch(job.number, report(1, 3.0), "cpu")
        trial_log.epoch(job.number, report(2, 2.0 + job.number), "cpu")
    trial_log.paused(0)
    (seen,) = lent(bench)
    assert seen.state is TrialState.PRUNED
    assert seen.number < 0
    assert seen.intermediate_values == {1: 3.0, 2: 2.5}
    assert seen.params == bench.log.study.trials[0].params
    assert [t.state for t in bench.log.study.trials[:2]] == [TrialState.RUNNING] * 2
    assert bench.store.trials(NAME)[0].state is State.PAUSED
    trial_log.epoch(0, report(3, 1.0), "cpu")
    trial_log.ended(0, State.COMPLETE)  # it went on
    (seen,) = lent(bench)
    assert (seen.state, seen.value) == (TrialState.COMPLETE, 2.0)
    assert seen.intermediate_values == {1: 3.0, 2: 2.5, 3: 2.0}


def test_a_sampler_learns_from_the_last_trials(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pdf_search.sweep.samplers.latest_trials.WINDOW", 3)
    trial_log = bench.trial_log()
    source = bench.suggestions(trial_log)
    for number in range(5):
        job = source.next()
        assert job is not None
        finish(trial_log, job, float(number))
    assert [t.value for t in lent(bench)] == [2.5, 3.5, 4.5]


def test_an_end_that_a_killed_driver_did_not_tell_is_told_by_the_next(
    tmp_path: Path, space: Space
) -> None:
    bench = Bench(tmp_path, space)
    trial_log = bench.trial_log()
    job = bench.suggestions(trial_log).next()
    assert job is not None
    trial_log.study = None  # killed between the row of the end and Optuna's
    finish(trial_log, job, 1.0, State.PRUNED)
    bench.close()
    bench = Bench(tmp_path, space)
    assert list(bench.log.untold) == [job.number]
    settle_study(bench.log, bench.trial_log())
    told = bench.log.study.trials[bench.log.draws - 1]
    assert told.state is TrialState.PRUNED
    assert told.user_attrs["state"] == "PRUNED"
    assert told.intermediate_values == {1: 2.0, 2: 1.5}
    assert not bench.log.untold


def test_a_resumed_sweep_draws_what_the_unbroken_one_would_have(
    tmp_path: Path, space: Space
) -> None:
    def drawn(folder: Path, breaks: bool) -> list[str]:
        folder.mkdir()
        bench = Bench(folder, space)
        hashes = []
        trial_log = bench.trial_log()
        source = bench.suggestions(trial_log)
        for number in range(8):
            if breaks and number == 4:
                bench.close()
                bench = Bench(folder, space)
                trial_log = bench.trial_log()
                settle_study(bench.log, trial_log)
                source = bench.suggestions(trial_log)
            job = source.next()
            assert job is not None
            assert job.number == number
            hashes.append(job.config.content_hash())
            finish(trial_log, job, 1.0 + 100 * job.config.training.learning_rate)
        return hashes

    assert drawn(tmp_path / "a", breaks=False) == drawn(tmp_path / "b", breaks=True)


def test_a_draw_that_was_never_recorded_is_closed_and_its_point_tried_again(
    tmp_path: Path, space: Space
) -> None:
    bench = Bench(tmp_path, space)
    lost = bench.suggestions(bench.trial_log()).next()  # killed before trial_log.planned
    assert lost is not None
    bench.close()
    bench = Bench(tmp_path, space)
    trial_log = bench.trial_log()
    settle_study(bench.log, trial_log)
    job = bench.suggestions(trial_log).next()
    assert job is not None
    assert (job.number, job.origin) == (0, "listed")
    states = [t.state for t in bench.log.study.trials]
    assert states == [TrialState.FAIL, TrialState.RUNNING]


@pytest.mark.parametrize("killed", ["before its trial is recorded", "before it is accepted"])
def test_a_lost_draw_is_drawn_again_as_it_was(tmp_path: Path, space: Space, killed: str) -> None:
    def drawn(folder: Path, lost_at: int) -> list[str]:
        folder.mkdir()
        bench = Bench(folder, space, "tpe", trials=14)
        hashes: list[str] = []
        while len(hashes) < 14:  # the last ones by TPE's model, which learns from those before
            if len(hashes) == lost_at:
                if killed == "before it is accepted":
                    bench.log.ask("tpe")
                else:
                    bench.suggestions(bench.trial_log()).next()
                bench.close()
                bench = Bench(folder, space, "tpe", trials=14)
                lost_at = -1
            trial_log = bench.trial_log()
            settle_study(bench.log, trial_log)
            job = bench.suggestions(trial_log).next()
            assert job is not None
            hashes.append(job.config.content_hash())
            finish(trial_log, job, 1.0 + 100 * job.config.training.learning_rate)
        return hashes

    assert drawn(tmp_path / "a", 12) == drawn(tmp_path / "b", -1)


def test_an_end_that_the_study_missed_is_told_on_resume(tmp_path: Path, space: Space) -> None:
    bench = Bench(tmp_path, space)
    trial_log = bench.trial_log()
    job = bench.suggestions(trial_log).next()
    assert job is not None
    trial_log.study = None  # killed after the row, before telling
    finish(trial_log, job, 1.5)
    trial_log = bench.trial_log()
    settle_study(bench.log, trial_log)
    settle_study(bench.log, trial_log)
    (told,) = bench.log.study.trials
    assert (told.state, told.value) == (TrialState.COMPLETE, 2.0)


def test_a_grid_is_walked_once_and_says_when_it_ends(tmp_path: Path) -> None:
    space = write_space(tmp_path, text=GRID)
    bench = Bench(tmp_path, space, method="grid", trials=50)
    trial_log = bench.trial_log()
    source = bench.suggestions(trial_log)
    jobs = []
    while (job := source.next()) is not None:
        jobs.append(job)
        finish(trial_log, job, 1.0)
    points = {(j.config.model.hidden, j.config.training.learning_rate) for j in jobs}
    assert points == {(h, lr) for h in (16, 32, 64) for lr in (0.002, 0.004)}
    assert len(jobs) == 6
    assert [j.origin for j in jobs] == ["listed"] + ["grid"] * 5
    assert "6 trials instead of 50" in source.message


def test_a_small_space_ends_when_nothing_new_is_left(tmp_path: Path) -> None:
    space = write_space(tmp_path, text=GRID)
    bench = Bench(tmp_path, space, method="random", trials=50)
    trial_log = bench.trial_log()
    source = bench.suggestions(trial_log)
    count = 0
    while (job := source.next()) is not None:
        count += 1
        finish(trial_log, job, 1.0)
    assert count == 6  # also those that drawing misses
    assert "no new configuration" in source.message


def test_equal_configurations_are_trained_again_when_asked(tmp_path: Path) -> None:
    space = write_space(tmp_path, text=GRID)
    bench = Bench(tmp_path, space, method="random", trials=20)
    trial_log = bench.trial_log()
    source = bench.suggestions(trial_log, repeat=True)
    jobs = [source.next() for _ in range(20)]
    assert all(job is not None for job in jobs)
    assert len({job.config.content_hash() for job in jobs if job}) <= 6


def test_limits_that_nothing_meets_are_an_error(tmp_path: Path) -> None:
    text = SPACE.replace("<= 200", "<= 10")
    bench = Bench(tmp_path, write_space(tmp_path, text=text))
    with pytest.raises(ConfigError, match="Widen the space or its limits"):
        bench.suggestions(bench.trial_log()).next()


def test_equal_draws_are_answered_from_the_record(tmp_path: Path) -> None:
    bench = Bench(tmp_path, write_space(tmp_path, text=GRID), method="random", trials=6)
    trial_log = bench.trial_log()
    source = bench.suggestions(trial_log)
    states = (State.COMPLETE, State.PRUNED, State.DIVERGED, State.FAILED, State.COMPLETE)
    numbers = []
    for state in (*states, State.COMPLETE):
        job = source.next()
        assert job is not None
        numbers.append(job.number)
        finish(trial_log, job, 1.0 + job.number, state)
    assert numbers == list(range(6))  # a twin takes no number of a trial
    drawn = bench.log.study.trials
    own = {t.user_attrs["trial"]: t for t in drawn if "trial" in t.user_attrs}
    twins = [t for t in drawn if "twin" in t.user_attrs]
    assert {own[t.user_attrs["twin"]].state for t in twins} >= {
        TrialState.COMPLETE,
        TrialState.PRUNED,
    }
    for twin in twins:
        first = own[twin.user_attrs["twin"]]
        assert (twin.state, twin.value) == (first.state, first.value)
        assert twin.intermediate_values == first.intermediate_values
        assert "trial" not in twin.user_attrs
    unknown = [t for t in drawn if t not in twins and "trial" not in t.user_attrs]
    assert {t.state for t in unknown if not t.constraints} <= {TrialState.FAIL}  # as trial 3


def rejected(folder: Path, learns: bool) -> int:
    """How many draws outside a tight limit TPE makes after its random start."""
    folder.mkdir()
    text = SPACE.replace("{choice: [16, 32, 64, 128]}", "{range: [8, 256], step: 8}")
    bench = Bench(folder, write_space(folder, text=text), method="tpe", trials=10)
    if not learns:
        tell = bench.log.reject
        bench.log.reject = lambda n, rejection: tell(n, Rejection(rejection.reason))  # type: ignore[method-assign]
    source = bench.suggestions(bench.trial_log())
    start = 0
    while (job := source.next()) is not None:
        if job.number == 5:
            start = bench.log.draws
        value = 2.0 - job.config.model.hidden / 256  # wider is better, up to the limit and beyond
        bench.log.tell(job.number, State.COMPLETE, [report(1, value)])
    return bench.log.draws - start - 5


def test_tpe_learns_to_stay_within_the_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optuna_study, "open_storage", lambda *_: RDBStorage("sqlite://"))  # quick
    learned, not_learned = (rejected(tmp_path / str(x), learns=x) for x in (True, False))
    assert learned < not_learned / 2


@pytest.mark.parametrize("method", ["tpe", "random"])
def test_conditional_spaces_are_walked(tmp_path: Path, method: str) -> None:
    space = write_space(tmp_path, text=CONDITIONAL_SPACE)
    bench = Bench(tmp_path, space, method=method, trials=14)
    trial_log = bench.trial_log()
    source = bench.suggestions(trial_log)
    kinds = set()
    while (job := source.next()) is not None:
        kinds.add(job.config.training.schedule.kind)
        assert space.config(job.params or {}).training.schedule == job.config.training.schedule
        finish(trial_log, job, 1.0 + job.config.training.learning_rate)
    assert kinds == {"cosine", "step"}
