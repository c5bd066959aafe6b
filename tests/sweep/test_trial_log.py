from __future__ import annotations

from dataclasses import replace

import pytest

from pdf_search.errors import ConfigError
from pdf_search.records import Phase, State
from pdf_search.sweep.confirm_phase import (
    add_baseline,
    best_trials,
    confirm_jobs,
    confirmed_already,
    rerun_job,
    shortfall,
)
from pdf_search.sweep.samplers.seeds import confirm_seeds, search_seeds
from pdf_search.sweep.trial_log.recovery import unfinished_jobs
from pdf_search.sweep.trial_log.trial_log import TrialLog
from tests.sweep.helpers import NAME, NONE, Bench, Recorded, finish, report
from tests.sweep.simulated import simulated_baseline


def epochs_of(bench: Bench, number: int) -> list[int]:
    return [e.epoch for e in bench.store.epochs(NAME, Phase.SEARCH, number)]


def start(bench: Bench, trial_log: TrialLog, epochs: int, checkpoint: str = "") -> int:
    job = bench.suggestions(trial_log).next()
    assert job is not None
    trial_log.planned(job)
    trial_log.started(job.number)
    for epoch in range(1, epochs + 1):
        trial_log.epoch(job.number, report(epoch, 5.0 - epoch), "cpu")
    if checkpoint:
        trial_log.checkpoint(job.number, checkpoint)
    return job.number


def test_a_trial_is_written_as_it_happens(bench: Bench) -> None:
    trial_log = bench.trial_log()
    job = bench.suggestions(trial_log).next()
    assert job is not None
    trial_log.planned(job)
    (row,) = bench.store.trials(NAME)
    assert (row.state, row.started) == (State.NOT_STARTED, "")
    assert row.config == job.config.model_dump(mode="json")
    assert row.config_hash == job.config.content_hash()
    assert row.parameters is not None
    trial_log.started(0)
    trial_log.epoch(0, report(1, 3.0), "cpu")
    (row,) = bench.store.trials(NAME)
    assert (row.state, row.epochs_done, row.device) == (State.RUNNING, 1, "cpu")
    trial_log.epoch(0, report(2, 2.0), "cpu")
    trial_log.ended(0, State.FAILED, "no memory")
    (row,) = bench.store.trials(NAME)
    assert (row.state, row.message, row.epochs_done) == (State.FAILED, "no memory", 2)
    assert (row.seconds, row.peak_mb) == (1.0, 10.0)
    assert row.ended


def test_unfinished_trials_continue_after_their_checkpoint(bench: Bench) -> None:
    trial_log = bench.trial_log()
    start(bench, trial_log, epochs=5, checkpoint="/trials/0000-a/checkpoint_000001")
    again = bench.trial_log()
    (job,) = unfinished_jobs(again, "cpu", Recorded({"/trials/0000-a/checkpoint_000001": 3}.get))
    assert (job.number, job.resume) == (0, "/trials/0000-a/checkpoint_000001")
    assert job.config.content_hash() == again.records[0].config_hash
    assert epochs_of(bench, 0) == [1, 2, 3, 4, 5]
    again.planned(job)
    again.started(0)
    for epoch in (4, 5, 6):
        again.epoch(0, report(epoch, 1.0), "cpu")
    assert epochs_of(bench, 0) == [1, 2, 3, 4, 5, 6]
    again.checkpoint(0, "/trials/0000-b/checkpoint_000000")
    assert bench.discarded == []  # in case the new one is damaged
    again.checkpoint(0, "/trials/0000-b/checkpoint_000001")
    assert bench.discarded == ["/trials/0000-a"]
    again.ended(0, State.COMPLETE)
    assert bench.discarded == ["/trials/0000-a", "/trials/0000-b/checkpoint_000000"]


@pytest.mark.parametrize("checkpoint", ["", "/gone/checkpoint_000000"])
def test_without_a_whole_checkpoint_a_trial_starts_over(bench: Bench, checkpoint: str) -> None:
    start(bench, bench.trial_log(), epochs=2, checkpoint=checkpoint)
    (job,) = unfinished_jobs(bench.trial_log(), "cpu", NONE)
    assert job.resume == ""
    assert epochs_of(bench, 0) == [1, 2]
    assert bench.store.trials(NAME)[0].checkpoint == ""


