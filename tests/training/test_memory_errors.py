"""Memory that runs out ends a trial with what to change, whoever says so; the next one works."""

from __future__ import annotations

import pytest
import torch

from pdf_search.data import Prepared
from pdf_search.errors import TrialError
from pdf_search.kernels.memory_errors import forget_frames, out_of_memory
from pdf_search.records import State
from pdf_search.training import build_trainers as build
from pdf_search.training.cuda_graph.replay import Step, emulated
from tests.training.trials import run, trial

FULL = "CUDA out of memory. Tried to allocate 2.00 GiB.\nOf 80 GiB 1 is free."


def invalid_recording(step: Step) -> Step:
    """The end of a recording raises another exception than the allocator's."""
    step()
    try:
        raise torch.OutOfMemoryError(FULL)
    finally:
        raise RuntimeError("CUDA error: operation failed due to a previous error during capture")


def test_memory_that_runs_out_while_a_graph_is_recorded_ends_the_trial(
    freesolv: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = trial()
    monkeypatch.setattr(build, "replay_for", lambda device, steps: invalid_recording)  # noqa: ARG005
    with pytest.raises(TrialError) as caught:
        run(config, freesolv)
    assert str(caught.value).startswith("out of memory: hidden 8, 2 layers, batch 16")
    assert str(caught.value).endswith("(CUDA out of memory. Tried to allocate 2.00 GiB.)")
    monkeypatch.setattr(build, "replay_for", lambda device, steps: emulated)  # noqa: ARG005
    assert run(config, freesolv)[1].state is State.COMPLETE


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError(FULL),
        RuntimeError("CUDA error: out of memory"),
        RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 bytes"),
        MemoryError(),
    ],
)
def test_every_way_to_say_it_is_understood(error: Exception) -> None:
    assert out_of_memory(error) is error


def test_other_errors_stay_what_they_are(
    freesolv: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(step: Step) -> Step:
        raise RuntimeError(f"CUDA error: an illegal memory access was encountered in {step!r}")

    monkeypatch.setattr(build, "replay_for", lambda device, steps: broken)  # noqa: ARG005
    with pytest.raises(RuntimeError, match="illegal memory access"):
        run(trial(), freesolv)


def test_tracebacks_keep_no_tensors_alive() -> None:
    alive: list[int] = []

    class Activation:
        def __del__(self) -> None:
            alive.append(1)

    def forward() -> None:
        activation = Activation()
        assert activation
        raise torch.OutOfMemoryError(FULL)

    try:
        try:
            forward()
        finally:
            raise RuntimeError("during capture")
    except RuntimeError as error:
        assert not alive
        forget_frames(error)
        assert alive == [1]
