"""Ray's side of the bookkeeping, without a cluster."""

from __future__ import annotations

import json
import pickle
import signal
import time
from math import nan
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import ray.cloudpickle
from ray.exceptions import RayTaskError
from ray.tune.search import Searcher

from pdf_search.errors import ResourceError
from pdf_search.records import State, TrialOutcome
from pdf_search.stop_condition import StopCondition
from pdf_search.sweep.tune.callbacks import Recorder, RunStopper
from pdf_search.sweep.tune.cluster.nodes import compare_node
from pdf_search.sweep.tune.payload import (
    NUMBER,
    TRIAL,
    pack_end,
    pack_epoch,
    unpack_end,
    unpack_epoch,
)
from pdf_search.sweep.tune.rules.brackets import Brackets
from pdf_search.sweep.tune.scheduler import WaitingScheduler
from pdf_search.sweep.tune.searcher import JobSearcher
from tests.sweep.helpers import NAME, Bench, report


def ray_trial(number: int = 0, **attributes: Any) -> Any:
    return SimpleNamespace(trial_id="t", config={NUMBER: number}, **attributes)


def send(recorder: Recorder, result: dict[str, Any]) -> None:
    recorder.on_trial_result(0, [], ray_trial(), result)


def test_what_travels_arrives() -> None:
    sent = report(3, 1.0, None, nan)
    arrived = unpack_epoch(json.loads(json.dumps(pack_epoch(sent, "cpu"))))
    assert repr(arrived) == repr(sent)
    outcome = TrialOutcome(State.DIVERGED, 4, "loss is nan")
    assert unpack_end(pack_end(outcome)) == outcome
    assert unpack_end(pack_epoch(sent, "cpu")) is None
    assert unpack_epoch(pack_end(outcome)) is None
    assert all(not isinstance(v, dict) and "/" not in k for k, v in pack_epoch(sent, "").items())


@pytest.mark.parametrize(
    ("outcome", "waiting", "state"),
    [
        (TrialOutcome(State.COMPLETE, 1), set(), State.COMPLETE),
        (TrialOutcome(State.DIVERGED, 1, "nan"), set(), State.DIVERGED),
        (None, {0}, State.PAUSED),
        (None, set(), State.FAILED),
    ],
)
def test_states_are_true(
    bench: Bench, outcome: TrialOutcome | None, waiting: set[int], state: State
) -> None:
    trial_log = bench.trial_log()
    stop_condition = StopCondition()
    searcher = JobSearcher(bench.suggestions(trial_log), trial_log, stop_condition)
    suggestion = searcher.suggest("t")
    assert suggestion[NUMBER] == 0
    assert json.loads(suggestion[TRIAL])["phase"] == "search"
    recorder = Recorder(trial_log, stop_condition, waiting, "/trials")
    recorder.on_trial_start(0, [], ray_trial())
    send(recorder, pack_epoch(report(1, 2.0), "cpu"))
    if outcome is not None:
        send(recorder, pack_end(outcome))
    recorder.on_trial_complete(0, [], ray_trial())
    (row,) = bench.store.trials(NAME)
    assert (row.state, row.epochs_done) == (state, 1)
    assert row.message == (outcome.message if outcome else row.message)
    assert stop_condition.error is None


