"""Steps padded to one size: the same numbers as each step's own batch, for every variant."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from pdf_search.config import ModelConfig
from pdf_search.model.fast_batch import FastBatch
from pdf_search.model.fast_data import FastData
from pdf_search.model.randomness import Noise, replicate_keys
from pdf_search.model.sizes import Sizes, rounded
from pdf_search.model.stacked_steps import stack
from pdf_search.records import Replicate, Task
from pdf_search.training.cuda_graph.packed_steps import Packed, map_tensors, tensors_of, views
from pdf_search.training.losses import batch_loss
from tests.graphs.makers import SHAPES, basis, graph_set
from tests.model.networks import BASIS, VARIANTS, Setup, close

REPLICATES = (Replicate(3), Replicate(11), Replicate(3, fold=0))
# Three steps of three replicates: one idles in the second, all but one in the third.
STEPS = torch.tensor(
    [
        [[0, 3, 6], [2, -1, -1], [8, 7, 5]],
        [[5, 4, 1], [6, 6, -1], [-1, -1, -1]],
        [[-1, -1, -1], [-1, -1, -1], [7, -1, -1]],
    ]
)
DROPOUT = {
    f"{name}, dropout": config.model_copy(update={"dropout": 0.4})
    for name, config in VARIANTS.items()
}
MODELS = VARIANTS | DROPOUT


def setup_of(config: ModelConfig, hops: int | None = None) -> tuple[Setup, FastData]:
    Setup.engine, before = "fast", Setup.engine
    chosen = BASIS if hops is None else basis(((-0.2, 1), (-0.4, 1)), hops)
    setup = Setup.of(config, graph_set(SHAPES), chosen, REPLICATES).settle()
    Setup.engine = before
    assert isinstance(setup.data, FastData)
    return setup, setup.data


def outcome(setup: Setup, batch: FastBatch, step: int) -> list[Tensor]:
    """Outputs, gradients and running statistics of a training step on a batch."""
    start = {name: b.clone() for name, b in setup.model.named_buffers()}
    noise = Noise(replicate_keys(REPLICATES, 2, step))
    output = setup.model(batch, setup.data.rows, setup.data.edge_types, noise)
    loss = batch_loss("mse", Task.REGRESSION, output, batch.targets)
    parameters = list(setup.model.parameters())
    grads = torch.autograd.grad(loss.sum(), parameters, allow_unused=True)
    buffers = [b.clone() for b in setup.model.buffers()]
    for name, buffer in setup.model.named_buffers():
        buffer.copy_(start[name])
    known = [
        torch.zeros_like(p) if g is None else g for g, p in zip(grads, parameters, strict=True)
    ]
    present = batch.graphs[..., None] >= 0
    return [torch.where(present, output, 0).detach(), *known, *buffers]


@pytest.mark.parametrize("hops", [None, 1])
@pytest.mark.parametrize("name", MODELS)
def test_a_padded_step_equals_its_own_batch(name: str, hops: int | None) -> None:
    setup, data = setup_of(MODELS[name], hops)
    batches, _ = stack(data, STEPS, Sizes(), chunks=False)
    for step, graphs in enumerate(STEPS):
        padded = map_tensors(batches, lambda t, step=step: t[step])
        ours = outcome(setup, padded, step)
        theirs = outcome(setup, data.collate(graphs), step)
        for x, y in zip(ours, theirs, strict=True):
            assert torch.isfinite(x).all()
            close(x, y)


def test_padding_shows_in_every_size() -> None:
    """Each list of each step is longer than what it holds, so that the test above means it."""
    _, data = setup_of(VARIANTS["tu"])
    batches, sizes = stack(data, STEPS, Sizes(), chunks=True)
    own = data.collate(STEPS[1])
    assert sizes.nodes > own.nodes.shape[1]
    assert sizes.rows > own.rows.shape[1]
    assert sizes.messages > len(own.messages.node)
    assert sizes.triples > len(own.triples.by_a.first)
    assert batches.triples.by_a.chunks is not None
    assert batches.triples.by_a.chunks.group.shape == (3, sizes.weight_chunks)


def test_equal_sizes_give_equal_shapes_and_an_empty_stack_fits_them() -> None:
    _, data = setup_of(VARIANTS["zinc"])
    first, sizes = stack(data, STEPS, Sizes(), chunks=True)
    for other in (STEPS[1:], torch.full_like(STEPS[:1], -1)):
        again, same = stack(data, other, sizes, chunks=True)
        assert same == sizes
        assert Packed.of(again).places == Packed.of(first).places


def test_packed_rows_hold_every_tensor() -> None:
    _, data = setup_of(VARIANTS["ogb"])
    batches, _ = stack(data, STEPS, Sizes(), chunks=True)
    packed = Packed.of(batches)
    assert packed.steps == 3
    for step in range(3):
        row = torch.empty_like(packed.rows[0])
        row.copy_(packed.rows[step])
        ours = tensors_of(views(batches, row, packed.places))
        for x, y in zip(ours, (t[step] for t in tensors_of(batches)), strict=True):
            torch.testing.assert_close(x, y, rtol=0, atol=0, equal_nan=True)


def test_sizes_grow_and_never_shrink() -> None:
    sizes = Sizes().holding(nodes=100, rows=7)
    assert sizes.holding(nodes=90) == sizes
    assert sizes.holding(nodes=sizes.nodes) == sizes
    assert sizes.holding(nodes=sizes.nodes + 1).nodes > sizes.nodes
    for size in (1, 8, 9, 100, 1664, 24_001, 190_000):
        assert size <= rounded(size) <= max(size + 8, size * 1.07)
    assert replace(sizes, rows=0).holding(rows=1).rows == 8
