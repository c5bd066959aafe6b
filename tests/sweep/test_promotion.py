"""A search with early stopping whose trials are driven by hand, one or two at a time."""

from __future__ import annotations

from math import nan
from pathlib import Path

import pytest

from pdf_search.records import State
from pdf_search.space import Space
from pdf_search.sweep.samplers.jobs import Job
from pdf_search.sweep.trial_log.recovery import settle_study, unfinished_jobs
from pdf_search.sweep.trial_log.trial_log import TrialLog
from pdf_search.sweep.tune.rules.brackets import Brackets
from pdf_search.sweep.tune.rules.promotion import PromotingSource, rebuild
from tests.sweep.helpers import NAME, Bench, Recorded, report

EPOCHS = 12
RUNGS = (3, 6)
# The value of trial n at every epoch.
LEVELS = (5.0, 3.0, 8.0, 1.0, 4.0, 7.0, 2.0, 6.0)


class Run:
    """One process of a search, with checkpoints at rungs only."""

    def __init__(self, bench: Bench, keep: int = 2) -> None:
        self.trial_log: TrialLog = bench.trial_log()
        settle_study(bench.log, self.trial_log)
        self.brackets = Brackets.make("asha", "min", RUNGS, 3, keep)
        rebuild(self.brackets, self.trial_log)
        unfinished = unfinished_jobs(self.trial_log, "cpu", Recorded(epoch_in))
        new = bench.suggestions(self.trial_log, unfinished=unfinished)
        self.source = PromotingSource(new, self.brackets, self.trial_log, "cpu", Recorded(epoch_in))
        self.order: list[tuple[int, int]] = []

    def next(self) -> Job | None:
        job = self.source.next()
        if job is not None:
            self.trial_log.planned(job)
            self.trial_log.started(job.number)
            self.order.append((job.number, self.trial_log.records[job.number].epochs_done))
        return job

    def train(self, job: Job, upto: int = EPOCHS) -> None:
        """Train until the trial waits or ends, or to an epoch, where the process is killed."""
        rungs = self.brackets.of(job.number)
        for epoch in range(self.trial_log.records[job.number].epochs_done + 1, upto + 1):
            self.trial_log.epoch(job.number, report(epoch, LEVELS[job.number]), "cpu")
            self.brackets.see(job.number, epoch, LEVELS[job.number])
            if epoch in RUNGS:
                self.trial_log.checkpoint(job.number, f"/t/{job.number:04d}/{epoch}")
                if not rungs.goes_on(job.number):
                    self.trial_log.paused(job.number)
                    return
                rungs.promote(job.number)
        if upto == EPOCHS:
            self.trial_log.ended(job.number, State.COMPLETE)

    def whole(self) -> None:
        while (job := self.next()) is not None:
            self.train(job)
        self.source.finish()


def epoch_in(checkpoint: str) -> int | None:
    return int(checkpoint.rpartition("/")[2])


def states(bench: Bench) -> list[tuple[str, int]]:
    return [(trial.state.value, trial.epochs_done) for trial in bench.store.trials(NAME)]


def test_the_best_of_a_rung_go_on_from_their_checkpoints(bench: Bench) -> None:
    run = Run(bench)
    run.whole()
    # Trial 1 is the best of the first three. Trial 3 is better and goes on at once, as 6 does
    # later; of the three that reach epoch 6, 3 is the best. 6 goes on since two are to be kept.
    assert states(bench) == [
        ("PRUNED", 3),
        ("PRUNED", 6),
        ("PRUNED", 3),
        ("COMPLETE", 12),
        ("PRUNED", 3),
        ("PRUNED", 3),
        ("COMPLETE", 12),
        ("PRUNED", 3),
    ]
    assert [pair for pair in run.order if pair[1]] == [(1, 3), (3, 6), (6, 6)]
    assert run.order[-3:] == [(3, 6), (7, 0), (6, 6)]
    assert run.source.waits() is False
    reasons = [t.message for t in bench.store.trials(NAME) if t.state is State.PRUNED]
    assert reasons[0] == "number 3 after 3 epochs, of which the best 2 go on"
    told = [t.state.name for t in bench.log.study.trials if "rejected" not in t.user_attrs]
    assert told == [state for state, _ in states(bench)]


def test_no_trial_that_ends_early_is_better_than_one_that_is_confirmed(bench: Bench) -> None:
    Run(bench).whole()
    kept = [LEVELS[t.number] for t in bench.store.trials(NAME) if t.state is State.COMPLETE]
    left = [LEVELS[t.number] for t in bench.store.trials(NAME) if t.state is State.PRUNED]
    assert sorted(kept)[:2] == sorted(LEVELS)[:2]
    assert min(left) > max(kept)


def test_while_trials_run_others_may_still_go_on(bench: Bench) -> None:
    run = Run(bench)
    jobs = [run.next() for _ in range(8)]
    assert run.next() is None
    assert run.source.waits()
    for job in jobs[:2]:
        assert job is not None
        run.train(job)
    assert run.source.waits()
    going = run.next()  # the two that wait are to be kept, as far as anyone knows
    assert going is not None
    assert going.number == 1
    assert going.config.content_hash() == run.trial_log.records[1].config_hash
    assert going.resume == "/t/0001/3"


@pytest.mark.parametrize(("after", "kill"), [(1, 2), (1, 3), (4, 3), (4, 5), (4, 7), (8, 6)])
def test_a_killed_search_goes_on_as_the_unbroken_one(
    tmp_path: Path, space: Space, kill: int, after: int
) -> None:
    """Killed in an epoch of the ``after``-th job: before, at and between the rungs."""

    def searched(folder: Path, breaks: bool) -> tuple[list[tuple[str, int]], list[str]]:
        folder.mkdir()
        bench = Bench(folder, space, "random+asha")
        run = Run(bench)
        if breaks:
            for count in range(after):
                job = run.next()
                assert job is not None
                run.train(job, kill if count == after - 1 else EPOCHS)
            bench.close()
            bench = Bench(folder, space, "random+asha")
            run = Run(bench)
        run.whole()
        return states(bench), [trial.config_hash for trial in bench.store.trials(NAME)]

    assert searched(tmp_path / "a", breaks=True) == searched(tmp_path / "b", breaks=False)


def test_one_that_went_on_at_a_rung_goes_on_after_a_kill(bench: Bench) -> None:
    run = Run(bench)
    for upto in (EPOCHS, EPOCHS, EPOCHS, 3):  # the third waits, and lets trial 1 go on
        job = run.next()
        assert job is not None
        run.train(job, upto)
    assert job.number == 1
    job = run.next()
    assert job is not None
    run.train(job, 3)  # trial 3 is the best there
    record = Run(bench).trial_log.records[3]
    assert (record.state, record.epochs_done) == (State.RUNNING, 3)


def test_one_that_diverged_at_a_rung_does_not_wait_after_a_kill(bench: Bench) -> None:
    run = Run(bench)
    job = run.next()
    assert job is not None
    run.trial_log.epoch(0, report(2, 1.0), "cpu")
    run.trial_log.checkpoint(0, "/t/0000/2")
    run.trial_log.epoch(0, report(3, nan), "cpu")
    assert Run(bench).trial_log.records[0].state is State.RUNNING


def test_checkpoints_of_those_left_behind_are_removed(bench: Bench) -> None:
    Run(bench).whole()
    folders = [path for path in bench.discarded if path.count("/") == 2]
    assert sorted(folders) == [f"/t/{n:04d}" for n in (0, 1, 2, 4, 5, 7)]
    assert sorted(set(bench.discarded) - set(folders)) == ["/t/0003/3", "/t/0006/3"]
