"""A rerun is kept beside the trial that it repeats, and never counts as one of the sweep."""

from __future__ import annotations

from io import StringIO
from math import nan

import pandas as pd
import pytest

from pdf_search.errors import ConfigError
from pdf_search.records import METRICS, EpochReport, Phase, ReplicateEpoch, State
from pdf_search.results import Store
from pdf_search.sweep import Plan
from pdf_search.sweep.api import recorded_plan
from pdf_search.sweep.confirm_phase import best_trials, rerun_job
from pdf_search.sweep.reruns import rerun_verdict
from pdf_search.sweep.samplers.jobs import Job
from pdf_search.sweep.trial_log.recovery import retry, retry_later, settle_study
from pdf_search.sweep.trial_log.trial_log import TrialLog
from pdf_search.sweep.tune.rules.brackets import Brackets
from pdf_search.sweep.tune.rules.promotion import rebuild
from reports import load_sweep
from tests.sweep.by_hand import ByHand, driver
from tests.sweep.helpers import NAME, Bench, finish, report


def rerun(plan: Plan, store: Store, number: int, phase: Phase = Phase.SEARCH) -> list[str]:
    """Train a trial once more; returns what is told of it."""
    again = driver(plan, store)
    again.rerun(ByHand(), number, phase)  # type: ignore[arg-type]
    return again.messages


def test_a_rerun_with_other_numbers_says_from_where_on() -> None:
    def curve(*values: float | None) -> list[EpochReport]:
        epochs = enumerate(values, start=1)
        return [EpochReport(n, 0.1, (ReplicateEpoch(nan, v),), 1.0, 1.0) for n, v in epochs]

    rmse, accuracy = METRICS["rmse"], METRICS["accuracy"]
    before = curve(2.0, 1.5, 1.0)
    equal = rerun_verdict("trial 3", before, curve(2.0, 1.5, 1.0, 0.5), rmse)
    assert equal == "the rerun has all numbers of trial 3, to the last digit, in 3 epochs"
    other = rerun_verdict("trial 3", before, curve(2.0, 1.5000000000000002, 1.25), rmse)
    assert other == (
        "the rerun differs from trial 3 from epoch 2 on: validation RMSE 1.25, before 1, in epoch 3"
    )
    assert "validation accuracy (%) undefined, before 50," in rerun_verdict(
        "run 1", curve(0.5), curve(None), accuracy
    )
    assert rerun_verdict("trial 3", before, [], rmse) == ""


def test_a_rerun_of_the_search_is_no_trial_of_it(plan: Plan, store: Store) -> None:
    before = load_sweep(store, NAME)
    told, verdict = rerun(plan, store, 2)
    assert told.startswith("trial 4 of phase search is a rerun of trial 2")
    assert verdict == "the rerun has all numbers of trial 2, to the last digit, in 12 epochs"
    known = "there is: 0, 1, 2, 3$"
    with pytest.raises(ConfigError, match=rf"no trial 4 .*: it is a rerun of 2 itself; {known}"):
        rerun(plan, store, 4)
    with pytest.raises(ConfigError, match=rf"no trial 9 to train again in phase search; {known}"):
        rerun(plan, store, 9)
    after = load_sweep(store, NAME)
    assert after.search == before.search
    assert [(e.trial.origin, e.rank) for e in after.reruns] == [("rerun of 2", None)]
    assert after.reruns[0].trial.config_hash == store.trials(NAME)[2].config_hash
    assert store.sweep(NAME).trials == 4
    assert after.notices() == before.notices()


def test_no_copy_is_confirmed(plan: Plan, store: Store) -> None:
    rerun(plan, store, 2)
    assert sorted(t.number for t in best_trials(store, NAME, 99)) == [0, 1, 2, 3]
    again = driver(plan, store)
    again.confirm(ByHand(), 99)  # type: ignore[arg-type]
    assert "only 4 trials of the search are COMPLETE: 4 confirmed instead of 99" in again.messages
    assert len(load_sweep(store, NAME).confirmed) == 4


def test_a_rerun_of_the_baseline_is_refused_and_what_is_there_is_named(
    plan: Plan, store: Store
) -> None:
    driver(plan, store).confirm(ByHand(), 1)  # type: ignore[arg-type]
    first, baseline = store.trials(NAME, Phase.CONFIRM)
    assert (first.number, baseline.origin) == (0, "baseline")
    with pytest.raises(ConfigError) as caught:
        rerun(plan, store, baseline.number, Phase.CONFIRM)
    assert str(caught.value) == (
        "no trial 1 to train again in phase confirm: it is the baseline, which trains nothing; "
        f"there is: 0 ({first.origin})"
    )


