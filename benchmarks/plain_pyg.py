"""The ZINC model as one would write it with PyG: MessagePassing over all pairs of each graph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import l1_loss
from torch_geometric.nn import MessagePassing, global_mean_pool


class Convolution(MessagePassing):
    def __init__(self, d: int) -> None:
        super().__init__(aggr="add")
        self.pre = nn.Sequential(nn.Linear(d, d), nn.GELU())
        self.ffn = nn.Sequential(
            nn.Linear(d, d), nn.BatchNorm1d(d), nn.GELU(),
            nn.Linear(d, d), nn.BatchNorm1d(d), nn.GELU(),
        )  # fmt: skip

    def forward(self, x, edge_index, e, f):  # type: ignore[no-untyped-def]
        x = x + self.propagate(edge_index, x=x, e=e, f=f)
        return x + self.ffn(x)

    def message(self, x_j, e, f):  # type: ignore[no-untyped-def]
        return self.pre(x_j + e) * f


class Plain(nn.Module):
    def __init__(self, bases: int, d: int = 160, layers: int = 6) -> None:
        super().__init__()
        self.atoms, self.bonds = nn.Embedding(28, d), nn.Embedding(4, d)
        self.filter = nn.Sequential(nn.Linear(bases, d), nn.GELU(), nn.Linear(d, d), nn.GELU())
        self.layers = nn.ModuleList(Convolution(d) for _ in range(layers))
        self.head = nn.Linear(d, 1)

    def forward(self, x, edge_index, edge_type, rows, graph):  # type: ignore[no-untyped-def]
        x, e, f = self.atoms(x), self.bonds(edge_type), self.filter(rows)
        for layer in self.layers:
            x = layer(x, edge_index, e, f)
        return self.head(global_mean_pool(x, graph)).squeeze(-1)


def plain_program(
    data_root: Path | None, device: str
) -> tuple[Callable[[int], object], int, Callable[[], float]]:
    """A training step by number (batches are made beforehand), and the steps of an epoch."""
    from engine_cells import matrix_milliseconds  # noqa: PLC0415

    from pdf_search.config import parse_trial  # noqa: PLC0415
    from pdf_search.data import load_prepared, prepare  # noqa: PLC0415
    from pdf_search.graphs.bank_builder import build_bank  # noqa: PLC0415
    from pdf_search.graphs.batch import DeviceData  # noqa: PLC0415
    from pdf_search.space import paper_trial  # noqa: PLC0415

    config = parse_trial(dict(paper_trial("zinc")))
    data = load_prepared(prepare(config.data, data_root))
    graphs = data.graphs.subset(torch.arange(512).numpy())
    ours = DeviceData.build(graphs, build_bank(graphs, config.basis), torch.device(device))
    batches = []
    for start in range(0, 512, 64):
        batch = ours.collate(torch.arange(start, start + 64, device=device)[None])
        index = torch.stack([batch.pair_source[0], batch.pair_target[0]])
        rows = ours.rows[batch.pair_row[0]]
        slot: Tensor = batch.node_slot[0]
        batches.append((batch.nodes[0, :, 0], index, batch.pair_type[0], rows, slot,
                        batch.targets[0, :, 0]))  # fmt: skip
    model = Plain(config.basis.size).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=5e-5)

    def step(number: int) -> object:
        *inputs, target = batches[number % len(batches)]
        optimizer.zero_grad()
        loss = l1_loss(model(*inputs), target)
        loss.backward()
        return optimizer.step()

    return step, -(-len(data.graphs) // 64), lambda: matrix_milliseconds(step)
