"""Recording a step as a CUDA graph: when it is worth its time, and what it holds."""

from __future__ import annotations

import gc

import pytest
import torch

from pdf_search.training.cuda_graph import replay
from pdf_search.training.cuda_graph.replay import (
    RECORDING_SECONDS,
    SAVED_SECONDS,
    WARM_UP,
    Captured,
    drop,
    is_dropped,
    pays,
    replay_for,
)
from tests.training.fake_cuda import FakeCuda


def test_long_trials_earn_recording_back(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", "pdf_search")
    enough = int(RECORDING_SECONDS / SAVED_SECONDS) + 1
    assert pays(enough)
    assert not pays(enough - 1)
    first, second = (record.message for record in caplog.records)
    assert first.startswith(f"{enough} steps: recording takes about")
    assert first.endswith("recorded")
    assert second.endswith("run one by one")


def test_only_a_gpu_records(monkeypatch: pytest.MonkeyPatch) -> None:
    assert replay_for(torch.device("cpu"), 10**6) is None
    monkeypatch.setattr(replay, "runs_triton", lambda device: device.type == "cuda")
    FakeCuda(monkeypatch)
    assert isinstance(replay_for(torch.device("cuda"), 10**6), Captured)
    assert replay_for(torch.device("cuda"), 1) is None
    monkeypatch.setattr(replay, "runs_triton", lambda device: False)  # noqa: ARG005
    assert replay_for(torch.device("cuda"), 10**6) is None


def test_steps_are_recorded_on_a_stream_of_their_own_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Torch's own stream for recording stays that of the GPU on which a process first recorded."""
    cuda = FakeCuda(monkeypatch)
    where: list[int | None] = []
    for gpu in (0, 1):
        cuda.current = gpu
        captured = Captured()
        for _ in range(2):
            captured(lambda: where.append(cuda.stream))
    warmed_up_and_recorded = 2 * (WARM_UP + 1)
    assert where == [1] * warmed_up_and_recorded + [102] * warmed_up_and_recorded
    assert cuda.stream is None
    assert cuda.log == [("record", 1, 1)] * 2 + [("record", 102, 2)] * 2


def test_the_collector_does_not_run_while_a_step_is_recorded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It could free another graph, which would break the recording."""
    FakeCuda(monkeypatch)
    on: list[bool] = []
    Captured()(lambda: on.append(gc.isenabled()))
    assert on == [True] * WARM_UP + [False]
    assert gc.isenabled()


def test_a_recording_that_fails_leaves_stream_and_collector_as_they_were(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Torch itself leaves its stream current where the end of the recording fails."""
    cuda = FakeCuda(monkeypatch)
    cuda.fails = RuntimeError("operation failed due to a previous error during capture")
    captured = Captured()
    with pytest.raises(RuntimeError, match="during capture"):
        captured(lambda: None)
    assert cuda.stream is None
    assert gc.isenabled()
    assert captured.recordings == []


def test_dropped_recordings_give_their_pool_back(monkeypatch: pytest.MonkeyPatch) -> None:
    cuda = FakeCuda(monkeypatch)
    captured = Captured()
    first, second = captured(lambda: None), captured(lambda: None)
    assert not is_dropped(first)
    drop(captured)
    assert is_dropped(first)
    assert is_dropped(second)
    third = captured(lambda: None)
    assert not is_dropped(third)
    third()
    with pytest.raises(AssertionError, match="record the step again"):
        first()
    assert cuda.log == [*[("record", 1, 1)] * 2, ("empty",), ("record", 1, 2)]
