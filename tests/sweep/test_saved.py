"""Checkpoints on disk and the record: which is newer, which is whole, what is entered."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pdf_search.records import Phase, State
from pdf_search.sweep.trial_log.recovery import enter_saved, remove_leftovers, unfinished_jobs
from pdf_search.sweep.trial_log.saved import SavedTrial
from pdf_search.sweep.tune import checkpoints
from pdf_search.sweep.tune.checkpoints import SavedIn
from pdf_search.training.artifacts.checkpoint import CHECKPOINT
from tests.sweep.helpers import NAME, Bench, report


class Disk:
    """The storage of a sweep, written as workers write it."""

    def __init__(self, folder: Path, bench: Bench) -> None:
        self.storage = folder / "trials"
        self.bench = bench
        self.log = bench.trial_log()
        job = bench.suggestions(self.log).next()
        assert job is not None
        self.log.planned(job)
        self.log.started(0)
        self.log.discard = checkpoints.remove

    def save(self, name: str, epochs: range, configuration: str = "") -> str:
        """A checkpoint after the last of the epochs, with their results."""
        folder = self.storage / "search" / name
        folder.mkdir(parents=True)
        (folder / CHECKPOINT).write_bytes(bytes(range(250)))
        known = configuration or self.log.records[0].config_hash
        results = tuple(report(epoch, 5.0 - epoch) for epoch in epochs)
        checkpoints.mark(folder, SavedTrial("", epochs[-1], known, "cpu", results))
        return str(folder)

    def train(self, *epochs: int) -> None:
        for epoch in epochs:
            self.log.epoch(0, report(epoch, 5.0 - epoch), "cpu")

    def saved(self) -> SavedIn:
        return SavedIn(str(self.storage), Phase.SEARCH)

    def resumed(self) -> tuple[str, list[int]]:
        """What a resume goes on from, and the epochs that are recorded then."""
        log = self.bench.trial_log()
        log.discard = checkpoints.remove
        (job,) = unfinished_jobs(log, "cpu", self.saved())
        return job.resume, [e.epoch for e in self.bench.store.epochs(NAME, Phase.SEARCH, 0)]

    def names(self) -> list[str]:
        return sorted(path.name for path in self.storage.glob("search/*/checkpoint_*"))


@pytest.fixture
def disk(tmp_path: Path, bench: Bench) -> Disk:
    return Disk(tmp_path, bench)


def cut(checkpoint: str) -> None:
    file = Path(checkpoint) / CHECKPOINT
    file.write_bytes(file.read_bytes()[:100])


def test_a_checkpoint_knows_what_it_holds_and_whether_it_is_whole(disk: Disk) -> None:
    path = disk.save("0000-a/checkpoint_000000", range(1, 3), "abc")
    results = (report(1, 4.0), report(2, 3.0))
    assert checkpoints.read(path) == SavedTrial(path, 2, "abc", "cpu", results)
    cut(path)
    assert checkpoints.read(path) is None
    (Path(path) / CHECKPOINT).unlink()
    assert checkpoints.read(path) is None
    checkpoints.remove(path)
    checkpoints.remove(path)
    assert checkpoints.read(path) is None


def test_one_of_an_older_version_is_used_where_it_is_recorded(disk: Disk) -> None:
    path = disk.save("0000-a/checkpoint_000000", range(1, 3))
    (Path(path) / checkpoints.MARK).write_text('{"epoch": 2}')
    disk.train(1, 2, 3)
    disk.log.checkpoint(0, path)
    assert disk.resumed() == (path, [1, 2, 3])


def test_what_the_driver_did_not_hear_of_is_entered(disk: Disk) -> None:
    disk.train(1, 2)
    path = disk.save("0000-a/checkpoint_000000", range(1, 5))
    enter_saved(disk.log, disk.saved())
    row = disk.bench.store.trials(NAME)[0]
    assert (row.epochs_done, row.checkpoint, row.seconds) == (4, path, 2.0)
    assert disk.resumed() == (path, [1, 2, 3, 4])


def test_the_one_before_is_used_where_the_last_is_cut(disk: Disk) -> None:
    disk.train(1, 2, 3, 4)
    before = disk.save("0000-a/checkpoint_000000", range(1, 3))
    last = disk.save("0000-a/checkpoint_000001", range(3, 5))
    disk.log.checkpoint(0, before)
    disk.log.checkpoint(0, last)
    cut(last)
    assert disk.resumed() == (before, [1, 2, 3, 4])
    assert disk.names() == ["checkpoint_000000"]
    cut(before)
    assert disk.resumed() == ("", [1, 2, 3, 4])
    assert disk.names() == []


@pytest.mark.parametrize("strange", ["of another configuration", "with a gap"])
def test_what_does_not_go_on_from_the_record_is_left(disk: Disk, strange: str) -> None:
    disk.train(1, 2)
    known = disk.save("0000-a/checkpoint_000000", range(1, 3))
    disk.log.checkpoint(0, known)
    if strange == "with a gap":  # as after a power loss that took commits of the database too
        disk.save("0000-a/checkpoint_000001", range(5, 7))
    else:
        disk.save("0000-b/checkpoint_000000", range(1, 7), "another")
    assert disk.resumed() == (known, [1, 2])


def test_results_of_a_later_attempt_replace_those_of_an_earlier_one(disk: Disk) -> None:
    disk.train(1, 2, 3, 4)
    for epoch in (1, 2, 3, 4):
        disk.bench.store.add_epoch(NAME, Phase.SEARCH, 0, report(epoch, 7.0))
    path = disk.save("0000-b/checkpoint_000000", range(1, 4))
    assert disk.resumed() == (path, [1, 2, 3, 4])
    values = [e.valid for e in disk.bench.store.epochs(NAME, Phase.SEARCH, 0)]
    assert values == [4.0, 3.0, 2.0, 7.0]


def test_an_attempt_whose_checkpoint_was_never_recorded_is_found(disk: Disk) -> None:
    path = disk.save("0000-a/checkpoint_last", range(1, 4))
    disk.save("0001-a/checkpoint_000000", range(1, 7))  # of another trial
    assert disk.resumed() == (path, [1, 2, 3])


def test_a_trial_that_has_ended_leaves_its_last_checkpoint_or_none(disk: Disk) -> None:
    disk.train(1, 2, 3, 4)
    disk.log.checkpoint(0, disk.save("0000-a/checkpoint_000000", range(1, 3)))
    disk.log.checkpoint(0, disk.save("0000-a/checkpoint_000001", range(3, 5)))
    kept = disk.storage / "search" / "0000-b"
    shutil.copytree(disk.storage / "search" / "0000-a", kept)
    disk.log.ended(0, State.COMPLETE)
    assert disk.names() == ["checkpoint_000000", "checkpoint_000001", "checkpoint_000001"]
    remove_leftovers(disk.log, disk.saved())  # of an attempt before
    assert disk.names() == ["checkpoint_000001"]
    disk.log.ended(0, State.PRUNED)
    assert disk.names() == []


def test_of_a_trial_that_waits_only_the_newest_is_left(disk: Disk) -> None:
    disk.train(1, 2)
    disk.log.checkpoint(0, disk.save("0000-a/checkpoint_000000", range(1, 3)))
    disk.train(3, 4)
    last = disk.save("0000-b/checkpoint_000000", range(3, 5))
    disk.log.checkpoint(0, last)
    disk.log.paused(0)  # and killed
    log = disk.bench.trial_log()
    log.discard = checkpoints.remove
    remove_leftovers(log, disk.saved())
    assert (log.records[0].checkpoint, log.records[0].epochs_done) == (last, 4)
    assert not (disk.storage / "search" / "0000-a").exists()
    log.ended(0, State.PRUNED)
    assert disk.names() == []


def test_the_first_checkpoint_is_entered_though_its_epochs_are_recorded(disk: Disk) -> None:
    disk.train(1, 2)
    path = disk.save("0000-a/checkpoint_000000", range(1, 3))  # and killed before it was recorded
    enter_saved(disk.log, disk.saved())
    assert disk.log.records[0].checkpoint == path
