"""PyG's GIN at the size and batch of the published ZINC setting: epoch times for comparison.

    python benchmarks/gin.py --data-root FOLDER --seconds 60

Hidden 160, 6 layers, batch 64, bond types embedded (GINE). Batches are made by PyG's DataLoader
in the timed loop, as one would use it. ``benchmarks/engine.py`` gives our side.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import numpy as np
import torch
from common import describe_machine, print_rows, write_rows
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GINEConv, global_mean_pool

from pdf_search.config import DataConfig
from pdf_search.data import Prepared, load_prepared, prepare


class GIN(nn.Module):
    def __init__(self, hidden: int = 160, layers: int = 6) -> None:
        super().__init__()
        self.atoms, self.bonds = nn.Embedding(28, hidden), nn.Embedding(4, hidden)
        self.layers = nn.ModuleList(GINEConv(feed_forward(hidden)) for _ in range(layers))
        self.head = nn.Linear(hidden, 1)

    def forward(self, batch: Any) -> Tensor:
        x, e = self.atoms(batch.x), self.bonds(batch.edge_attr)
        for layer in self.layers:
            x = x + layer(x, batch.edge_index, e)
        out: Tensor = self.head(global_mean_pool(x, batch.batch)).squeeze(-1)
        return out


def feed_forward(hidden: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(hidden, hidden), nn.BatchNorm1d(hidden), nn.GELU(),
        nn.Linear(hidden, hidden), nn.BatchNorm1d(hidden), nn.GELU(),
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data-root", type=Path)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    rows = [measure(arguments)]
    print(describe_machine(arguments.device, arguments.threads))
    print_rows(rows)
    if arguments.json:
        write_rows(arguments.json, rows)


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    data = load_prepared(prepare(DataConfig(name="zinc"), arguments.data_root))
    parts = {name: pyg_list(data, name) for name in ("train", "valid")}
    model = GIN().to(arguments.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    train, evaluation = [], []
    started = time.perf_counter()
    while len(train) < 2 or time.perf_counter() - started < arguments.seconds:
        begin = time.perf_counter()
        run(
            model.train(), DataLoader(parts["train"], 64, shuffle=True), arguments.device, optimizer
        )
        middle = time.perf_counter()
        with torch.no_grad():
            run(model.eval(), DataLoader(parts["valid"], 64), arguments.device, None)
        train.append(middle - begin)
        evaluation.append(time.perf_counter() - middle)
    return {
        "model": "GINE, hidden 160, 6 layers",
        "dataset": "zinc",
        "device": arguments.device,
        "parameters": sum(p.numel() for p in model.parameters()),
        "train_epoch_s": fmean(train[1:]),
        "train_std_s": pstdev(train[1:]),
        "valid_s": fmean(evaluation[1:]),
        "epochs": len(train) - 1,
    }


def run(
    model: nn.Module, loader: DataLoader, device: str, optimizer: torch.optim.Optimizer | None
) -> None:
    for batch in loader:
        batch = batch.to(device)  # noqa: PLW2901
        loss = (model(batch) - batch.y).abs().mean()
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if device.startswith("cuda"):
        torch.cuda.synchronize()


def pyg_list(data: Prepared, part: str) -> list[Data]:
    assert data.official is not None
    graphs = data.graphs.subset(np.asarray(data.official[part]))
    types = torch.from_numpy(np.asarray(graphs.edge_types))[:, 0]
    made = []
    for g in range(len(graphs)):
        nodes = slice(graphs.node_ptr[g], graphs.node_ptr[g + 1])
        edges = slice(graphs.edge_ptr[g], graphs.edge_ptr[g + 1])
        made.append(
            Data(
                x=torch.from_numpy(graphs.nodes[nodes, 0]),
                edge_index=torch.from_numpy(graphs.edges[:, edges].astype(np.int64)),
                edge_attr=types[torch.from_numpy(graphs.edge_type[edges].astype(np.int64))],
                y=torch.from_numpy(graphs.targets[g]),
            )
        )
    return made


if __name__ == "__main__":
    main()