def test_a_failed_trial_keeps_its_error(
    bench: Bench, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    trial_log = bench.trial_log()
    stop_condition = StopCondition()
    JobSearcher(bench.suggestions(trial_log), trial_log, stop_condition).suggest("t")
    file = tmp_path / "error.pkl"
    file.write_bytes(ray.cloudpickle.dumps(RayTaskError("train", "trace", ValueError("too big"))))
    recorder = Recorder(trial_log, stop_condition, set(), "/trials")
    recorder.on_trial_start(0, [], ray_trial())
    recorder.on_trial_error(0, [], ray_trial(pickled_error_file=str(file)))
    (row,) = bench.store.trials(NAME)
    assert (row.state, row.message) == (State.FAILED, "ValueError: too big")
    assert "trial 0: trace" in caplog.text


def test_the_log_has_where_a_trial_failed(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    trial_log = bench.trial_log()
    JobSearcher(bench.suggestions(trial_log), trial_log, StopCondition()).suggest("t")
    recorder = Recorder(trial_log, StopCondition(), set(), "/trials")
    recorder.on_trial_start(0, [], ray_trial())
    send(recorder, pack_end(TrialOutcome(State.FAILED, 0, "ValueError: odd", "line 7, in step")))
    recorder.on_trial_complete(0, [], ray_trial())
    (row,) = bench.store.trials(NAME)
    assert row.message == "ValueError: odd"
    assert "trial 0: line 7, in step" in caplog.text


@pytest.mark.parametrize("storage", ["/data/trials", "s3://bucket/trials"])
def test_checkpoints_are_recorded_where_a_resume_finds_them(bench: Bench, storage: str) -> None:
    trial_log = bench.trial_log()
    JobSearcher(bench.suggestions(trial_log), trial_log, StopCondition()).suggest("t")
    root = storage.removeprefix("s3://")
    checkpoint = SimpleNamespace(path=f"{root}/search/0000-a/checkpoint_000003")
    trial = ray_trial(storage=SimpleNamespace(storage_fs_path=root))
    Recorder(trial_log, StopCondition(), set(), storage).on_checkpoint(0, [], trial, checkpoint)  # type: ignore[arg-type]
    (row,) = bench.store.trials(NAME)
    assert row.checkpoint == f"{storage}/search/0000-a/checkpoint_000003"


def test_an_error_of_the_driver_ends_the_run(bench: Bench) -> None:
    trial_log = bench.trial_log()
    stop_condition = StopCondition()
    recorder = Recorder(trial_log, stop_condition, set(), "/trials")
    recorder.on_trial_start(0, [], ray_trial(99))
    assert isinstance(stop_condition.error, KeyError)
    assert RunStopper(stop_condition, trial_log).stop_all()
    assert (
        JobSearcher(bench.suggestions(trial_log), trial_log, stop_condition).suggest("t")
        == Searcher.FINISHED
    )


def test_time_is_up_at_the_limit() -> None:
    assert not StopCondition().due()
    assert not StopCondition(100).due()
    stop_condition = StopCondition(-1)
    assert stop_condition.ended == ""
    assert stop_condition.due()
    assert stop_condition.ended == "time"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_run_in_order_and_a_second_one_at_once(number: signal.Signals) -> None:
    stop_condition = StopCondition()
    usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
    before = signal.signal(number, usual)  # the tests themselves may run under nohup
    try:
        with stop_condition.on_signals():
            assert not stop_condition.due()
            signal.raise_signal(number)
            assert stop_condition.due()
            assert stop_condition.ended == "interrupted"
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(number)
        assert signal.getsignal(number) is usual
    finally:
        signal.signal(number, before)


def test_a_run_that_does_not_end_in_time_is_ended() -> None:
    stop_condition = StopCondition()
    with stop_condition.on_signals(patience=0.05):
        signal.raise_signal(signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            time.sleep(10)
    stop_condition = StopCondition()
    with stop_condition.on_signals(patience=0.05):
        signal.raise_signal(signal.SIGTERM)
        stop_condition.in_order()
        time.sleep(0.2)
    assert stop_condition.signal == signal.SIGTERM


def test_under_nohup_a_hang_up_is_none() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        stop_condition = StopCondition()
        with stop_condition.on_signals():
            signal.raise_signal(signal.SIGHUP)
        assert stop_condition.signal is None
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_ray_may_pickle_what_holds_the_database(bench: Bench) -> None:
    trial_log = bench.trial_log()
    for item in (
        Recorder(trial_log, StopCondition(), set(), ""),
        JobSearcher(bench.suggestions(trial_log), trial_log, StopCondition()),
        RunStopper(StopCondition(), trial_log),
        WaitingScheduler(lambda _number, _epoch, _value: True),
    ):
        pickle.loads(pickle.dumps(item))


def test_the_scheduler_stops_at_rungs_only_and_never_at_the_budget() -> None:
    scheduler = WaitingScheduler(Brackets.make("asha", "min", (3,), 3, 1).goes_on)

    def decide(number: int, epoch: int, value: float) -> str:
        return scheduler.on_trial_result(
            None, ray_trial(number), pack_epoch(report(epoch, value), "")
        )

    assert decide(0, 3, 1.0) == "STOP"  # it waits, with nothing to be compared with
    assert decide(1, 2, 9.0) == "CONTINUE"
    assert decide(1, 3, 2.0) == "STOP"
    assert decide(2, 3, nan) == "CONTINUE"  # it ends by itself, as DIVERGED
    assert decide(3, 3, 0.9) == "CONTINUE"  # the best of four
    assert decide(3, 9, 99.0) == "CONTINUE"
    assert scheduler.on_trial_result(None, ray_trial(0), {"end": "{}"}) == "CONTINUE"
    assert scheduler.waiting == {0, 1}


def test_a_node_that_differs_is_named() -> None:
    same = {"python": "3.11.7", "pdf-search": "1", "torch": "2", "storage": "True"}
    compare_node("node-a", same, same, "/shared")
    with pytest.raises(ResourceError, match="node-b has torch 1, this one 2"):
        compare_node("node-b", same | {"torch": "1"}, same, "/shared")
    with pytest.raises(ResourceError, match="node-c does not see /shared"):
        compare_node("node-c", same | {"storage": "False"}, same, "/shared")
