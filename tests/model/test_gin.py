"""GIN in the place of a PDF network: against PyTorch Geometric by hand, replicates apart."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch_geometric.data import Batch, Data

from pdf_search.config import ModelConfig, TrialConfig, parse_trial
from pdf_search.data.registry import lookup
from pdf_search.errors import ConfigError
from pdf_search.graphs.graph_set import GraphSet
from pdf_search.model.gin import GIN, GINData, GINNetwork
from pdf_search.parameters import parameter_count
from pdf_search.records import Replicate
from pdf_search.space import paper_trial

CONFIG = ModelConfig(architecture="gin", hidden=8, layers=2)
SHAPES = {name: lookup(TrialConfig.model_validate(paper_trial(name)).data).shape
          for name in ("zinc", "mutag", "ogbg-molpcba")}  # fmt: skip


def graphs(edge_columns: int) -> GraphSet:
    """Three graphs: a triangle, an edge, and one node without edges."""
    edges = np.array([[0, 1, 1, 2, 2, 0, 0, 1], [1, 0, 2, 1, 0, 2, 1, 0]], np.int32)
    types = np.array([[0], [1], [2]], np.int64) if edge_columns else np.zeros((1, 0), np.int64)
    return GraphSet(
        node_ptr=np.array([0, 3, 5, 6]),
        nodes=np.array([[0], [1], [2], [3], [4], [5]], np.int64),
        edge_ptr=np.array([0, 6, 8, 8]),
        edges=edges,
        edge_type=np.array([1, 1, 2, 2, 1, 1, 2, 2] if edge_columns else [0] * 8, np.int32),
        edge_types=types,
        self_type=0,
        targets=np.zeros((3, 1), np.float32),
    )


def pyg(data: GraphSet, number: int) -> Data:
    nodes = slice(*data.node_ptr[number : number + 2])
    edges = slice(*data.edge_ptr[number : number + 2])
    return Data(
        x=torch.from_numpy(data.nodes[nodes]),
        edge_index=torch.from_numpy(data.edges[:, edges].astype(np.int64)),
        edge_attr=torch.from_numpy(data.edge_types[data.edge_type[edges]]),
    )


def one_of(network: GINNetwork, number: int, config: ModelConfig, shape: object) -> GIN:
    """A replicate as a model of its own."""
    single = GIN(config, shape)  # type: ignore[arg-type]
    state = {name: network.state_dict()[name.replace(".", "-")][number]
             for name in single.state_dict()}  # fmt: skip
    single.load_state_dict(state)
    return single


@pytest.mark.parametrize("training", [True, False])
def test_each_replicate_is_a_gin_of_its_own(training: bool) -> None:
    shape, data = SHAPES["zinc"], graphs(1)
    replicates = (Replicate(3), Replicate(4))
    network = GINNetwork(CONFIG, shape, replicates).train(training)
    lists = GINData.build(data, torch.device("cpu"))
    numbers = torch.tensor([[0, 2, 1], [1, 0, -1]])
    singles = [one_of(network, r, CONFIG, shape).train(training) for r in range(2)]
    outputs = network(lists.collate(numbers), lists.rows, lists.edge_types)
    outputs.square().sum().backward()
    for r, single in enumerate(singles):
        members = [number for number in numbers[r].tolist() if number >= 0]
        batch = Batch.from_data_list([pyg(data, number) for number in members])
        alone = single(batch.x, batch.edge_index, batch.edge_attr, batch.batch, len(members))
        torch.testing.assert_close(outputs[r, : len(members)], alone)
        # An empty slot is an empty graph: what the head makes of nothing.
        empty = outputs[r, len(members) :]
        (alone.square().sum() + empty.detach().square().sum() * 0).backward()
        for name, buffer in single.named_buffers():
            torch.testing.assert_close(network.get_buffer(name.replace(".", "-"))[r], buffer)
    name = "layers-0-nn-0-weight"
    torch.testing.assert_close(
        network.get_parameter(name).grad[0],  # type: ignore[index]
        singles[0].get_parameter("layers.0.nn.0.weight").grad,
    )


def test_a_replicate_without_graphs_gives_nothing_and_keeps_its_statistics() -> None:
    network = GINNetwork(CONFIG, SHAPES["zinc"], (Replicate(0), Replicate(1)))
    lists = GINData.build(graphs(1), torch.device("cpu"))
    before = network.get_buffer("layers-0-nn-1-running_mean").clone()
    out = network(lists.collate(torch.tensor([[0, 1], [-1, -1]])), lists.rows, lists.edge_types)
    after = network.get_buffer("layers-0-nn-1-running_mean")
    assert (out[1] == 0).all()
    assert not torch.equal(after[0], before[0])
    assert torch.equal(after[1], before[1])


def test_the_start_is_a_function_of_the_seed_alone() -> None:
    shape = SHAPES["zinc"]
    both = GINNetwork(CONFIG, shape, (Replicate(7), Replicate(8)))
    torch.manual_seed(99)
    alone = GINNetwork(CONFIG, shape, (Replicate(8),))
    for name, value in alone.state_dict().items():
        assert torch.equal(both.state_dict()[name][1:], value)


@pytest.mark.parametrize("name", list(SHAPES))
@pytest.mark.parametrize("head", ["linear", "mlp"])
@pytest.mark.parametrize("norm", [True, False])
def test_the_closed_form_count_is_that_of_the_model(name: str, head: str, norm: bool) -> None:
    config = CONFIG.model_copy(update={"head": head, "ffn_norm": norm})
    model = GINNetwork(config, SHAPES[name], (Replicate(0), Replicate(1)))
    counted = sum(parameter.numel() for parameter in model.parameters())
    assert counted == 2 * parameter_count(config, 6, SHAPES[name])


def test_older_hashes_stay_and_gin_has_its_own() -> None:
    tree = paper_trial("zinc")
    tree["data"] = {"name": "zinc"}  # as older versions recorded it
    zinc = parse_trial(tree)
    assert zinc.content_hash() == "e83e2e6184bb5e8e"
    gin = zinc.model_copy(update={"model": CONFIG})
    assert gin.content_hash() != zinc.content_hash()


def test_gin_has_no_dropout() -> None:
    tree = paper_trial("enzymes")
    tree["model"]["architecture"] = "gin"
    with pytest.raises(ConfigError, match=r"gin has no dropout; write dropout: 0\.0"):
        parse_trial(tree)
