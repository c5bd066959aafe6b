"""When recording a step as a CUDA graph is worth its time."""

from __future__ import annotations

import pytest
import torch

from pdf_search.training.cuda_graph import replay
from pdf_search.training.cuda_graph.replay import (
    RECORDING_SECONDS,
    SAVED_SECONDS,
    Captured,
    pays,
    replay_for,
)


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
    assert isinstance(replay_for(torch.device("cuda"), 10**6), Captured)
    assert replay_for(torch.device("cuda"), 1) is None
    monkeypatch.setattr(replay, "runs_triton", lambda device: False)  # noqa: ARG005
    assert replay_for(torch.device("cuda"), 10**6) is None
