"""PyTorch Geometric's GIN in place of a PDF network, for comparison (Xu et al. 2019).

R replicates are R separate models. Their parameters are stacked; the forward pass runs the models
one after the other, each with its slice.

Legend: R replicates, B graph slots, n nodes, e directed edges of one replicate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.func import functional_call

from pdf_search.config import CategoricalInput, InputShape, LinearInput, ModelConfig, NoInput
from pdf_search.graphs import GraphSet, NodeData, counts, places, put
from pdf_search.imports import quietly
from pdf_search.model.randomness import Noise, replicate_keys
from pdf_search.records import Replicate

with quietly():
    from torch_geometric.nn import (
        GINConv,
        GINEConv,
        global_add_pool,
        global_max_pool,
        global_mean_pool,
    )

POOLS = {"mean": global_mean_pool, "max": global_max_pool, "sum": global_add_pool}


class GIN(nn.Module):
    """GIN with a residual connection around each layer; GINE if the graphs have edge input.

    Each layer adds ffn(x[v] + sum over neighbours u of x[u]) to x[v]. GINE sums relu(x[u] + e)
    instead, with e the encoded edge.
    """

    def __init__(self, config: ModelConfig, shape: InputShape) -> None:
        super().__init__()
        d = config.hidden
        self.nodes = _Encoder(shape.nodes, d)
        self.edges = None if isinstance(shape.edges, NoInput) else _Encoder(shape.edges, d)
        conv = GINConv if self.edges is None else GINEConv
        self.layers = nn.ModuleList(conv(_feed_forward(config)) for _ in range(config.layers))
        self.pool = POOLS[config.readout]
        hidden = [nn.Linear(d, d), _activation(config)] if config.head == "mlp" else []
        self.head = nn.Sequential(*hidden, nn.Linear(d, shape.outputs))

    def forward(
        self, x: Tensor, edge_index: Tensor, edge_input: Tensor, graph: Tensor, graphs: int
    ) -> Tensor:
        """Outputs [graphs, outputs] of the graphs of one replicate.

        ``x`` [n, F], ``edge_index`` [2, e], ``edge_input`` [e, C], ``graph`` [n] the graph of each
        node, ``graphs`` the number of graphs.
        """
        x = self.nodes(x)
        e = () if self.edges is None else (self.edges(edge_input),)
        for layer in self.layers:
            x = x + layer(x, edge_index, *e)
        out: Tensor = self.head(self.pool(x, graph, graphs))
        return out


class GINNetwork(nn.Module):
    """One GIN per replicate, each initialised from its replicate's own seed."""

    def __init__(
        self, config: ModelConfig, shape: InputShape, replicates: Sequence[Replicate]
    ) -> None:
        super().__init__()
        started = [_started(config, shape, replicate) for replicate in replicates]
        self._one = (started[0],)  # a tuple, so that nn.Module does not register it
        for name, parameter in started[0].named_parameters():
            values = [model.get_parameter(name).detach() for model in started]
            self.register_parameter(_plain(name), nn.Parameter(torch.stack(values)))
            assert parameter.requires_grad
        for name, _ in started[0].named_buffers():
            values = [model.get_buffer(name) for model in started]
            self.register_buffer(_plain(name), torch.stack(values))

    def forward(
        self,
        batch: GINBatch,
        rows: Tensor,  # noqa: ARG002  (of a PDF network)
        edge_types: Tensor,
        noise: Noise | None = None,  # noqa: ARG002
    ) -> Tensor:
        """Outputs [R, B, outputs]; 0 for a replicate that has no graph in the batch.

        ``rows`` and ``noise`` are there for PDF networks and not used.
        """
        (one,) = self._one
        one.train(self.training)
        slots = batch.graphs.shape[1]
        outputs = []
        for r, (x, edge_index, edge_type, graph) in enumerate(batch):
            state = {
                name: getattr(self, _plain(name))[r]
                for name, _ in (*one.named_parameters(), *one.named_buffers())
            }
            if not len(x):
                outputs.append(next(iter(state.values())).new_zeros(slots, self._outputs))
                continue
            inputs = (x, edge_index, edge_types[edge_type], graph, slots)
            outputs.append(functional_call(one, state, inputs))
        return torch.stack(outputs)

    @property
    def _outputs(self) -> int:
        (one,) = self._one
        last = one.head[-1]
        assert isinstance(last, nn.Linear)
        return last.out_features


