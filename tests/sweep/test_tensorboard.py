"""Curves for TensorBoard: what its files hold, whatever happens to a trial in between."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace
from math import nan
from pathlib import Path
from typing import Any

import pytest
from tensorboardX.proto.event_pb2 import Event

from pdf_search.records import State, TrialOutcome
from pdf_search.sweep.tune.payload import pack_end, pack_epoch
from pdf_search.sweep.tune.tensorboard import TensorBoard
from tests.sweep.helpers import Bench, report
from tests.sweep.test_recorder import ray_trial


def events(folder: Path) -> Iterator[Event]:
    """The records of all files of a folder: length, checksum, event, checksum."""
    for file in sorted(folder.glob("events.out.tfevents.*")):
        data, at = file.read_bytes(), 0
        while at < len(data):
            (length,) = struct.unpack("<Q", data[at : at + 8])
            yield Event.FromString(data[at + 12 : at + 12 + length])
            at += 16 + length


def scalars(folder: Path) -> list[tuple[str, int, float]]:
    return [
        (value.tag.removeprefix("ray/tune/"), event.step, value.simple_value)
        for event in events(folder)
        for value in event.summary.value
        if value.WhichOneof("value") == "simple_value"
    ]


@pytest.fixture
def board(bench: Bench, tmp_path: Path) -> TensorBoard:
    trial_log = bench.trial_log()
    job = bench.suggestions(trial_log).next()
    assert job is not None
    trial_log.planned(job)
    trial_log.save(replace(trial_log.records[0], params={"model.hidden": 48, "basis.eps": [-0.1]}))
    return TensorBoard(tmp_path / "tensorboard", trial_log)


def train(board: TensorBoard, trial: Any, *results: dict[str, Any]) -> None:
    """What Ray calls of a trial."""
    board.on_trial_start(0, [], trial)
    for result in results:
        board.on_trial_result(0, [], trial, result)
    board.on_trial_complete(0, [], trial)


def test_a_trial_that_waited_goes_on_in_its_folder(board: TensorBoard, tmp_path: Path) -> None:
    train(board, ray_trial(), pack_epoch(report(1, 2.0, 3.0), "cpu"))
    end = pack_end(TrialOutcome(State.COMPLETE, 2))
    train(board, ray_trial(), pack_epoch(report(2, 1.0, nan), "cpu"), end)
    (folder,) = (tmp_path / "tensorboard" / "search").iterdir()
    assert folder.name == "0000"
    found = scalars(folder)
    assert [(step, value) for name, step, value in found if name == "valid"] == [(1, 2.5), (2, 1.0)]
    assert ("train_loss", 1, 1.0) in found
    assert ("learning_rate", 2, pytest.approx(1e-3)) in found
    assert not any(name == "test" for name, *_ in found)
    told = b"".join(event.SerializeToString() for event in events(folder))
    assert b"model.hidden" in told
    assert b"[-0.1]" in told


def test_a_trial_that_fails_leaves_its_epochs(board: TensorBoard, tmp_path: Path) -> None:
    trial = ray_trial()
    board.on_trial_start(0, [], trial)
    board.on_trial_result(0, [], trial, pack_epoch(report(1, 2.0), "cpu"))
    board.on_trial_error(0, [], trial)
    assert ("valid", 1, 2.0) in scalars(tmp_path / "tensorboard" / "search" / "0000")
