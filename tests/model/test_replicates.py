"""R models in one program: the same numbers as R programs, whatever the neighbours do."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor

from pdf_search.config import ModelConfig
from pdf_search.kernels.noise import uniform
from pdf_search.model.randomness import Dropout, Noise, private_order, replicate_keys
from pdf_search.records import Replicate, Task
from pdf_search.training.losses import batch_loss
from tests.graphs.makers import SHAPES, graph_set
from tests.model.networks import VARIANTS, Setup, close

REPLICATES = (Replicate(3), Replicate(11), Replicate(3, fold=0), Replicate(3, fold=7))
LISTS: tuple[list[int], ...] = ([0, 3, 6], [2], [8, 7, 5, 4, 3, 2, 1], [])  # the last one idles
DROPOUT = {name: c.model_copy(update={"dropout": 0.4}) for name, c in VARIANTS.items()}

pytestmark = pytest.mark.usefixtures("engine")


def step(setup: Setup, lists: Sequence[Sequence[int]]) -> tuple[Tensor, dict[str, Tensor]]:
    """Outputs and gradients of one training step."""
    batch = setup.collate(lists)
    output = setup(*lists)
    batch_loss("mse", Task.REGRESSION, output, batch.targets).sum().backward()
    grads = {
        name: torch.zeros_like(p) if p.grad is None else p.grad
        for name, p in setup.model.named_parameters()
    }
    return output.detach(), grads


@pytest.mark.parametrize("variants", [VARIANTS, DROPOUT], ids=["plain", "dropout"])
@pytest.mark.parametrize("name", VARIANTS)
def test_together_equals_alone(variants: dict[str, ModelConfig], name: str) -> None:
    config, graphs = variants[name], graph_set(SHAPES)
    together = Setup.of(config, graphs, replicates=REPLICATES)
    outputs, grads = step(together, LISTS)
    assert torch.isfinite(outputs).all()
    for r, (replicate, numbers) in enumerate(zip(REPLICATES, LISTS, strict=True)):
        for key, grad in grads.items():
            assert torch.isfinite(grad).all(), key
        if not numbers:  # an idle replicate has no gradient at all
            assert all(not grad[r].any() for grad in grads.values())
            continue
        alone = Setup.of(config, graphs, replicates=[replicate])
        output, own = step(alone, [numbers])
        close(outputs[r, : len(numbers)], output[0])
        for key, grad in own.items():
            close(grads[key][r], grad[0])
        state = together.model.state_dict()
        for key, value in alone.model.state_dict().items():
            close(state[key][r], value[0])


def test_a_neighbours_data_cannot_reach_a_replicate() -> None:
    """The same weights and batch beside a neighbour whose weights are not finite."""
    setup = Setup.of(VARIANTS["tu"], graph_set(SHAPES), replicates=REPLICATES[:2])
    clean = setup([0, 3, 6], [2, 5]).detach()[0]
    with torch.no_grad():
        for p in setup.model.parameters():
            p[1] = torch.nan
    torch.testing.assert_close(setup([0, 3, 6], [2, 5]).detach()[0], clean, rtol=0, atol=0)


def test_an_idle_replicate_keeps_its_running_statistics() -> None:
    setup = Setup.of(VARIANTS["tu"], graph_set(SHAPES), replicates=REPLICATES[:2]).settle()
    before = {name: b[1].clone() for name, b in setup.model.named_buffers()}
    setup([0, 3, 6], [])
    for name, buffer in setup.model.named_buffers():
        torch.testing.assert_close(buffer[1], before[name], rtol=0, atol=0)


def test_each_replicate_starts_from_its_own_seed_and_fold() -> None:
    def start(*replicates: Replicate) -> Tensor:
        return Setup.of(
            VARIANTS["zinc"], graph_set(SHAPES), replicates=replicates
        ).model.head.weight

    together = start(*REPLICATES)
    for r, replicate in enumerate(REPLICATES):
        torch.testing.assert_close(together[r], start(replicate)[0], rtol=0, atol=0)
    flat = together.flatten(1)
    assert len(torch.unique(flat, dim=0)) == len(REPLICATES)


def factors(noise: Noise, rate: float, place: int, index: Tensor) -> Tensor:
    return Dropout(rate, noise)(torch.ones(*index.shape, 16), place, index)


def test_a_dropout_mask_is_the_same_with_a_neighbour() -> None:
    index = torch.arange(50)[None]
    alone = factors(Noise(replicate_keys(REPLICATES[1:2], 4, 2)), 0.3, 3, index)
    with_others = factors(Noise(replicate_keys(REPLICATES, 4, 2)), 0.3, 3, index.expand(4, -1))
    torch.testing.assert_close(with_others[1], alone[0], rtol=0, atol=0)
    assert not torch.equal(with_others[0], with_others[1])


def test_dropout_masks_differ_by_epoch_step_and_place_and_keep_their_share() -> None:
    index = torch.arange(4000)[None]

    def mask(epoch: int, step: int, place: int) -> Tensor:
        return factors(Noise(replicate_keys(REPLICATES[:1], epoch, step)), 0.25, place, index)

    first = mask(1, 0, 2)
    assert first.unique().tolist() == [0.0, pytest.approx(1 / 0.75)]
    assert float(first.mean()) == pytest.approx(1.0, abs=0.02)
    for other in (mask(2, 0, 2), mask(1, 1, 2), mask(1, 0, 3)):
        agreement = float(((first > 0) == (other > 0)).float().mean())
        assert agreement == pytest.approx(0.75**2 + 0.25**2, abs=0.02)


def test_the_order_of_an_epoch_is_a_permutation_of_its_own() -> None:
    items = torch.arange(200, 300)
    own = items.expand(len(REPLICATES), -1)
    orders = items[private_order(replicate_keys(REPLICATES, 1), own)]
    for row in orders:
        assert row.sort().values.tolist() == items.tolist()
    assert len({tuple(row.tolist()) for row in orders}) == len(REPLICATES)
    later = items[private_order(replicate_keys(REPLICATES, 2), own)]
    assert not torch.equal(orders, later)


def test_an_order_does_not_depend_on_padding() -> None:
    items = torch.arange(200, 300)
    padded = torch.cat([items, torch.full((7,), -1)])
    keys = replicate_keys(REPLICATES[:1], 1)
    alone = private_order(keys, items[None])[0]
    assert private_order(keys, padded[None])[0].tolist() == [*alone.tolist(), *range(100, 107)]


def test_uniform_numbers_are_uniform() -> None:
    numbers = uniform(torch.arange(100_000))
    assert float(numbers.min()) >= 0
    assert float(numbers.max()) < 1
    shares = torch.histc(numbers, 10, 0, 1) / len(numbers)
    assert float((shares - 0.1).abs().max()) < 0.005
