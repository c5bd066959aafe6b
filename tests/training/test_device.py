"""The precision of matrix products: named in the result, without a part in the identity."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from pdf_search.training import device
from tests.training.trials import trial


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
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "NVIDIA H100")
    monkeypatch.setattr(device, "why_plain_torch", lambda _: None)
    assert device.device_label("tf32") == "NVIDIA H100 (tf32)"
    assert device.device_label("float32") == "NVIDIA H100 (float32)"
    monkeypatch.setattr(device, "why_plain_torch", lambda _: "no C compiler")
    assert device.device_label("tf32") == "NVIDIA H100 (tf32, plain torch: no C compiler)"


def test_precision_does_not_change_the_identity_of_a_trial() -> None:
    assert trial(precision="float32").content_hash() == trial().content_hash()
