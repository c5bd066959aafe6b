from __future__ import annotations

import pytest
import torch
from torch import nn

from pdf_search.config import CategoricalInput, ModelConfig
from pdf_search.graphs.bank_builder import build_bank
from pdf_search.model.filters import Filter
from pdf_search.model.layers import BatchNorm, Embedding
from pdf_search.model.readout import readout
from pdf_search.model.reference import incoming_softmax
from pdf_search.model.segments import index_select, scatter_max, scatter_sum
from tests.graphs.makers import EDGELESS, PATH, SHAPES, SINGLE, graph_set
from tests.model.networks import BASIS, OGB, TU, VARIANTS, Setup


def generators(count: int = 1) -> list[torch.Generator]:
    return [torch.Generator().manual_seed(seed) for seed in range(count)]


def test_softmax_of_wide_filter_outputs() -> None:
    """Outputs that span 80: exp of the difference to a global maximum would be 0 everywhere."""
    f = torch.tensor([[[80.0], [79.0], [0.0], [-1.0], [-80.0]]], requires_grad=True)
    target = torch.tensor([[0, 0, 1, 1, 2]])
    out = incoming_softmax(f, target, 3)
    expected = torch.tensor([1, -1.0]).softmax(0), torch.tensor([0.5, -0.5]).softmax(0)
    torch.testing.assert_close(out[0, 2:4, 0], expected[1])
    torch.testing.assert_close(out[0, :2, 0], expected[1])
    assert float(out[0, 4, 0].detach()) == 1
    (out * torch.arange(5.0)[None, :, None]).sum().backward()
    assert f.grad is not None
    assert torch.isfinite(f.grad).all()
    assert (f.grad[0, :4].abs() > 0.1).all()


def test_softmax_equals_a_softmax_of_each_node() -> None:
    f = torch.randn(2, 12, 3, generator=generators()[0]) * 40
    target = torch.arange(12).expand(2, 12) % 4
    out = incoming_softmax(f, target, 4)
    for node in range(4):
        torch.testing.assert_close(out[:, node::4], f[:, node::4].softmax(1))


@pytest.mark.usefixtures("engine")
def test_a_network_with_wide_filter_outputs_stays_finite() -> None:
    config = ModelConfig(hidden=8, layers=2, filter="lin", softmax=True)
    setup = Setup.of(config, graph_set(SHAPES))
    with torch.no_grad():
        setup.model.filter.linears[0].weight.mul_(200)
    output = setup(range(len(SHAPES)))
    output.sum().backward()
    assert torch.isfinite(output).all()
    assert all(torch.isfinite(p.grad).all() for p in setup.model.parameters() if p.grad is not None)


def test_batch_norm_equals_torch() -> None:
    ours, theirs = BatchNorm(4, 1), nn.BatchNorm1d(4)
    for seed in range(3):
        x = torch.randn(9, 4, generator=torch.Generator().manual_seed(seed)) * 3 + 1
        torch.testing.assert_close(ours(x[None], torch.ones(1, 9, 1))[0], theirs(x))
    torch.testing.assert_close(ours.running_mean[0, 0], theirs.running_mean)
    torch.testing.assert_close(ours.running_var[0, 0], theirs.running_var)
    torch.testing.assert_close(ours.eval()(x[None], torch.ones(1, 9, 1))[0], theirs.eval()(x))


def test_an_entry_of_weight_three_counts_three_times() -> None:
    x = torch.randn(1, 3, 4, generator=generators()[0])
    count = torch.tensor([3, 0, 2])
    once, repeated = BatchNorm(4, 1), BatchNorm(4, 1)
    by_weight = once(x, count[None, :, None].float())
    by_hand = repeated(x.repeat_interleave(count, 1), torch.ones(1, 5, 1))
    torch.testing.assert_close(by_weight[:, [0, 2]], by_hand[:, [0, 3]])
    torch.testing.assert_close(once.running_mean, repeated.running_mean)
    torch.testing.assert_close(once.running_var, repeated.running_var)


def test_batch_norm_of_one_row_uses_and_leaves_its_running_statistics() -> None:
    norm = BatchNorm(4, 2)
    norm.running_mean += torch.tensor([1.0, 2.0])[:, None, None]
    norm.running_var *= 4
    before = norm.running_mean.clone(), norm.running_var.clone()
    x = torch.randn(2, 5, 4, generator=generators()[0], requires_grad=True)
    weight = torch.zeros(2, 5, 1)
    weight[0, 2] = 1  # replicate 0 has one row, replicate 1 five
    weight[1] = 1
    out = norm(x, weight)
    torch.testing.assert_close(out[0, 2], (x[0, 2] - 1) / (4 + 1e-5) ** 0.5)
    torch.testing.assert_close(norm.running_mean[0], before[0][0], rtol=0, atol=0)
    torch.testing.assert_close(norm.running_var[0], before[1][0], rtol=0, atol=0)
    assert not torch.equal(norm.running_mean[1], before[0][1])
    (out * weight).sum().backward()
    assert x.grad is not None
    torch.testing.assert_close(x.grad[0, 2], torch.full((4,), (4 + 1e-5) ** -0.5))


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("config", VARIANTS.values(), ids=VARIANTS.keys())
@pytest.mark.parametrize("last", [SINGLE, EDGELESS, PATH])
def test_a_training_batch_of_one_graph(config: ModelConfig, last: tuple[int, tuple[()]]) -> None:
    setup = Setup.of(config, graph_set([PATH, last]))
    setup([1]).sum().backward()
    for name, p in setup.model.named_parameters():
        if p.grad is not None:
            assert torch.isfinite(p.grad).all(), name
    for name, buffer in setup.model.named_buffers():
        assert torch.isfinite(buffer).all(), name


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("config", [OGB, TU])
def test_a_single_atom_leaves_the_running_statistics_alone(config: ModelConfig) -> None:
    setup = Setup.of(config, graph_set([PATH, SINGLE])).settle()
    before = {name: b.clone() for name, b in setup.model.named_buffers()}
    trained = setup([1]).detach()
    for name, buffer in setup.model.named_buffers():
        torch.testing.assert_close(buffer, before[name], rtol=0, atol=0)
    torch.testing.assert_close(trained, setup.evaluate([1]))


