"""Softmax over incoming pairs in float32, of nodes whose values lie far below all others."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdf_search.config import ModelConfig
from pdf_search.graphs.bank_builder import build_bank
from pdf_search.model import engines
from pdf_search.model.engines import engine_data
from pdf_search.model.fast import pair_weights, scaled_exp
from pdf_search.model.fast_batch import FastPairs
from pdf_search.model.network import PDFNetwork
from pdf_search.model.randomness import Dropout
from tests.graphs.makers import PATH, RING, SINGLE, STAR, basis, graph_set, shape_of
from tests.model.networks import close

CPU = torch.device("cpu")
ROWS = [60.0, 59.0, -50.0, -51.0, 0.0]  # the last one is "no weight"; exp(-110) is 0 in float32
NEAR = [(0, 0), (0, 1), (1, 2), (1, 3), (2, 2), (3, 2)]  # node, row
FAR = [(4, 0), (4, 0), (3, 2), (0, 2), (4, 0)]  # row and number of far pairs of each node


def pairs() -> FastPairs:
    """Nodes far above and far below, one with far pairs like its own, one far below them."""
    target, row = torch.tensor(NEAR).T
    far_row, far_count = torch.tensor(FAR).T
    place = torch.arange(len(target))
    return FastPairs(
        target=target,
        target_place=target,
        source_place=place,
        row=row,
        plain=torch.ones(len(target), 1),
        far_count=far_count[:, None].float(),
        far_row=far_row,
        replicate=torch.zeros_like(target),
    )


def softmax(*values: float) -> list[float]:
    return torch.tensor(values, dtype=torch.float64).softmax(0).tolist()


def test_each_node_takes_off_its_own_maximum() -> None:
    """Node 1 lies 110 below the maximum of the table, node 3 below its own far pairs."""
    values = torch.tensor(ROWS)[:, None].requires_grad_()
    near, far = pair_weights(values, pairs(), True, Dropout(0.0, None))
    expected = softmax(60, 59) + softmax(-50, -51)
    mixed = softmax(-50, -51, -51)
    expected += [mixed[0], 0.0]
    assert near[:, 0].tolist() == pytest.approx(expected, abs=1e-6)
    assert far[:, 0].tolist() == pytest.approx([0, 0, mixed[1], 0.5, 0], abs=1e-6)
    (gradient,) = torch.autograd.grad((near[:, 0] * torch.arange(6.0)).sum(), values)
    assert gradient.isfinite().all()
    assert float(gradient[2:4].abs().min()) > 0.1


def test_a_channel_takes_off_the_middle_of_its_own_replicate() -> None:
    """Two replicates 600 apart, each spanning 110; padding has no say."""
    wide = torch.tensor([-55.0, 0.0, 55.0, 9e9])
    values = torch.stack([wide + 300, wide - 300])[..., None]
    weight = torch.tensor([1.0, 3.0, 1.0, 0.0])[None, :, None].expand(2, -1, -1)
    scaled = scaled_exp(values, weight)
    expected = torch.tensor([-55.0, 0.0, 55.0]).exp()
    for replicate in range(2):
        torch.testing.assert_close(scaled[replicate, :3, 0], expected)


@pytest.mark.parametrize("most", [0, 100], ids=["by pair", "by row"])
def test_a_single_atom_far_below_the_other_graphs(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its one pair has the weight 1, though the table's maximum is 120 higher."""
    monkeypatch.setattr(engines, "MOST_PAIRS", most)
    graphs, grid = graph_set([PATH, SINGLE, RING, STAR]), basis(((-0.1, 2), (-0.3, 1), (-0.5, 2)))
    config = ModelConfig(hidden=8, layers=2, softmax=True, filter="lin", channels="shd")
    outputs: list[Tensor] = []
    for engine in ("fast", "reference"):
        data = engine_data(engine, config, graphs, build_bank(graphs, grid), CPU)
        model = PDFNetwork(config, shape_of(graphs), grid.size)
        with torch.no_grad():
            model.filter.linears[0].weight.fill_(-30.0)
            model.filter.linears[0].bias.zero_()
            assert float(model.filter(torch.ones(1, grid.size), torch.ones(1, 1, 1))) == -120
            outputs.append(model(data.collate(torch.arange(4)[None]), data.rows, data.edge_types))
    close(*outputs)
