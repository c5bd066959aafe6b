"""The fast engine in float32 against the reference in float64: outputs, every gradient, statistics.

In double precision the reference has no rounding of its own, so the tolerance is the engine's.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from pdf_search.config import BasisConfig, InputShape, ModelConfig
from pdf_search.graphs.bank_builder import build_bank
from pdf_search.graphs.batch import DeviceData
from pdf_search.graphs.graph_set import GraphSet
from pdf_search.model import engines
from pdf_search.model.engines import engine_data
from pdf_search.model.fast import scaled_exp
from pdf_search.model.network import PDFNetwork
from pdf_search.model.randomness import Noise, replicate_keys
from pdf_search.records import Replicate
from pdf_search.training.losses import batch_loss
from tests.graphs.makers import SHAPES, basis, graph_set, random_set, shape_of
from tests.model.golden import CASES, Golden
from tests.model.networks import VARIANTS

CPU = torch.device("cpu")
GRID = ((-0.1, 2), (-0.3, 1), (-0.5, 2))
VARIANTS = {
    **VARIANTS,
    "shared softmax 2l": ModelConfig(hidden=8, layers=2, channels="shd", softmax=True),
    "dropout": ModelConfig(hidden=8, layers=2, dropout=0.3, filter_norm=True),
    "dropout softmax": ModelConfig(hidden=8, layers=2, dropout=0.3, softmax=True, head="mlp"),
}


class Step:
    """One training step and one evaluation of a model on one engine."""

    def __init__(
        self,
        engine: str,
        config: ModelConfig,
        shape: InputShape,
        graphs: GraphSet,
        basis_config: BasisConfig,
        numbers: Tensor,
        stretch: float = 1.0,
    ) -> None:
        replicates = [Replicate(seed) for seed in range(len(numbers))]
        data = engine_data(engine, config, graphs, build_bank(graphs, basis_config), CPU)
        model = PDFNetwork(config, shape, basis_config.size, replicates)
        if isinstance(data, DeviceData):
            data, model = in_double(data), model.double()
        with torch.no_grad():
            model.filter.linears[-1].weight *= stretch
        batch = data.collate(numbers)
        noise = Noise(replicate_keys(replicates, 3, 1))
        out = model.train()(batch, data.rows, data.edge_types, noise)
        loss = batch_loss("auto", shape.task, out, batch.targets)
        loss.sum().backward()
        self.out = out.detach()
        self.grads = {name: p.grad for name, p in model.named_parameters()}
        self.buffers = {name: b.clone() for name, b in model.named_buffers()}
        with torch.no_grad():
            self.evaluated = model.eval()(batch, data.rows, data.edge_types)
            pairs = getattr(batch, "pair_row", None)
            if pairs is not None:
                self.spread = float(model.filter(data.rows[pairs], batch.pair_mask).abs().max())


def in_double(data: DeviceData) -> DeviceData:
    nodes = data.node_data.nodes
    if nodes.is_floating_point():
        nodes = nodes.double()
    node_data = replace(data.node_data, nodes=nodes, targets=data.node_data.targets.double())
    return replace(data, rows=data.rows.double(), node_data=node_data)


def assert_same(fast: Step, reference: Step) -> None:
    """1e-5 of the tensor's largest value, plus 1e-6 of the model's largest gradient."""
    for ours, theirs in ((fast.out, reference.out), (fast.evaluated, reference.evaluated)):
        assert ours.isfinite().all()
        assert float((ours - theirs).abs().max()) <= 1e-5 * float(theirs.abs().max())
    largest = max(float(g.abs().max()) for g in reference.grads.values() if g is not None)
    for name, theirs in reference.grads.items():
        ours = fast.grads[name]
        if theirs is None or ours is None:
            assert theirs is ours is None, name
            continue
        # The bias before a BatchNorm has no gradient: both engines leave rounding noise there.
        before_norm = "linears" in name and name.endswith("bias")
        floor = (1e-5 if before_norm else 1e-6) * largest
        assert float((ours - theirs).abs().max()) <= 1e-5 * float(theirs.abs().max()) + floor, name
    for name, theirs in reference.buffers.items():
        scale = max(float(theirs.abs().max()), 1e-2)
        assert float((fast.buffers[name] - theirs).abs().max()) <= 1e-5 * scale, name


SUPPORTS = {
    "dense": basis(GRID),
    "dense standardised": basis(GRID, standardise=True),
    "1 hop": basis(GRID, hops=1),
    "3 hops standardised": basis(GRID, hops=3, standardise=True),
}


@pytest.mark.parametrize("support", SUPPORTS)
@pytest.mark.parametrize("edges", [True, False])
@pytest.mark.parametrize("variant", VARIANTS)
def test_odd_shapes(variant: str, edges: bool, support: str) -> None:
    """Single nodes, edgeless and complete graphs; replicates of unlike sizes, one of them idle."""
    config = VARIANTS[variant]
    graphs = graph_set(SHAPES, edges=edges, seed=4)
    numbers = torch.tensor(
        [[3, 0, 4, 1, 2, 5, 7], [6, 8, 5, 2, -1, -1, -1], [-1, -1, -1, -1, -1, -1, -1]]
    )
    shape = shape_of(graphs)
    steps = [
        Step(engine, config, shape, graphs, SUPPORTS[support], numbers)
        for engine in ("fast", "reference")
    ]
    assert_same(*steps)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("variant", VARIANTS)
def test_random_graphs(variant: str, seed: int) -> None:
    graphs = random_set(seed, 12, edges=seed % 2 == 0)
    rng = np.random.default_rng(seed)
    numbers = torch.from_numpy(np.stack([rng.permutation(12) for _ in range(2)]))
    grid = ((0.0, 1), (-0.2, 3), (-0.5, 1)) if seed < 2 else ((-0.4, 4),)
    steps = [
        Step(engine, VARIANTS[variant], shape_of(graphs), graphs, basis(grid), numbers)
        for engine in ("fast", "reference")
    ]
    assert_same(*steps)


@pytest.mark.parametrize("case", CASES)
def test_real_graphs(case: str, golden_root: Path) -> None:
    golden = Golden.load(golden_root, case)
    graphs = golden.graphs()
    numbers = torch.stack([torch.arange(len(graphs)), torch.arange(len(graphs)).flip(0)])
    steps = [
        Step(engine, golden.model(), golden.shape(), graphs, golden.basis(), numbers)
        for engine in ("fast", "reference")
    ]
    assert_same(*steps)


@pytest.mark.parametrize("most", [0, 100], ids=["by pair", "by row"])
@pytest.mark.parametrize("seed", range(3))
def test_softmax_of_filter_outputs_that_span_80(
    seed: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A maximum over the whole table would lose the weights of many nodes."""
    monkeypatch.setattr(engines, "MOST_PAIRS", most)
    config = ModelConfig(hidden=8, layers=2, softmax=True, filter="lin")
    graphs = random_set(seed, 10)
    numbers = torch.arange(10)[None]
    steps = [
        Step(engine, config, shape_of(graphs), graphs, basis(GRID), numbers, stretch=100.0)
        for engine in ("fast", "reference")
    ]
    assert steps[1].spread > 80
    assert_same(*steps)