def test_a_frozen_first_row_has_no_gradient_but_takes_part() -> None:
    spec = CategoricalInput(sizes=(3, 2), frozen_zero=True, init="xavier")
    table = Embedding(spec, 4, generators())
    codes = torch.tensor([[0, 0], [1, 1], [2, 0]])
    out = table(codes)
    assert out[0, 0].any()  # random, non-zero
    out.square().sum().backward()
    for parameter in table.tables:
        assert parameter.grad is not None
        assert not parameter.grad[:, 0].any()
        assert parameter.grad[:, 1:].any()
    free = Embedding(spec.model_copy(update={"frozen_zero": False}), 4, generators())
    free(codes).square().sum().backward()
    assert free.tables[0].grad is not None
    assert free.tables[0].grad[:, 0].any()


@pytest.mark.parametrize("replicates", [1, 3])
@pytest.mark.parametrize("frozen", [True, False])
def test_all_columns_in_one_embed_as_each_by_itself(replicates: int, frozen: bool) -> None:
    spec = CategoricalInput(sizes=(4, 1, 3), frozen_zero=frozen)
    table = Embedding(spec, 5, generators(replicates)).double()
    chance = torch.Generator().manual_seed(0)
    highest = torch.tensor(spec.sizes)
    for shape in ((7, 3), (replicates, 7, 3), (replicates, 0, 3)):
        codes = torch.randint(12, shape, generator=chance) % highest
        found = []
        for fused in (False, True):
            out = table(codes, fused)
            (out * torch.arange(out.numel()).view(out.shape)).sum().backward()
            found.append((out.detach(), [each.grad.clone() for each in table.tables]))
            table.zero_grad()
        torch.testing.assert_close(found[1], found[0])
    assert not frozen or all(not grad[:, 0].any() for grad in found[1][1])


def test_readouts_and_empty_slots() -> None:
    x = torch.tensor([[[1.0, -5.0], [3.0, -1.0], [-2.0, -2.0], [0.0, 0.0]]])
    slot, count = torch.tensor([[0, 0, 2, 3]]), torch.tensor([[2, 0, 1]])  # 3 = padding
    out = {kind: readout(kind, x, slot, count)[0].tolist() for kind in ("mean", "max", "sum")}
    assert out["mean"] == [[2, -3], [0, 0], [-2, -2]]
    assert out["max"] == [[3, -1], [0, 0], [-2, -2]]
    assert out["sum"] == [[4, -6], [0, 0], [-2, -2]]


def test_segments_keep_replicates_apart() -> None:
    values = torch.tensor([[[1.0], [2.0], [4.0]], [[10.0], [20.0], [40.0]]])
    index = torch.tensor([[0, 2, 0], [2, 1, 1]])  # 2 = dropped
    assert scatter_sum(values, index, 2)[..., 0].tolist() == [[5, 0], [0, 60]]
    assert scatter_max(values, index, 2)[..., 0].tolist() == [
        [4, -torch.inf, 2],
        [-torch.inf, 40, 10],
    ]
    assert index_select(values, torch.tensor([[2], [0]]))[..., 0].tolist() == [[4], [10]]


@pytest.mark.parametrize("channels", ["idp", "shd"])
@pytest.mark.parametrize("kind", ["lin", "1l", "2l"])
@pytest.mark.parametrize("norm", [False, True])
def test_the_filter_on_distinct_rows_equals_the_filter_on_all_pairs(
    channels: str, kind: str, norm: bool
) -> None:
    config = ModelConfig.model_validate(
        {"hidden": 8, "filter": kind, "channels": channels, "filter_norm": norm}
    )
    bank = build_bank(graph_set(SHAPES), BASIS).enumerated()
    rows, row = torch.from_numpy(bank.rows), torch.from_numpy(bank.row).long()
    few, all_ = (Filter(config, BASIS.size, generators()) for _ in range(2))
    count = torch.bincount(row, minlength=len(rows)).float()[None, :, None]
    by_row = few(rows, count)
    by_pair = all_(rows[row], torch.ones(1, len(row), 1))
    assert by_row.shape[2] == (8 if channels == "idp" else 1)
    torch.testing.assert_close(by_row[:, row], by_pair, rtol=1e-4, atol=1e-5)