@dataclass(frozen=True)
class GINBatch:
    """The graphs of each replicate, one list entry per replicate, without padding."""

    graphs: Tensor  # [R, B], -1 = empty slot
    targets: Tensor  # [R, B, tasks]
    nodes: list[Tensor]  # [n, F]
    edge_index: list[Tensor]  # [2, e]
    edge_type: list[Tensor]  # [e]
    slot: list[Tensor]  # [n] graph slot of each node

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor, Tensor, Tensor]]:
        return zip(self.nodes, self.edge_index, self.edge_type, self.slot, strict=True)


@dataclass(frozen=True)
class GINData:
    """A graph set as tensors on one device, for ``GINNetwork``."""

    node_data: NodeData
    edge_ptr: Tensor
    edges: Tensor  # [2, E]
    edge_type: Tensor
    edge_types: Tensor  # [T, C]
    rows: Tensor  # [0, 0]: GIN has no bases

    @classmethod
    def build(cls, graphs: GraphSet, device: torch.device) -> GINData:
        """Copy a graph set to ``device``."""
        return cls(
            node_data=NodeData.build(graphs, device),
            edge_ptr=put(graphs.edge_ptr, device),
            edges=put(graphs.edges, device).long(),
            edge_type=put(graphs.edge_type, device).long(),
            edge_types=put(graphs.edge_types, device),
            rows=torch.zeros(0, 0, device=device),
        )

    def collate(self, graphs: Tensor) -> GINBatch:
        """Collate the batch of ``graphs`` [R, B], graph numbers with -1 for an empty slot."""
        nodes = self.node_data.collate(graphs)
        first_node = nodes.node_count.cumsum(1) - nodes.node_count
        edge_count = counts(self.edge_ptr, graphs)
        slot, edge, inside = places(self.edge_ptr, graphs.clamp(min=0), edge_count)
        edge_index = self.edges[:, edge] + first_node.gather(1, slot)
        there = nodes.node_mask[..., 0] > 0
        each = range(len(graphs))
        return GINBatch(
            graphs=graphs,
            targets=nodes.targets,
            nodes=[nodes.nodes[r][there[r]] for r in each],
            edge_index=[edge_index[:, r][:, inside[r]] for r in each],
            edge_type=[self.edge_type[edge[r][inside[r]]] for r in each],
            slot=[nodes.node_slot[r][there[r]] for r in each],
        )


class _Encoder(nn.Module):
    """Integer columns to the sum of their embeddings, or real features through a linear layer."""

    def __init__(self, spec: CategoricalInput | LinearInput, channels: int) -> None:
        super().__init__()
        if isinstance(spec, LinearInput):
            self.linear: nn.Linear | None = nn.Linear(spec.features, channels)
            return
        self.linear = None
        self.tables = nn.ModuleList(nn.Embedding(size, channels) for size in spec.sizes)
        if spec.init == "xavier":
            for table in self.tables.parameters():
                nn.init.xavier_uniform_(table)

    def forward(self, x: Tensor) -> Tensor:
        if self.linear is not None:
            out: Tensor = self.linear(x)
            return out
        columns = [table(x[:, column]) for column, table in enumerate(self.tables)]
        return torch.stack(columns).sum(0)


def _feed_forward(config: ModelConfig) -> nn.Sequential:
    d = config.hidden
    steps: list[nn.Module] = []
    for _ in range(2):
        steps.append(nn.Linear(d, d))
        steps += [nn.BatchNorm1d(d)] if config.ffn_norm else []
        steps.append(_activation(config))
    return nn.Sequential(*steps)


def _activation(config: ModelConfig) -> nn.Module:
    return nn.GELU() if config.ffn_activation == "gelu" else nn.ReLU()


def _started(config: ModelConfig, shape: InputShape, replicate: Replicate) -> GIN:
    """The GIN of a replicate, initialised on the CPU from the replicate's own seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(replicate_keys([replicate]).item()))
        return GIN(config, shape)


def _plain(name: str) -> str:
    """A parameter name without dots, which ``register_parameter`` refuses."""
    return name.replace(".", "-")
