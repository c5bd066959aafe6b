"""f(G) against its definition, and its constant part."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from pdf_search.graphs.bank_builder import build_bank
from pdf_search.graphs.batch import DeviceData
from pdf_search.graphs.graph_set import GraphSet
from pdf_search.inference.explanation.matrix import (
    LearnedMatrix,
    learned_matrix,
    normalised_adjacency,
)
from pdf_search.inference.explanation.spectrum import Eigenspaces, commutator, turn
from pdf_search.inference.load import Trained
from pdf_search.model.randomness import Dropout
from pdf_search.model.reference import ReferenceConvolution
from tests.graphs.makers import (
    COMPLETE,
    SHAPES,
    TWO_PARTS,
    basis,
    distances,
    graph_set,
    plain_bases,
)
from tests.inference.conftest import new_model

LAP = tuple((-0.5, k) for k in range(1, 6))
PDF = ((-0.1, 4), (-0.3, 2), (-0.5, 4))
CPU = torch.device("cpu")


def one(graphs: GraphSet, number: int) -> GraphSet:
    return graphs.subset(np.array([number]))


def weights_of(trained: Trained) -> tuple[np.ndarray, np.ndarray]:
    """Weight [m, d] and bias [d] of an affine filter."""
    layer = trained.model.filter.linears[0]
    return layer.weight[0].detach().double().numpy(), layer.bias[0, 0].detach().double().numpy()


@pytest.mark.parametrize("number", range(len(SHAPES)))
@pytest.mark.parametrize("standardise", [False, True])
def test_lap_lin_keeps_the_eigenspaces(number: int, standardise: bool) -> None:
    graphs = graph_set(SHAPES)
    trained = new_model(graphs, basis(LAP, standardise=standardise), filter="lin")
    learned = learned_matrix(trained, one(graphs, number))
    lap = normalised_adjacency(one(graphs, number))
    assert lap == pytest.approx(plain_bases(SHAPES[number], ((-0.5, 1),))[..., 1])
    reference = Eigenspaces.of(lap)
    for channel in range(learned.channels):
        structure = learned.structure(channel)
        assert commutator(structure, lap) < 1e-10
        assert turn(Eigenspaces.of(structure), reference).angles.max() < 1e-4


def test_the_constant_part_of_an_affine_filter_is_its_bias() -> None:
    graphs = graph_set([TWO_PARTS])
    trained = new_model(graphs, basis(PDF), filter="lin")
    learned = learned_matrix(trained, graphs)
    weight, bias = weights_of(trained)
    assert learned.constant == pytest.approx(bias)
    rows = plain_bases(TWO_PARTS, trained.config.basis.grid)
    for channel in range(8):
        assert learned.structure(channel) == pytest.approx(rows @ weight[:, channel], abs=1e-14)
        assert learned.full(channel) == pytest.approx(rows @ weight[:, channel] + bias[channel])


def test_with_standardised_bases_the_means_belong_to_the_constant_part() -> None:
    graphs = graph_set([TWO_PARTS])
    trained = new_model(graphs, basis(PDF, standardise=True), filter="lin")
    learned = learned_matrix(trained, graphs)
    weight, bias = weights_of(trained)
    rows = plain_bases(TWO_PARTS, trained.config.basis.grid)
    mean, std = rows.mean((0, 1)), rows.std((0, 1)) + 1e-5
    assert learned.constant == pytest.approx(bias - (mean / std) @ weight)
    assert learned.structure(3) == pytest.approx(rows @ (weight[:, 3] / std), abs=1e-9)


def test_two_layers_leave_the_eigenspaces_and_the_constant_part_is_that_of_far_pairs() -> None:
    graphs = graph_set([TWO_PARTS])
    trained = new_model(graphs, basis(PDF))
    learned = learned_matrix(trained, graphs)
    lap = normalised_adjacency(graphs)
    apart = distances(TWO_PARTS) < 0
    found = [commutator(learned.structure(c), lap) for c in range(8)]
    assert min(found) > 1e-3
    for channel in range(8):
        assert not learned.structure(channel)[apart].any()
        assert learned.full(channel)[apart] == pytest.approx(learned.constant[channel])
        assert learned.full(channel) == pytest.approx(learned.full(channel).T, abs=1e-13)


@pytest.mark.parametrize(
    "model",
    [
        {"filter": "2l"},
        {"filter": "2l", "softmax": True, "filter_norm": True},
        {"filter": "1l", "channels": "shd"},
    ],
)
@pytest.mark.parametrize("hops", [None, 2])
def test_it_is_what_the_layers_multiply_with(model: dict, hops: int | None) -> None:
    graphs = graph_set([TWO_PARTS, COMPLETE])
    trained = new_model(graphs, basis(PDF, hops=hops), **model)
    learned = learned_matrix(trained, one(graphs, 0))
    data = DeviceData.build(graphs, build_bank(graphs, trained.config.basis), CPU)
    batch = data.collate(torch.zeros(1, 1, dtype=torch.int64))
    with torch.no_grad():
        convolution = ReferenceConvolution(
            trained.model.filter, batch, data.rows, trained.config.model, Dropout(0, None)
        )
    for channel in range(learned.channels):
        expected = np.zeros((7, 7))
        target, source = batch.pair_target[0].numpy(), batch.pair_source[0].numpy()
        expected[target, source] = convolution.weights[0, :, channel].numpy()
        assert learned.full(channel) == pytest.approx(expected, abs=2e-6)
        _check_support(learned, channel, hops)


def _check_support(learned: LearnedMatrix, channel: int, hops: int | None) -> None:
    steps = distances(TWO_PARTS)
    expected = np.ones((7, 7), bool) if hops is None else (steps >= 0) & (steps <= hops)
    assert (learned.support == expected).all()
    assert not learned.full(channel)[~expected].any()
    assert not learned.structure(channel)[~expected].any()
    if learned.softmax:
        assert learned.full(channel).sum(1) == pytest.approx(1)
        assert not learned.constant.any()
