"""Population based training without Ray: what is perturbed, what is recorded, how a resume goes."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from pdf_search.config import TrialConfig
from pdf_search.records import Phase, State
from pdf_search.space import Space
from pdf_search.sweep.confirm_phase import changed_on_the_way
from pdf_search.sweep.samplers.explore import explored, explored_parameters, perturbation_epochs
from pdf_search.sweep.samplers.jobs import Job
from pdf_search.sweep.trial_log.recovery import unfinished_jobs
from pdf_search.sweep.trial_log.trial_log import TrialLog
from pdf_search.sweep.tune.rules.population import Population
from tests.sweep.conftest import SPACE, write_space
from tests.sweep.helpers import NAME, Bench, Recorded, config_of, report

EPOCHS = (3, 6)
RATE = "training.learning_rate"


@pytest.fixture
def space(tmp_path: Path) -> Space:
    model = "model: {hidden: {choice: [16, 32]}, layers: 2, dropout: {choice: [0.0, 0.1, 0.3]}}"
    old = "model: {hidden: {choice: [16, 32, 64, 128]}, layers: 2}"
    listed = "  - model.hidden: 32\n"
    text = SPACE.replace(old, model).replace(listed, f"{listed}    model.dropout: 0.1\n")
    return write_space(tmp_path, text=text)


@pytest.fixture
def bench(tmp_path: Path, space: Space) -> Bench:
    return Bench(tmp_path, space, "pbt", trials=4)


class Driven:
    """A population whose trials are trained by hand; ``again`` is what a resume makes of it."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.log = bench.trial_log()
        parameters = explored_parameters(bench.space)
        (base,) = bench.space.points_to_evaluate
        bench.log.fixed = {path: v for path, v in base.items() if path not in parameters}
        self.said: list[str] = []
        self.population = Population(
            bench.suggestions(
                self.log, unfinished=unfinished_jobs(self.log, "cpu", Recorded(epoch_of))
            ),
            self.log,
            EPOCHS,
            parameters,
            seed=0,
            device="cpu",
            saved=Recorded(epoch_of),
            say=self.said.append,
        )

    def again(self) -> Driven:
        self.bench.open()
        return Driven(self.bench)

    def next(self) -> Job:
        job = self.population.next()
        assert job is not None
        self.log.planned(job)
        return job

    def train(self, job: Job, value: float, to: int = 0) -> None:
        """Train a segment, or up to the epoch ``to``, with a checkpoint at its end."""
        self.log.started(job.number)
        done = epoch_of(job.resume) if job.resume else 0
        part = next((epoch for epoch in EPOCHS if epoch > done), 9)
        end = to or part
        for epoch in range(done + 1, end + 1):
            self.log.epoch(job.number, report(epoch, value), "cpu")
        self.log.checkpoint(job.number, f"/t/{job.number:04d}-{part}/checkpoint_{end:06d}")
        if end in EPOCHS:
            self.log.paused(job.number)
        elif end == 9:
            self.log.ended(job.number, State.COMPLETE)

    def segment(self, values: dict[int, float]) -> list[Job]:
        jobs = [self.next() for _ in values]
        for job in jobs:
            self.train(job, values[job.number])
        return jobs


def epoch_of(checkpoint: str) -> int:
    return int(checkpoint[-6:])


VALUES = {0: 2.0, 1: 1.0, 2: 4.0, 3: 3.0}  # trial 1 is the best, trial 2 the worst


def records(log: TrialLog) -> dict[int, tuple[str, object, str]]:
    return {n: (r.config_hash, r.perturbations, r.checkpoint) for n, r in log.records.items()}


def test_segments_are_even_and_the_last_is_whole() -> None:
    assert perturbation_epochs(0, 12) == (3, 6, 9)
    assert perturbation_epochs(3, 40) == (5, 10, 15, 20, 25, 30, 35)
    assert perturbation_epochs(6, 12) == ()


def test_all_members_have_the_first_points_architecture(bench: Bench) -> None:
    driven = Driven(bench)
    jobs = [driven.next() for _ in range(4)]
    assert {(j.config.model.hidden, j.config.training.batch_size) for j in jobs} == {(32, 16)}
    assert len({j.config.training.learning_rate for j in jobs}) == 4
    assert [job.origin for job in jobs] == ["listed"] + ["sampled"] * 3
    assert driven.population.next() is None
    assert driven.population.waits()


def test_the_worst_goes_on_from_the_best_when_all_have_come(bench: Bench) -> None:
    driven = Driven(bench)
    jobs = [driven.next() for _ in range(4)]
    for job in jobs[:3]:
        driven.train(job, VALUES[job.number])
    assert driven.population.next() is None  # trial 3 still trains
    driven.train(jobs[3], VALUES[3])
    then = {job.number: job for job in (driven.next() for _ in range(4))}

    assert [then[n].config for n in (0, 1, 3)] == [jobs[n].config for n in (0, 1, 3)]
    assert [then[n].resume for n in range(4)] == [
        "/t/0000-3/checkpoint_000003",
        "/t/0001-3/checkpoint_000003",
        "/t/0001-3/checkpoint_000003",
        "/t/0003-3/checkpoint_000003",
    ]
    worst, record = then[2].config, driven.log.records[2]
    assert worst.unchanged == jobs[1].config
    (change,) = worst.training.changes
    assert change.after == 3
    values = {RATE: change.learning_rate, "model.dropout": change.dropout}
    assert record.perturbations == [{"epoch": 3, "from": 1, "values": values}]
    assert record.params == {**(jobs[2].params or {}), **values}
    assert record.config_hash == worst.content_hash()
    assert bench.store.trials(NAME)[2] == record
    assert bench.discarded == ["/t/0002-3"]
    assert driven.said[0].startswith("epoch 3: trial 2 goes on from trial 1, training.learning")


