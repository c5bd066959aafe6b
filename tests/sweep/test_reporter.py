"""Which epochs a worker reports with a checkpoint, and what the checkpoint carries; without Ray."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from math import nan
from pathlib import Path
from typing import Any

import pytest

from pdf_search.config import TrialConfig
from pdf_search.records import EpochReport, ReplicateEpoch
from pdf_search.space import Space
from pdf_search.sweep.samplers.trial_builder import TrialBuilder, example
from pdf_search.sweep.trial_log.saved import SavedTrial
from pdf_search.sweep.tune import checkpoints, reporter
from pdf_search.sweep.tune.reporter import Reporter, SavesAtItsEnd, trains_here
from tests.sweep.helpers import report


@pytest.fixture
def config(space: Space) -> TrialConfig:
    return TrialBuilder(space, 0, 2, 2, 1, "cpu").search(example(space))


class Told:
    """Stands where Tune takes reports; from epoch ``ends`` on it ends the trial, as Tune does."""

    def __init__(self, ends: int = 1000) -> None:
        self.ends = ends
        self.saved: list[SavedTrial] = []
        self.last: list[SavedTrial] = []

    def __call__(self, result: dict[str, Any], checkpoint: Any = None) -> None:
        if checkpoint is not None:
            self.saved.append(self._read(Path(checkpoint.path)))
        if result["epoch"] >= self.ends:
            raise SystemExit(0)

    def keep(self, folder: Path) -> None:
        self.last.append(self._read(folder))

    def _read(self, folder: Path) -> SavedTrial:
        saved = checkpoints.read(str(folder))
        assert saved is not None
        return saved


def save(folder: Path) -> None:
    (folder / "checkpoint.pt").write_text("weights")


@pytest.fixture
def tell(config: TrialConfig, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Reporter]:
    def made(told: Told, epochs: tuple[int, ...] = (), **more: float) -> Reporter:
        monkeypatch.setattr(reporter.tune, "report", told)
        seconds = more.pop("seconds", 1e9)
        return Reporter(config, epochs, seconds, "cpu", told.keep, **more)

    return made


def test_checkpoints_come_soon_and_then_less_often(
    monkeypatch: pytest.MonkeyPatch, tell: Callable[..., Reporter]
) -> None:
    clock, told = [0.0], Told()
    monkeypatch.setattr(reporter.time, "monotonic", lambda: clock[0])
    made = tell(told, (1000,), seconds=30.0)
    for epoch in range(1, 200):
        clock[0] = float(epoch)
        made(EpochReport(epoch, 1e-3, (ReplicateEpoch(1.0),), 1.0, 1.0), save)
    assert [saved.epoch for saved in told.saved] == [4, 12, 28, 58, 88, 118, 148, 178]
    carried = [result.epoch for saved in told.saved for result in saved.results]
    assert carried == list(range(1, 179))  # each those since the one before


def test_the_last_epoch_has_a_checkpoint_whatever_the_clock_says(
    config: TrialConfig, tell: Callable[..., Reporter]
) -> None:
    made = tell(told := Told(), (3,))
    for epoch in (1, 2, 3):
        made(report(epoch, 0.5), save)
    (saved,) = told.saved
    assert (saved.epoch, saved.configuration, saved.device) == (3, config.content_hash(), "cpu")
    assert saved.results == tuple(report(epoch, 0.5) for epoch in (1, 2, 3))


def test_the_epoch_before_the_time_is_up_has_one(tell: Callable[..., Reporter]) -> None:
    made = tell(told := Told(), left=60.0)
    made(report(1, 0.5), save)  # half a second long
    assert told.saved == []
    made(EpochReport(2, 1e-3, (ReplicateEpoch(1.0),), 50.0, 1.0), save)
    assert [saved.epoch for saved in told.saved] == [2]


def test_a_trial_that_tune_ends_saves_what_it_has(tell: Callable[..., Reporter]) -> None:
    made = tell(told := Told(ends=2))
    made(report(1, 0.5), save)
    with pytest.raises(SystemExit):
        made(report(2, 0.4), save)
    assert [(saved.epoch, len(saved.results)) for saved in told.last] == [(2, 2)]
    made = tell(told := Told(ends=2), (2,))  # saved already: at a rung
    with pytest.raises(SystemExit):
        made(report(2, 0.4), save)
    assert (len(told.saved), told.last) == (1, [])


def test_what_has_diverged_is_never_saved(tell: Callable[..., Reporter]) -> None:
    made = tell(told := Told(ends=2), (1, 2))
    made(report(1, nan), save)
    with pytest.raises(SystemExit):
        made(EpochReport(2, 1e-3, (ReplicateEpoch(nan),), 0.5, 1.0), save)
    assert (told.saved, told.last) == ([], [])


def test_a_worker_waits_for_the_last_checkpoint() -> None:
    done = []

    class Trainable:
        def cleanup(self) -> None:
            stopped.set()

    class Ours(SavesAtItsEnd, Trainable):
        pass

    def train() -> None:
        trains_here()
        began.set()
        stopped.wait()
        time.sleep(0.2)
        done.append("saved")

    began, stopped = threading.Event(), threading.Event()
    threading.Thread(target=train, daemon=True).start()
    began.wait()
    Ours().cleanup()
    assert done == ["saved"]


HANGS = """
import time
from pdf_search.sweep.tune.reporter import Reporter
def no_epoch_comes():
    time.sleep(60)
class Trial:
    def content_hash(self):
        return ""
reporter = Reporter(Trial(), (), 1.0, "cpu", None, timeout=0.3)
with reporter.watched():
    time.sleep(0.1)
time.sleep(0.6)  # after its end a worker is not watched
with reporter.watched():
    no_epoch_comes()
"""


def test_a_worker_that_hangs_ends_itself_and_says_where() -> None:
    begun = time.monotonic()
    ended = subprocess.run(
        [sys.executable, "-c", HANGS], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert "in no_epoch_comes" in ended.stderr
    assert time.monotonic() - begun < 60


def test_each_epoch_gives_a_trial_time_again(
    monkeypatch: pytest.MonkeyPatch, tell: Callable[..., Reporter]
) -> None:
    begun: list[float] = []
    monkeypatch.setattr(
        reporter.faulthandler, "dump_traceback_later", lambda s, **_: begun.append(s)
    )
    made = tell(Told(), timeout=60.0)
    with made.watched():
        made(report(1, 1.0), save)
        made(report(2, 1.0), save)
    assert begun == [60.0] * 3