@pytest.mark.parametrize("bad", [torch.inf, -torch.inf, torch.nan])
def test_a_softmax_does_not_hide_what_is_not_finite(bad: float) -> None:
    values, weight = torch.zeros(2, 5, 3), torch.ones(2, 5, 1)
    values[0, 2, 1] = bad
    weight[1] = 0.0  # an idle replicate
    scaled = scaled_exp(values.requires_grad_(), weight)
    assert torch.isnan(scaled[0, :, 1]).any()
    assert torch.isfinite(scaled[0, :, [0, 2]]).all()
    assert torch.isfinite(scaled[1]).all()


@pytest.mark.parametrize("hops", [None, 2])
@pytest.mark.parametrize("most", [0, 100], ids=["by pair", "by row"])
def test_both_ways_to_a_softmax(
    most: int, hops: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "MOST_PAIRS", most)
    graphs = graph_set(SHAPES)
    for name in ("shared softmax 2l", "tu"):
        config = VARIANTS[name]
        numbers = torch.arange(len(SHAPES))[None]
        steps = [
            Step(engine, config, shape_of(graphs), graphs, basis(GRID, hops), numbers)
            for engine in ("fast", "reference")
        ]
        assert_same(*steps)


def test_a_bank_of_a_larger_grid_serves_by_its_columns() -> None:
    graphs = random_set(5, 8)
    full = basis(((-0.1, 1), (-0.1, 2), (-0.3, 1), (-0.5, 2), (-0.5, 4)))
    part = basis((*GRID[2:], (-0.1, 1)))
    config, shape = VARIANTS["zinc"], shape_of(graphs)
    outputs = []
    for bank in (build_bank(graphs, full).columns(part.grid), build_bank(graphs, part)):
        data = engine_data("fast", config, graphs, bank, CPU)
        model = PDFNetwork(config, shape, part.size)
        outputs.append(model(data.collate(torch.arange(8)[None]), data.rows, data.edge_types))
    torch.testing.assert_close(*outputs)