def test_a_rerun_does_not_count_in_the_progress(plan: Plan, store: Store) -> None:
    again = driver(plan, store)
    again.rerun(ByHand(), 2, Phase.SEARCH)  # type: ignore[arg-type]
    assert (again.view.done, again.view.total) == (4, 4)
    file = again.console.file
    assert isinstance(file, StringIO)
    assert "search trial 4 (rerun of trial 2) COMPLETE  [4/4 done, 0 running" in file.getvalue()


def test_a_rerun_of_a_confirmation_is_no_replicate_and_no_configuration(
    plan: Plan, store: Store
) -> None:
    driver(plan, store).confirm(ByHand(), 1)  # type: ignore[arg-type]
    before = load_sweep(store, NAME)
    again = driver(plan, store)
    again.rerun(ByHand(), 0, Phase.CONFIRM)  # type: ignore[arg-type]
    searched = store.trials(NAME, Phase.CONFIRM)[0].searched_as
    called = f"the confirmation of trial {searched}"
    told, verdict = again.messages
    assert told.startswith(f"run 2 of phase confirm is a rerun of {called}: ")
    assert verdict.startswith(f"the rerun has all numbers of {called}, to the last digit")
    file = again.console.file
    assert isinstance(file, StringIO)
    assert f"confirming run 2 (rerun of {called}) COMPLETE" in file.getvalue()
    after = load_sweep(store, NAME)
    assert after.confirmations == before.confirmations
    assert [e.summary.n for e in after.confirmed] == [2]
    assert after.winning_run == before.winning_run
    assert set(pd.read_parquet(plan.folder.predictions)["trial"]) == {0}
    assert [(e.trial.phase, e.trial.origin) for e in after.reruns] == [
        (Phase.CONFIRM, "rerun of 0")
    ]


def test_a_failed_confirmation_is_trained_again_though_its_rerun_is_whole(
    plan: Plan, store: Store
) -> None:
    driver(plan, store).confirm(ByHand(), 1)  # type: ignore[arg-type]
    rerun(plan, store, 0, Phase.CONFIRM)
    store.update_trial(NAME, Phase.CONFIRM, 0, state=State.FAILED)
    runner = ByHand()
    driver(plan, store).confirm(runner, 1)  # type: ignore[arg-type]
    assert runner.given == [([3], False)]
    first, *_, last = store.trials(NAME, Phase.CONFIRM)
    assert (last.origin, last.config_hash) == (first.origin, first.config_hash)


def test_a_search_that_goes_on_still_has_all_its_trials_to_train(plan: Plan, store: Store) -> None:
    rerun(plan, store, 1)
    rerun(plan, store, 1)
    more = recorded_plan(store, plan.folder, plan.options.out, None, trials=6)
    driver(more, store).search(ByHand())  # type: ignore[arg-type]
    data = load_sweep(store, NAME)
    assert sorted(e.trial.number for e in data.search) == [0, 1, 2, 3, 6, 7]
    assert len({e.trial.config_hash for e in data.search}) == 6


def test_a_rerun_left_unfinished_is_trained_to_its_end(plan: Plan, store: Store) -> None:
    assert plan.rungs  # at which a trial of the search may be stopped
    with driver(plan, store)._trial_log(Phase.SEARCH) as trial_log:
        trial_log.planned(rerun_job(trial_log, 0, "cpu"))
    runner = ByHand()
    driver(plan, store).search(runner)  # type: ignore[arg-type]
    assert runner.given == [([4], False), ([], True)]


def test_a_rerun_is_nothing_that_trials_are_compared_with_at_a_rung(bench: Bench) -> None:
    trial_log = searched(bench, 2)
    again = rerun_job(trial_log, 0, "cpu")
    trial_log.planned(again)
    trial_log.started(again.number)
    for epoch in range(1, 4):
        trial_log.epoch(again.number, report(epoch, 0.1), "cpu")
    brackets = Brackets.make("asha", "min", (1,), 3, 1)
    rebuild(brackets, bench.trial_log())
    assert sorted(number for _, number in brackets.of(0).reached[1]) == [0, 1]


def test_a_rerun_that_failed_is_tried_again_without_a_word_to_optuna(bench: Bench) -> None:
    trial_log = searched(bench, 1)
    again = rerun_job(trial_log, 0, "cpu")
    finish(trial_log, again, 1.0, State.FAILED)
    retry_later(trial_log, [again.number])
    told = len(bench.log.study.trials)
    retry(trial_log)
    settle_study(bench.log, trial_log)
    assert trial_log.records[again.number].state is State.INTERRUPTED
    assert len(bench.log.study.trials) == told


def searched(bench: Bench, trials: int) -> TrialLog:
    """A trial log of a search whose first trials are whole."""
    trial_log = bench.trial_log()
    new = bench.suggestions(trial_log)
    for _ in range(trials):
        job = new.next()
        assert isinstance(job, Job)
        finish(trial_log, job, 2.0)
    return trial_log
