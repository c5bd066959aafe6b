"""The PDF network as one would write it with PyG: one model at a time, all pairs of each graph."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from torch import Tensor, nn
from torch_geometric.nn import MessagePassing, global_add_pool, global_mean_pool
from torch_geometric.utils import softmax

from pdf_search.config import CategoricalInput, InputShape, LinearInput, NoInput


class Sum(nn.Module):
    """The sum of one embedding a column."""

    def __init__(self, spec: CategoricalInput, d: int) -> None:
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(size, d) for size in spec.sizes)

    def forward(self, codes: Tensor) -> Tensor:
        found: Tensor = sum(table(codes[:, i]) for i, table in enumerate(self.tables))
        return found


def encoder(spec: CategoricalInput | LinearInput, d: int) -> nn.Module:
    return Sum(spec, d) if isinstance(spec, CategoricalInput) else nn.Linear(spec.features, d)


class Convolution(MessagePassing):
    def __init__(self, d: int, dropout: float) -> None:
        super().__init__(aggr="add")
        self.pre = nn.Sequential(nn.Linear(d, d), nn.GELU())
        self.ffn = nn.Sequential(
            nn.Linear(d, d), nn.BatchNorm1d(d), nn.GELU(),
            nn.Linear(d, d), nn.BatchNorm1d(d), nn.GELU(),
        )  # fmt: skip
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, edge_index, e, f):  # type: ignore[no-untyped-def]
        x = x + self.dropout(self.propagate(edge_index, x=x, e=e, f=f))
        return x + self.dropout(self.ffn(x))

    def message(self, x_j, e, f):  # type: ignore[no-untyped-def]
        return self.pre(x_j if e is None else x_j + e) * f


class PlainPDF(nn.Module):
    """``settings``: as in ``model`` of a space; ``edge_types`` [T, C] are the edge types' codes."""

    def __init__(
        self, settings: dict[str, Any], shape: InputShape, bases: int, edge_types: Tensor
    ) -> None:
        super().__init__()
        d, dropout = settings["hidden"], settings["dropout"]
        self.edge_types = edge_types
        self.nodes = encoder(shape.nodes, d)
        self.edges = None if isinstance(shape.edges, NoInput) else encoder(shape.edges, d)
        out = d if settings["channels"] == "idp" else 1
        widths = [bases, d, out] if settings["filter"] == "2l" else [bases, out]
        steps: list[nn.Module] = []
        for inputs, outputs in pairwise(widths):
            steps.append(nn.Linear(inputs, outputs))
            if settings["filter_norm"]:
                steps.append(nn.BatchNorm1d(outputs))
            if settings["filter"] == "2l":
                steps.append(nn.GELU())
        self.filter = nn.Sequential(*steps, nn.Dropout(dropout))
        self.softmax = settings["softmax"]
        self.layers = nn.ModuleList(Convolution(d, dropout) for _ in range(settings["layers"]))
        self.pool = global_mean_pool if settings["readout"] == "mean" else global_add_pool
        self.head = nn.Linear(d, shape.outputs)

    def forward(self, data: Any) -> Tensor:
        x = self.nodes(data.x)
        e = None if self.edges is None else self.edges(self.edge_types)[data.edge_type]
        f = self.filter(data.rows)
        if self.softmax:
            f = softmax(f, data.edge_index[1], num_nodes=len(x))
        for layer in self.layers:
            x = layer(x, data.edge_index, e, f)
        out: Tensor = self.head(self.pool(x, data.batch))
        return out
