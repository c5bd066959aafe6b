"""PDFConv against the reference engine: output and every gradient, on batches by PyG."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader

from pdf_search.errors import ConfigError, DataError
from pdf_search.graphs.bank_builder import build_bank
from pdf_search.graphs.batch import DeviceData
from pdf_search.graphs.graph_set import GraphSet
from pdf_search.model.randomness import Dropout
from pdf_search.model.reference import ReferenceConvolution
from pdf_search.nn import PDFBases, PDFConv, PDFFilter, PDFPairs
from tests.graphs.makers import SHAPES, graph_set

CHANNELS, TYPES = 6, 3
EPS, POWERS = [-0.5, -0.2], 3


def data_of(graphs: GraphSet, transform: PDFBases) -> list[Data]:
    """The graphs as PyG's, with edge types from 0, after the transform."""
    found = []
    for number in range(len(graphs)):
        one = graphs.subset(np.array([number]))
        edges = torch.from_numpy(one.edges.astype(np.int64))
        types = torch.from_numpy(one.edge_type.astype(np.int64)) - 1  # of 1 to 3
        nodes = int(one.node_count[0])
        data = Data(edge_index=edges, edge_type=types, num_nodes=nodes)
        found.append(transform(data))
    return found


def reference(
    conv: PDFConv, graphs: GraphSet, transform: PDFBases, x: Tensor, typed: bool
) -> Tensor:
    """What the reference engine computes, with the same parameters."""
    data = DeviceData.build(graphs, build_bank(graphs, transform.basis), torch.device("cpu"))
    batch = data.collate(torch.arange(len(graphs))[None])
    config = conv.filter.config
    made = ReferenceConvolution(conv.filter.f, batch, data.rows, config, Dropout(0.0, None))
    e = None
    if typed:
        assert conv.edges is not None
        e = conv.edges.weight[None]
    return made(x[None], e, conv.pre)[0]


@pytest.fixture(scope="module")
def graphs() -> GraphSet:
    made = graph_set(SHAPES)  # bond types 1 to 3, self pairs 1
    # As PDFPairs numbers them: 0 no edge, 1 a node with itself, edges from 2.
    types = np.random.default_rng(3).integers(2, 5, len(made.edge_type))  # differ by direction
    return replace(
        made, edge_type=types.astype(np.int32), edge_types=np.arange(5)[:, None], self_type=1
    )


@pytest.mark.parametrize(
    ("options", "of_bases"),
    [
        ({}, {}),
        ({"kind": "lin", "shared": True}, {}),
        ({"kind": "1l", "norm": True}, {}),
        ({"softmax": True}, {}),
        ({"norm": True}, {"hops": 2}),
        ({"norm": True, "softmax": True}, {"standardise": True}),
    ],
    ids=str,
)
@pytest.mark.parametrize("typed", [True, False])
def test_output_and_gradients_are_those_of_the_reference_engine(
    graphs: GraphSet, options: dict[str, Any], of_bases: dict[str, Any], typed: bool
) -> None:
    torch.manual_seed(1)
    transform = PDFBases(EPS, POWERS, **of_bases)
    if not typed:
        none = np.zeros_like(graphs.edge_type)
        plain = replace(graphs, edge_type=none, edge_types=np.zeros((1, 0), np.int64), self_type=0)
    batch = Batch.from_data_list(
        data_of(replace(graphs, edge_type=graphs.edge_type - 1), transform)
    )
    conv = PDFConv(CHANNELS, transform.size, TYPES if typed else 0, **options).train()
    x = torch.randn(batch.num_nodes, CHANNELS, requires_grad=True)
    weight = torch.randn(batch.num_nodes, CHANNELS)
    leaves = [x, *conv.parameters()]

    def gradients(out: Tensor) -> list[Tensor]:
        return list(torch.autograd.grad((out * weight).sum(), leaves))

    types = batch.edge_type if typed else None
    ours = conv(x, batch.edge_index, types, batch.batch, batch.bases)
    theirs = reference(conv, graphs if typed else plain, transform, x, typed)
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
    found = gradients(ours)
    for mine, true in zip(found, gradients(theirs), strict=True):
        torch.testing.assert_close(mine, true, rtol=1e-3, atol=1e-4)
    assert all(float(gradient.abs().max()) > 0 for gradient in found[:2])


def test_layers_may_share_pairs_filter_and_embedding(graphs: GraphSet) -> None:
    transform = PDFBases(EPS, POWERS)
    some = data_of(replace(graphs, edge_type=graphs.edge_type - 1), transform)
    (batch,) = DataLoader(some, batch_size=len(some))
    filter_ = PDFFilter(CHANNELS, transform.size, norm=True)
    embedding = nn.Embedding(TYPES + 2, CHANNELS)
    layers = [PDFConv(CHANNELS, transform.size, embedding, filter=filter_) for _ in range(2)]
    x = apart = torch.randn(batch.num_nodes, CHANNELS)
    given = (batch.edge_index, batch.edge_type, batch.batch, batch.bases)
    weights = filter_(PDFPairs.of(*given))
    for layer in layers:
        x = x + layer.convolve(x, weights)
        apart = apart + layer(apart, *given)
    torch.testing.assert_close(x, apart)
    names = {name for name, _ in nn.ModuleList(layers).named_parameters()}
    assert not {name for name in names if name.startswith("1.") and ".pre" not in f".{name}"}