def test_finished_trials_are_left_alone_on_resume(bench: Bench) -> None:
    trial_log = bench.trial_log()
    source = bench.suggestions(trial_log)
    for state in (State.COMPLETE, State.PRUNED, State.DIVERGED, State.FAILED):
        job = source.next()
        assert job is not None
        finish(trial_log, job, 1.0, state)
    again = bench.trial_log()
    assert unfinished_jobs(again, "cpu", NONE) == []
    assert all(epochs_of(bench, n) == [1, 2] for n in range(4))


def test_epochs_trained_twice_are_counted_once(bench: Bench) -> None:
    trial_log = bench.trial_log()
    start(bench, trial_log, epochs=4)
    trial_log.epoch(0, report(3, 9.0), "cpu")
    stored = bench.store.epochs(NAME, Phase.SEARCH, 0)
    assert [(e.epoch, e.valid) for e in stored] == [(1, 4.0), (2, 3.0), (3, 9.0), (4, 1.0)]
    assert bench.store.trials(NAME)[0].seconds == 2.0


def test_an_epoch_reads_no_earlier_one(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    trial_log = bench.trial_log()
    start(bench, trial_log, epochs=2)
    monkeypatch.setattr(bench.store, "epochs", None)
    trial_log.epoch(0, report(3, 7.0), "cpu")
    assert bench.store.trials(NAME)[0].seconds == 1.5
    assert trial_log.view.events[-1] == "epoch 0 3 (3.0,)"  # type: ignore[attr-defined]


@pytest.mark.parametrize("state", [State.PAUSED, State.PRUNED, State.DIVERGED, State.COMPLETE])
def test_epochs_trained_twice_leave_nothing_of_the_first_time(bench: Bench, state: State) -> None:
    trial_log = bench.trial_log()
    start(bench, trial_log, epochs=4)
    trial_log.epoch(0, replace(report(2, 9.0), peak_mb=7.0), "cpu")
    trial_log.epoch(0, report(3, 8.0), "cpu")
    assert trial_log.view.events[-1] == "epoch 0 4 (1.0,)"  # type: ignore[attr-defined]
    if state is State.PAUSED:
        trial_log.paused(0)
        assert trial_log.view.events[-1] == "paused 0 3"  # type: ignore[attr-defined]
    else:
        trial_log.ended(0, state)
        assert trial_log.view.events[-1] == f"ended 0 {state} (4.0,)"  # type: ignore[attr-defined]
    (row,) = bench.store.trials(NAME)
    assert (row.epochs_done, row.seconds, row.peak_mb) == (3, 1.5, 10.0)
    again = bench.trial_log()
    again.show()
    assert again.view.events == ["seen 0 (4.0,)"]  # type: ignore[attr-defined]


def test_epochs_that_only_an_earlier_attempt_trained_stay_while_a_trial_can_go_on(
    bench: Bench,
) -> None:
    trial_log = bench.trial_log()
    start(bench, trial_log, epochs=4, checkpoint="/trials/0000-a/checkpoint_000000")
    for end in (trial_log.interrupted, lambda: trial_log.lost(0, "its node was lost")):
        trial_log.started(0)
        trial_log.epoch(0, report(2, 9.0), "cpu")
        end()
        assert epochs_of(bench, 0) == [1, 2, 3, 4]
    trial_log.started(0)
    trial_log.ended(0, State.FAILED, "the worker was killed")
    assert epochs_of(bench, 0) == [1, 2, 3, 4]


def test_checkpoints_of_stopped_trials_are_removed(bench: Bench) -> None:
    trial_log = bench.trial_log()
    start(bench, trial_log, epochs=3, checkpoint="/t/0000-a/checkpoint_000000")
    trial_log.ended(0, State.PRUNED)
    assert bench.discarded == ["/t/0000-a"]
    assert bench.store.trials(NAME)[0].checkpoint == ""


def test_an_interrupted_trial_runs_no_longer_and_says_how_to_go_on(bench: Bench) -> None:
    trial_log = bench.trial_log()
    start(bench, trial_log, epochs=2)
    start(bench, trial_log, epochs=5, checkpoint="/t/0001-a/checkpoint_000000")
    start(bench, trial_log, epochs=0)
    trial_log.interrupted()
    over, kept, anew = bench.store.trials(NAME)
    assert (anew.state, anew.epochs_done) == (State.NOT_STARTED, 0)
    assert anew.message == "interrupted; `pdf-search resume sweep` starts it"
    assert (over.state, epochs_of(bench, 0)) == (State.INTERRUPTED, [1, 2])  # nothing is lost yet
    assert "at epoch 2, before its first checkpoint; `pdf-search resume sweep`" in over.message
    assert (kept.state, kept.epochs_done) == (State.INTERRUPTED, 5)
    assert kept.message == "interrupted at epoch 5; `pdf-search resume sweep` continues"
    again = bench.trial_log()
    jobs = unfinished_jobs(again, "cpu", Recorded({"/t/0001-a/checkpoint_000000": 3}.get))
    places = [(j.number, j.resume) for j in jobs]
    assert places == [(0, ""), (1, "/t/0001-a/checkpoint_000000"), (2, "")]
    assert epochs_of(bench, 0) == [1, 2]
    again.started(1)
    row = bench.store.trials(NAME)[1]
    assert (row.state, row.message, row.epochs_done) == (State.RUNNING, "", 5)


def test_confirm_takes_the_best_complete_trials_in_the_order_of_the_search(bench: Bench) -> None:
    trial_log = bench.trial_log()
    source = bench.suggestions(trial_log)
    ends = [
        (3.0, State.COMPLETE),
        (0.1, State.PRUNED),
        (1.0, State.COMPLETE),
        (2.0, State.COMPLETE),
    ]
    for value, state in ends:
        job = source.next()
        assert job is not None
        finish(trial_log, job, value, state)
    chosen = best_trials(bench.store, NAME, 2)
    assert [t.number for t in chosen] == [2, 3]
    jobs = confirm_jobs(chosen, bench.trial_log(Phase.CONFIRM), bench.builder.confirm)
    assert [(j.number, j.origin) for j in jobs] == [(0, "confirm of 2"), (1, "confirm of 3")]
    for job, trial in zip(jobs, chosen, strict=True):
        assert job.config.phase is Phase.CONFIRM
        assert job.config.seeds == (1, 2, 3)
        assert job.config.model.model_dump(mode="json") == trial.config["model"]
        assert job.config.epochs == 12
    assert shortfall(len(chosen), 2) == ""
    assert "3 confirmed instead of 5" in shortfall(len(best_trials(bench.store, NAME, 5)), 5)
    assert "nothing was confirmed" in shortfall(0, 3)


def test_what_is_confirmed_is_not_confirmed_again(bench: Bench) -> None:
    trial_log = bench.trial_log()
    source = bench.suggestions(trial_log)
    for value in (3.0, 1.0, 2.0):
        job = source.next()
        assert job is not None
        finish(trial_log, job, value)
    confirm = bench.trial_log(Phase.CONFIRM)
    first = confirm_jobs(best_trials(bench.store, NAME, 2), confirm, bench.builder.confirm)
    for job in first:
        finish(confirm, job, 1.0)
    add_baseline(confirm, first[0].config, object(), simulated_baseline)  # type: ignore[arg-type]
    add_baseline(confirm, first[0].config, object(), simulated_baseline)  # type: ignore[arg-type]
    more = confirm_jobs(best_trials(bench.store, NAME, 3), confirm, bench.builder.confirm)
    assert [(j.number, j.origin) for j in more] == [(3, "confirm of 0")]
    rows = bench.store.trials(NAME, Phase.CONFIRM)
    assert [r.origin for r in rows] == ["confirm of 1", "confirm of 2", "baseline"]
    baseline = bench.store.epochs(NAME, Phase.CONFIRM, 2)
    assert [(e.epoch, e.replicates[0].test) for e in baseline] == [(0, 9.5)]


def test_a_stop_leaves_the_baseline_as_it_is_and_no_resume_trains_it(bench: Bench) -> None:
    job = bench.suggestions(trial_log := bench.trial_log()).next()
    assert job is not None
    finish(trial_log, job, 1.0)
    confirm = bench.trial_log(Phase.CONFIRM)
    first = confirm_jobs(best_trials(bench.store, NAME, 1), confirm, bench.builder.confirm)
    confirm.planned(first[0])
    add_baseline(confirm, first[0].config, object(), simulated_baseline)  # type: ignore[arg-type]
    assert confirm.going == {first[0].number}  # else a run waits for it when all has ended
    confirm.interrupted()
    rows = {r.origin: r for r in bench.store.trials(NAME, Phase.CONFIRM)}
    assert (rows["baseline"].state, rows["baseline"].message) == (State.COMPLETE, "")
    # Killed while it was recorded, and then trained as a model, as earlier versions did.
    confirm.save(replace(rows["baseline"], state=State.NOT_STARTED))
    again = bench.trial_log(Phase.CONFIRM)
    assert [j.origin for j in unfinished_jobs(again, "cpu", NONE)] == ["confirm of 0"]
    number = rows["baseline"].number
    again.epoch(number, report(1, 0.5), "cpu")
    again.save(replace(again.records[number], state=State.COMPLETE, parameters=7))
    add_baseline(again, first[0].config, object(), simulated_baseline)  # type: ignore[arg-type]
    (healed,) = (r for r in bench.store.trials(NAME, Phase.CONFIRM) if r.origin == "baseline")
    assert (healed.state, healed.parameters, healed.epochs_done) == (State.COMPLETE, 0, 0)
    assert [e.epoch for e in bench.store.epochs(NAME, Phase.CONFIRM, number)] == [0]


def test_more_seeds_train_only_the_new_ones(bench: Bench) -> None:
    job = bench.suggestions(trial_log := bench.trial_log()).next()
    assert job is not None
    finish(trial_log, job, 1.0)
    chosen = best_trials(bench.store, NAME, 1)
    confirm = bench.trial_log(Phase.CONFIRM)

    def jobs(count: int, **changes: int) -> list[tuple[int, str, tuple[int, ...]]]:
        build = replace(bench.builder, confirm_count=count, **changes).confirm
        return [(j.number, j.origin, j.config.seeds) for j in confirm_jobs(chosen, confirm, build)]

    (first,) = confirm_jobs(chosen, confirm, bench.builder.confirm)
    assert confirmed_already(chosen, confirm, bench.builder.confirm) == []
    confirm.planned(first)
    assert jobs(4) == [(1, "confirm of 0", (4,))]  # a row that is to be finished has its seeds
    finish(confirm, first, 1.0)
    assert jobs(5) == [(1, "confirm of 0", (4, 5))]
    assert jobs(3) == jobs(2) == []
    assert jobs(3, confirm_epochs=6) == [(1, "confirm of 0", (1, 2, 3))]
    fewer = replace(bench.builder, confirm_count=2, device="cuda").confirm
    assert confirmed_already(chosen, confirm, fewer) == ["trial 0 is confirmed on 3 seeds already"]


def test_a_failed_confirmation_is_trained_again(bench: Bench) -> None:
    job = bench.suggestions(trial_log := bench.trial_log()).next()
    assert job is not None
    finish(trial_log, job, 1.0)
    chosen = best_trials(bench.store, NAME, 1)
    confirm = bench.trial_log(Phase.CONFIRM)
    (first,) = confirm_jobs(chosen, confirm, bench.builder.confirm)
    finish(confirm, first, 1.0, State.FAILED)
    (again,) = confirm_jobs(chosen, confirm, bench.builder.confirm)
    assert (again.number, again.config.seeds) == (1, (1, 2, 3))
    finish(confirm, again, 1.0, State.DIVERGED)
    assert confirm_jobs(chosen, confirm, bench.builder.confirm) == []
    assert confirmed_already(chosen, confirm, bench.builder.confirm) == []


def test_rerun_is_a_new_row_of_the_same_configuration(bench: Bench) -> None:
    trial_log = bench.trial_log()
    job = bench.suggestions(trial_log).next()
    assert job is not None
    finish(trial_log, job, 1.0, State.FAILED)
    again = rerun_job(trial_log, 0, "cpu")
    assert (again.number, again.origin) == (1, "rerun of 0")
    assert again.config.content_hash() == job.config.content_hash()
    with pytest.raises(ConfigError, match="no trial 7"):
        rerun_job(trial_log, 7, "cpu")


def test_seeds_of_confirmation_are_fresh() -> None:
    for seed in range(5):
        fresh = confirm_seeds(seed, 4)
        assert len(set(fresh)) == 4
        assert not set(fresh) & set(search_seeds(seed))
        fresh = confirm_seeds(seed, 4, searched=3)
        assert len(set(fresh)) == 4
        assert not set(fresh) & set(search_seeds(seed, 3))


def test_a_trial_that_could_not_be_recorded_is_not_given_up_as_one_that_was(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OverflowError("too large for a column")

    trial_log = bench.trial_log()
    start(bench, trial_log, epochs=2)
    second = bench.suggestions(trial_log).next()
    assert second is not None
    with monkeypatch.context() as broken:
        broken.setattr(bench.store, "save_trial", refuse)
        with pytest.raises(OverflowError):
            trial_log.planned(second)
    trial_log.interrupted()
    (row,) = bench.store.trials(NAME)
    assert (row.number, row.state) == (0, State.INTERRUPTED)
    again = bench.trial_log()
    again.planned(second)
    assert [row.state for row in bench.store.trials(NAME)] == [State.INTERRUPTED, State.NOT_STARTED]
