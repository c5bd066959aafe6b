"""A recorded step on tensors without content, as if on a GPU that is not there.

Tensors of the device ``meta`` have a shape and nothing else. A step runs through on them only if
nothing in it makes tensors elsewhere, and nothing asks for a value (which would wait for the GPU,
and cannot be recorded). The kernels are stood in for: ``tests/kernels`` runs theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor

from benchmarks.step_launches import empty, without_content
from pdf_search.data import Prepared
from pdf_search.kernels import dispatch, reference
from pdf_search.model.fast_data import FastData
from pdf_search.model.sizes import Sizes
from pdf_search.model.stacked_steps import stack
from pdf_search.training.build_trainers import build_trainer
from pdf_search.training.cuda_graph.packed_steps import map_tensors
from pdf_search.training.cuda_graph.trainer import in_steps
from pdf_search.training.replicates import ReplicateSplits
from tests.training.test_cuda_graph_trainer import MODELS
from tests.training.trials import trial

CPU = torch.device("cpu")


def sized(like: Tensor, rows: int, width: int) -> Tensor:
    return like.new_empty(rows, width)


STAND_IN = SimpleNamespace(
    **vars(reference)
    | {
        "grouped_product": lambda a, b, order: sized(b, order.groups, b.shape[1]),  # noqa: ARG005
        "grouped_dot": lambda a, b, order: sized(b, order.groups, 1),  # noqa: ARG005
    }
)


@pytest.mark.parametrize("name", MODELS)
def test_a_step_asks_for_no_value_and_stays_on_its_device(
    freesolv: Prepared, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    config = trial(model=MODELS[name], seeds=(0, 1))
    splits = ReplicateSplits.of(config, freesolv)
    trainer = build_trainer(config, freesolv, splits, CPU)
    assert isinstance(trainer.data, FastData)
    batches, _ = stack(trainer.data, in_steps(splits.epoch_order(1), 16), Sizes(), True)
    monkeypatch.setattr(dispatch, "runs_triton", lambda device: False)  # noqa: ARG005
    monkeypatch.setattr(dispatch, "reference_backend", lambda: STAND_IN)
    bare = without_content(trainer)
    batch = map_tensors(batches, lambda t: empty(t[0]))
    keys, rate = empty(torch.zeros(2, dtype=torch.int64)), empty(torch.zeros(()))
    loss, output = bare.learn(batch, keys, rate), bare.infer(batch)
    assert loss.device.type == output.device.type == "meta"
    assert loss.shape == (2,)
    assert output.shape == (2, 16, 1)


def test_lists_in_host_memory_serve_a_model_elsewhere(
    freesolv: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = trial(seeds=(0, 1))
    splits = ReplicateSplits.of(config, freesolv)
    trainer = without_content(build_trainer(config, freesolv, splits, CPU))
    monkeypatch.setattr(dispatch, "reference_backend", lambda: STAND_IN)
    loss = trainer.train_step(1, 0, splits.epoch_order(1)[:, :16], 1e-3)
    assert loss.device.type == "meta"
    assert trainer.data.rows.device == CPU


@pytest.mark.parametrize(
    "waits",
    [
        lambda x: x.sum().item(),
        lambda x: x[x > 0],
        lambda x: torch.repeat_interleave(x.long()),
        lambda x: x + torch.ones(3),
    ],
)
def test_tensors_without_content_notice_what_would_wait(waits: Callable[[Tensor], object]) -> None:
    with pytest.raises((RuntimeError, NotImplementedError)):
        waits(torch.empty(3, device="meta"))
