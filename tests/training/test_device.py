"""The precision of matrix products: named in the result, without a part in the identity."""

from __future__ import annotations

import os
from collections.abc import Iterator
from mmap import mmap

import pytest
import torch

from pdf_search.data import Prepared
from pdf_search.training import device
from pdf_search.training import trial as trial_module
from tests.training.fake_cuda import FakeCuda
from tests.training.trials import StopTrialError, run, trial


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before = torch.get_float32_matmul_precision()
    yield
    torch.set_float32_matmul_precision(before)


@pytest.mark.parametrize(("precision", "setting"), [("tf32", "high"), ("float32", "highest")])
def test_precision_is_set_on_a_gpu_only(precision: str, setting: str) -> None:
    torch.set_float32_matmul_precision("medium")
    device.use_precision(precision, torch.device("cpu"))
    assert torch.get_float32_matmul_precision() == "medium"
    device.use_precision(precision, torch.device("cuda"))
    assert torch.get_float32_matmul_precision() == setting


def test_a_result_names_the_gpu_and_its_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    assert device.device_label("tf32") == "cpu" or torch.cuda.is_available()
    cuda = FakeCuda(monkeypatch)
    monkeypatch.setattr(device, "why_plain_torch", lambda _: None)
    assert device.device_label("tf32") == "GPU 0 (tf32)"
    assert device.device_label("float32") == "GPU 0 (float32)"
    cuda.current = 1
    monkeypatch.setattr(device, "why_plain_torch", lambda where: f"no C compiler for {where}")
    assert device.device_label("tf32") == "GPU 1 (tf32, plain torch: no C compiler for cuda:1)"


def test_precision_does_not_change_the_identity_of_a_trial() -> None:
    assert trial(precision="float32").content_hash() == trial().content_hash()


@pytest.mark.parametrize(
    ("name", "before", "after"), [("cuda:1", 0, 1), ("cuda", 1, 1), ("auto", 1, 1), ("cpu", 1, 1)]
)
def test_a_trial_computes_on_the_gpu_it_names(
    freesolv: Prepared, monkeypatch: pytest.MonkeyPatch, name: str, before: int, after: int
) -> None:
    """Triton, streams and graphs use the current device, so the trial's is made so first."""
    cuda = FakeCuda(monkeypatch)
    cuda.current = before
    seen: list[tuple[int, torch.device]] = []

    def build(*arguments: object, **_: object) -> None:
        where = arguments[3]
        assert isinstance(where, torch.device)
        seen.append((cuda.current, where))
        raise StopTrialError

    monkeypatch.setattr(trial_module, "build_groups", build)
    with pytest.raises(StopTrialError):
        run(trial(device=name), freesolv)
    there = torch.device("cpu") if name == "cpu" else torch.device("cuda", after)
    assert seen == [(after, there)]
    assert cuda.log == ([] if name == "cpu" else [("reset peak", there)])


@pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK), reason="Linux, where a process may reset it"
)
def test_peak_memory_is_that_of_the_trial() -> None:
    """Not of a larger one before it in the same process."""
    cpu = torch.device("cpu")
    device.reset_peak(cpu)
    with mmap(-1, 64 << 20) as large:  # not of the heap, which keeps what earlier tests freed
        large.write(bytes(64 << 20))
        before = device.peak_megabytes(cpu)
    device.reset_peak(cpu)
    assert device.peak_megabytes(cpu) < before - 32