def test_a_checkpoint_that_another_trial_goes_on_from_is_kept(bench: Bench) -> None:
    driven = Driven(bench)
    driven.segment(VALUES)
    jobs = {job.number: job for job in (driven.next() for _ in range(4))}
    for number in range(4):
        driven.train(jobs[number], VALUES[number])
    assert "/t/0001-3" not in bench.discarded  # trial 2 may have to go back to it
    assert len([driven.next() for _ in range(4)]) == 4
    assert "/t/0001-3" in bench.discarded


def test_a_whole_run_ends_with_its_schedule_recorded(bench: Bench) -> None:
    driven = Driven(bench)
    assert driven.population.remaining() == 4
    for values in (VALUES, {**VALUES, 2: 0.5}, VALUES):
        driven.segment(values)
    assert driven.population.next() is None
    assert not driven.population.waits()
    assert {r.state for r in driven.log.records.values()} == {State.COMPLETE}
    # After epoch 6 trial 3 went on from trial 2, which had gone on from trial 1 after epoch 3.
    changes = config_of(driven.log.records[3]).training.changes
    assert [change.after for change in changes] == [3, 6]
    assert changes[0] == config_of(driven.log.records[2]).training.changes[0]
    told = changed_on_the_way(
        Job(Phase.CONFIRM, 0, config_of(driven.log.records[3]), "confirm of 3")
    )
    assert told.startswith("confirm of 3: learning rate, weight decay and dropout change after")
    assert changed_on_the_way(Job(Phase.CONFIRM, 1, config_of(driven.log.records[0]))) == ""


@pytest.mark.parametrize("trained", [0, 1, 4])
def test_a_resume_goes_on_from_the_last_perturbation(bench: Bench, trained: int) -> None:
    """Killed after so many of the second segments; what was decided is decided again alike."""
    driven = Driven(bench)
    driven.segment(VALUES)
    jobs = [driven.next() for _ in range(4)]
    for job in jobs[:trained]:
        driven.train(job, 1.0 + job.number)
    before = records(driven.log)
    again = driven.again()
    if trained:
        assert "perturbation after epoch 3, 1 of 2 perturbations" in again.population.reached()
    rest = [again.next() for _ in range(4 - trained)]
    if trained < 4:
        assert rest == jobs[trained:]
        assert records(again.log) == before
        assert again.population.next() is None
    for job in rest:
        again.train(job, 1.0 + job.number)
    last = [again.next() for _ in range(4)]
    assert [epoch_of(job.resume) for job in last] == [6] * 4
    (told,) = again.log.records[3].perturbations or []
    assert (told["epoch"], told["from"]) == (6, 0)


def test_a_perturbation_that_a_kill_cut_off_is_done_whole(bench: Bench) -> None:
    driven = Driven(bench)
    driven.segment(VALUES)
    again = driven.again()  # all have come, nothing is perturbed yet
    assert "before its first perturbation" in again.population.reached()
    assert again.next().number == 0
    assert again.log.records[2].perturbations is not None
    assert records(driven.again().log) == records(again.log)


def test_a_member_in_the_middle_goes_on_at_its_checkpoint(bench: Bench) -> None:
    driven = Driven(bench)
    driven.segment(VALUES)
    jobs = [driven.next() for _ in range(4)]
    driven.train(jobs[0], 2.0, to=5)
    again = driven.again()
    first = again.next()
    assert (first.number, epoch_of(first.resume)) == (0, 5)


def test_a_member_whose_checkpoint_is_lost_catches_up(bench: Bench) -> None:
    driven = Driven(bench)
    driven.segment(VALUES)
    jobs = [driven.next() for _ in range(4)]
    for job in jobs:
        driven.train(job, 1.0 + job.number)
    again = driven.again()
    again.population.saved = Recorded(lambda path: None if "0001-6" in path else epoch_of(path))
    last = {job.number: job for job in (again.next() for _ in range(4))}
    assert last[1].resume == ""
    again.train(last[1], 1.0)  # up to epoch 3, while the others train to their end
    assert again.next().number == 1


def test_who_has_failed_takes_no_part(bench: Bench) -> None:
    driven = Driven(bench)
    jobs = [driven.next() for _ in range(4)]
    driven.log.started(1)
    driven.log.ended(1, State.FAILED, "boom")
    for job in (jobs[0], jobs[2], jobs[3]):
        driven.train(job, VALUES[job.number])
    assert [driven.next().number for _ in range(3)] == [0, 2, 3]
    assert (driven.log.records[2].perturbations or [])[0]["from"] == 0


def test_values_stay_in_their_domains(bench: Bench, space: Space) -> None:
    parameters = explored_parameters(space)
    assert set(parameters) == {RATE, "model.dropout"}
    config: TrialConfig = bench.builder.search(dict(space.points_to_evaluate[0]))
    rates, dropouts = set(), set()
    for seed in range(200):
        (change,) = explored(config, 3, parameters, Random(seed)).training.changes
        rates.add(change.learning_rate)
        dropouts.add(change.dropout)
        assert change.weight_decay == config.training.weight_decay
    assert {0.0032, 0.0048} <= {round(rate, 12) for rate in rates}
    assert len(rates) > 20  # some are drawn anew
    assert all(1e-3 <= rate <= 1e-2 for rate in rates)
    assert dropouts == {0.0, 0.1, 0.3}