def ring_data(transform: PDFBases) -> Data:
    ring = torch.tensor([[0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2]])
    return transform(Data(edge_index=ring, edge_type=torch.zeros(6, dtype=torch.long), num_nodes=3))


def test_what_does_not_fit_is_refused() -> None:
    transform = PDFBases([-0.3], 2)
    data = ring_data(transform)
    ring = data.edge_index
    x = torch.randn(3, CHANNELS)
    plain = PDFConv(CHANNELS, transform.size)
    assert plain(x, ring, bases=data.bases).shape == x.shape
    with pytest.raises(DataError, match="bases is missing"):
        plain(x, ring)
    with pytest.raises(DataError, match=r"bases has no pair_index, .*give data.bases"):
        plain(x, ring, bases={"rows": data.bases["rows"]})
    with pytest.raises(DataError, match="edges have types, the layer was built for none"):
        plain(x, ring, data.edge_type, None, data.bases)
    typed = PDFConv(CHANNELS, transform.size, 1)
    with pytest.raises(DataError, match="edges have no types"):
        typed(x, ring, bases=data.bases)
    with pytest.raises(DataError, match="not integers from 0"):
        typed(x, ring, data.edge_type.float(), None, data.bases)
    with pytest.raises(DataError, match="edge_type goes to 1, the layer was built"):
        typed(x, ring, data.edge_type + 1, None, data.bases)
    twice = torch.cat([ring, ring[:, :1]], dim=1)
    typed(x, twice, torch.zeros(7, dtype=torch.long), None, data.bases)
    with pytest.raises(DataError, match=r"edge \(0, 1\) of edge_index stands there"):
        typed(x, twice, torch.tensor([0] * 6 + [1]), None, data.bases)
    with pytest.raises(DataError, match="batch names 2 graphs with 3 nodes"):
        plain(x, ring, None, torch.tensor([0, 0, 1]), data.bases)


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ([[0, 3], [3, 0]], "edge_index has edges that PDFBases did not see: apply it again"),
        ([[0, 1, 1, 2], [1, 0, 2, 4]], "the batch has 4 nodes, but an edge with node 4"),
        ([[0, -1], [-1, 0]], "the batch has 4 nodes, but an edge with node -1"),
        ([[0, 1, 1], [1, 0, 2]], r"edge \(1, 2\) is there without its reverse \(2, 1\): apply t"),
        ([[0.0, 1.0], [1.0, 0.0]], r"edge_index is float32 \[2, 2\]: give integers \[2, e\]"),
        ([0, 1], r"edge_index is int64 \[2\]: give integers"),
    ],
)
def test_edges_that_are_not_of_the_graph_are_refused_with_types_and_without(
    listed: list[Any], said: str, typed: bool
) -> None:
    transform = PDFBases([-0.3], 2)
    path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    data = transform(Data(edge_index=path, num_nodes=4))
    edges, x = torch.tensor(listed), torch.randn(4, CHANNELS)
    types = torch.zeros(edges.shape[-1], dtype=torch.long) if typed else None
    conv = PDFConv(CHANNELS, transform.size, 1 if typed else 0)
    with pytest.raises(DataError, match=said):
        conv(x, edges, types, None, data.bases)


def test_edges_need_no_order_and_self_loops_do_not_count() -> None:
    transform = PDFBases([-0.3], 2)
    path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    data = transform(Data(edge_index=path, num_nodes=4))
    conv, x = PDFConv(CHANNELS, transform.size), torch.randn(4, CHANNELS)
    other = torch.tensor([[2, 3, 1, 1, 0], [1, 3, 2, 0, 1]], dtype=torch.int32)
    torch.testing.assert_close(
        conv(x, other, bases=data.bases), conv(x, path, bases=data.bases), rtol=0, atol=0
    )


