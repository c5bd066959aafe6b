"""The worker's side, without Ray."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
import torch

from pdf_search.config import TrialConfig
from pdf_search.data.prepared.folder import Prepared
from pdf_search.errors import ResourceError, TrialError
from pdf_search.records import State, TrialOutcome
from pdf_search.space import Space
from pdf_search.sweep.samplers.trial_builder import TrialBuilder, example
from pdf_search.sweep.tune import trainable
from pdf_search.sweep.tune.trainable import Report, run_or_restart
from pdf_search.training.artifacts.checkpoint import CHECKPOINT, load_checkpoint, save_checkpoint
from tests.sweep.helpers import report


@pytest.fixture
def config(space: Space) -> TrialConfig:
    return TrialBuilder(space, 0, 2, 2, 1, "cpu").search(example(space))


def two_epochs(
    trial: TrialConfig, _data: Prepared, tell: Report, resume: Path | None
) -> TrialOutcome:
    identity = {"configuration": trial.content_hash()}
    done = load_checkpoint(resume, identity)["epoch"] if resume else 0
    for epoch in range(done + 1, 3):
        tell(report(epoch, 1.0), lambda _: None)
    return TrialOutcome(State.COMPLETE, 2)


def run(config: TrialConfig, resume: Path) -> tuple[list[int], str]:
    """The epochs that were trained, and what the outcome says."""
    epochs: list[int] = []
    outcome = run_or_restart(
        two_epochs, config, cast(Any, None), lambda told, _: epochs.append(told.epoch), resume
    )
    return epochs, outcome.message


def test_a_trial_goes_on_or_starts_over_where_its_checkpoint_is_damaged(
    config: TrialConfig, tmp_path: Path
) -> None:
    save_checkpoint(tmp_path, {"configuration": config.content_hash(), "epoch": 1})
    assert run(config, tmp_path) == ([2], "")
    content = (tmp_path / CHECKPOINT).read_bytes()
    (tmp_path / CHECKPOINT).write_bytes(content[: len(content) // 2])
    epochs, message = run(config, tmp_path)
    assert epochs == [1, 2]
    assert "could not be read: it started over" in message
    (tmp_path / CHECKPOINT).unlink()
    assert run(config, tmp_path)[0] == [1, 2]


def test_a_checkpoint_of_another_configuration_is_an_error(
    config: TrialConfig, tmp_path: Path
) -> None:
    save_checkpoint(tmp_path, {"configuration": "another", "epoch": 1})
    with pytest.raises(TrialError, match="saved with configuration another"):
        run(config, tmp_path)


@pytest.mark.parametrize(
    ("visible", "assigned", "number"),
    [("3", "3", 0), ("2,3", "3", 1), ("", "1", 1), ("GPU-5ab,GPU-7cd", "GPU-7cd", 1)],
)
def test_a_trial_takes_the_gpu_that_ray_assigned(
    monkeypatch: pytest.MonkeyPatch, visible: str, assigned: str, number: int
) -> None:
    """And its fraction of it; also where the worker sees several GPUs, as on some clusters."""
    taken: list[float] = []
    monkeypatch.setattr(trainable.ray, "get_gpu_ids", lambda: [assigned])
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "set_device", taken.append)
    monkeypatch.setattr(torch.cuda, "set_per_process_memory_fraction", taken.append)
    monkeypatch.setattr(torch, "set_num_threads", lambda _: None)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    trainable.prepare_process(trainable.Shared({}, cpus=1, gpus=0.6, checkpoint_seconds=1.0))
    assert taken == [number, 0.6]


def test_a_gpu_that_the_worker_does_not_see_is_an_error() -> None:
    with pytest.raises(ResourceError, match="GPU 2, and CUDA_VISIBLE_DEVICES=0,1"):
        trainable.gpu_number("0,1", "2")
