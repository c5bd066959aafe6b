"""When recording a step as a CUDA graph is worth its time."""

from __future__ import annotations

import pytest
import torch

from pdf_search.training.cuda_graph import replay
from pdf_search.training.cuda_graph.replay import (
    RECORDING_SECONDS,
    SAVED_SECONDS,
    WARM_UP,
    Captured,
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