def test_what_is_of_another_type_is_refused() -> None:
    transform = PDFBases([-0.3], 2)
    data, x = ring_data(transform), torch.randn(3, CHANNELS)
    conv, ring = PDFConv(CHANNELS, transform.size), data.edge_index
    given: Any = 3
    for call, said in (
        (lambda: conv(x, given, bases=data.bases), "edge_index is of type int: give a tensor"),
        (lambda: conv(x, None, bases=data.bases), "edge_index is missing: give integers"),
        (lambda: conv(x, ring, given, bases=data.bases), "edge_type is of type int"),
        (lambda: conv(x, ring, None, given, data.bases), "batch is of type int"),
        (lambda: conv(x, ring, bases=given), "bases is of type int: give data.bases, which"),
        (lambda: conv.filter(given), r"pairs is of type int: give what PDFPairs.of returns"),
        (lambda: conv.convolve(x, given), "weights is of type int: give what a PDFFilter returns"),
    ):
        with pytest.raises(DataError, match=said):
            call()
    with pytest.raises(ConfigError, match="filter: 3 does not fit: give a PDFFilter, or None"):
        PDFConv(CHANNELS, transform.size, filter=given)


@pytest.mark.parametrize(
    ("x", "said"),
    [
        (torch.randn(2, CHANNELS), "x has 2 nodes, bases are of 3"),
        (torch.randn(3, 4), r"x has 4 channels, the layer was built for 6: .*Linear\(4, 6\)"),
        (torch.randn(3), r"x is \[3\]: give a tensor \[3, 6\], nodes by channels"),
        (torch.randn(1, 3, CHANNELS), r"x is \[1, 3, 6\]: give a tensor \[3, 6\]"),
        (None, "x is NoneType: give a tensor"),
        (torch.randn(3, CHANNELS).double(), r"x is float64, .* float32: give x.float\(\)"),
        (torch.ones(3, CHANNELS, dtype=torch.long), r"x is int64, .*: give x.float\(\)"),
    ],
)
def test_node_states_of_another_kind_are_refused(x: Any, said: str) -> None:
    transform = PDFBases([-0.3], 2)
    data = ring_data(transform)
    with pytest.raises(DataError, match=said):
        PDFConv(CHANNELS, transform.size)(x, data.edge_index, bases=data.bases)


def test_parts_that_do_not_belong_together_are_refused() -> None:
    transform = PDFBases([-0.3], 2)
    data, x = ring_data(transform), torch.randn(3, CHANNELS)
    with pytest.raises(DataError, match="bases are 3 a pair, the filter was built for 7"):
        PDFConv(CHANNELS, 7)(x, data.edge_index, bases=data.bases)
    with pytest.raises(DataError, match=r"parameters are float64, .*layer.float\(\)"):
        PDFConv(CHANNELS, transform.size).double()(x, data.edge_index, bases=data.bases)
    with (
        torch.autocast("cpu", torch.bfloat16),
        pytest.raises(DataError, match=r"torch.autocast\('cpu', enabled=False\)"),
    ):
        PDFConv(CHANNELS, transform.size)(x, data.edge_index, bases=data.bases)
    pairs = PDFPairs.of(data.edge_index, None, None, data.bases)
    narrow = PDFFilter(CHANNELS - 2, transform.size)(pairs)
    with pytest.raises(DataError, match="filter was built for 4 channels, the layer for 6"):
        PDFConv(CHANNELS, transform.size).convolve(x, narrow)
    filter_ = PDFFilter(CHANNELS, transform.size, softmax=True)
    with pytest.raises(DataError, match=r"laid out without: PDFPairs.of\(..., softmax=True\)"):
        filter_(PDFPairs.of(data.edge_index, None, None, data.bases))
    for width, bases in ((4, transform.size), (CHANNELS, 7)):
        with pytest.raises(ConfigError, match="the layer for 6 and 3: give both the same"):
            PDFConv(CHANNELS, transform.size, filter=PDFFilter(width, bases))
    one = PDFConv(CHANNELS, transform.size, filter=PDFFilter(4, transform.size, shared=True))
    assert one(x, data.edge_index, bases=data.bases).shape == x.shape
    with pytest.raises(ConfigError, match="an embedding of 5 channels, the layer is for 6"):
        PDFConv(CHANNELS, transform.size, nn.Embedding(4, 5))
    with pytest.raises(ConfigError, match="kind would be of its own filter"):
        PDFConv(CHANNELS, transform.size, filter=PDFFilter(CHANNELS, transform.size), kind="lin")
    with pytest.raises(
        TypeError, match="PDFConv has no argument foo; of its filter it takes kind, norm"
    ):
        PDFConv(CHANNELS, transform.size, foo=1)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"channels": 0}, "channels: 0 does not fit: give a whole number, 1 or more"),
        ({"channels": 2.5}, "channels: 2.5 does not fit"),
        ({"bases": 0}, "bases: 0 does not fit"),
        ({"edge_types": -1}, "edge_types: -1 does not fit: give a whole number, 0 or more"),
        ({"kind": "3l"}, "kind: '3l' does not fit: give lin or 1l or 2l"),
        ({"activation": "tanh"}, "activation: 'tanh' does not fit: give gelu or relu"),
        ({"norm": "yes"}, "norm: 'yes' does not fit: give True or False"),
    ],
)
def test_settings_of_a_layer_are_checked(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        PDFConv(**{"channels": CHANNELS, "bases": 3, **changes})
