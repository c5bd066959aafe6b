"""Our model gives the authors' own numbers: outputs, loss, gradients, statistics, evaluation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from pdf_search.graphs.bank_builder import build_bank
from pdf_search.graphs.batch import DeviceData
from pdf_search.model.network import PDFNetwork
from pdf_search.parameters import parameter_count
from pdf_search.training.losses import batch_loss
from tests.model.golden import CASES, Golden, resolve


@pytest.fixture(scope="module", params=CASES)
def golden(request: pytest.FixtureRequest, golden_root: Path) -> Golden:
    return Golden.load(golden_root, request.param)


def close(ours: Tensor, theirs: Tensor, relative: float = 1e-4, floor: float = 0.0) -> None:
    """Within ``relative`` of the tensor's largest value, plus ``floor``."""
    limit = relative * float(theirs.abs().max()) + floor
    assert float((ours - theirs).abs().max()) <= limit


def without_residue(golden: Golden, grads: dict[str, Tensor]) -> dict[str, Tensor]:
    """The original's gradients without the rounding residue of its filter BatchNorm.

    A bias before a BatchNorm has no gradient. What the original recorded there is the error of a
    float32 mean over thousands of pairs, and the same error times the mean basis row sits in the
    gradient of the weight beside it (ours, computed in float64, has neither).
    """
    if "filter.norms.0.weight" in grads:
        residue = grads["filter.linears.0.bias"]
        mean_row = torch.from_numpy(golden.arrays["bases"].mean(0, dtype=np.float64)).float()
        grads["filter.linears.0.weight"] = (
            grads["filter.linears.0.weight"] - mean_row[None, :, None] * residue
        )
        grads["filter.linears.0.bias"] = torch.zeros_like(residue)
    return grads


def test_bases_equal_golden(golden: Golden) -> None:
    graphs = golden.graphs()
    bank = build_bank(graphs, golden.basis()).enumerated()
    graph = np.repeat(np.arange(len(graphs)), np.diff(bank.pair_ptr))
    first = graphs.node_ptr[graph]
    keys = np.stack([bank.target + first, bank.source + first])
    theirs = np.stack([golden.arrays["pair_dst"], golden.arrays["pair_src"]])
    order, their_order = np.lexsort(keys), np.lexsort(theirs)
    assert np.array_equal(keys[:, order], theirs[:, their_order])
    ours = torch.from_numpy(bank.rows[bank.row[order]])
    close(ours, torch.from_numpy(golden.arrays["bases"][their_order]), 2e-6, 2e-6)


def test_golden_step_and_evaluation(golden: Golden) -> None:
    graphs, config, shape = golden.graphs(), golden.model(), golden.shape()
    data = DeviceData.build(graphs, build_bank(graphs, golden.basis()), torch.device("cpu"))
    model = PDFNetwork(config, shape, golden.basis().size)
    parameters = sum(p.numel() for p in model.parameters())
    assert parameters == parameter_count(config, golden.basis().size, shape)
    model.load_state_dict(resolve(model, golden.tensors("state/")))
    batch = data.collate(torch.arange(len(graphs))[None])

    output = model.train()(batch, data.rows, data.edge_types)
    loss = batch_loss("auto", shape.task, output, batch.targets)
    loss.sum().backward()

    arrays = golden.arrays
    close(output[0].detach(), torch.from_numpy(arrays["train_output"]))
    close(loss.detach(), torch.from_numpy(arrays["loss"]).reshape(1))
    theirs = without_residue(golden, resolve(model, golden.tensors("grad/")))
    largest = max(float(grad.abs().max()) for grad in theirs.values())
    named = dict(model.named_parameters())
    assert theirs.keys() == named.keys()
    for name, grad in theirs.items():
        assert named[name].grad is not None, name
        close(named[name].grad, grad, floor=1e-5 * largest)
    state = model.state_dict()
    for name, value in resolve(model, golden.tensors("state_after/")).items():
        close(state[name], value)
    evaluated = model.eval()(batch, data.rows, data.edge_types)
    close(evaluated[0].detach(), torch.from_numpy(arrays["eval_output"]))
