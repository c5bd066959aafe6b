"""PyG's GIN at the size and batch of the published ZINC setting: epoch times for comparison.

    python benchmarks/gin.py --data-root FOLDER --seconds 60

Hidden 160, 6 layers, batch 64, bond types embedded (GINE): the model of ``architecture: gin``.
Batches are made by PyG's DataLoader in the timed loop, as one would use it;
``pdf-search study paper/timing`` times it behind ``run_trial``, and ``benchmarks/engine.py`` gives
our side.
"""

from __future__ import annotations

import argparse
import time
from statistics import fmean, pstdev
from typing import Any

import numpy as np
import torch
from common import parser, publish
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader

from pdf_search.config import DataConfig, ModelConfig
from pdf_search.data import Prepared, load_prepared, prepare
from pdf_search.model.gin import GIN

CONFIG = ModelConfig(architecture="gin", hidden=160, layers=6)


def main() -> None:
    arguments = parser(__doc__, seconds=60.0).parse_args()
    torch.set_num_threads(arguments.threads)
    publish(arguments, [measure(arguments)])


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    data = load_prepared(prepare(DataConfig(name="zinc"), arguments.data_root))
    parts = {name: pyg_list(data, name) for name in ("train", "valid")}
    assert data.info.shape is not None
    model = GIN(CONFIG, data.info.shape).to(arguments.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    train: list[float] = []
    evaluation: list[float] = []
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
    model: GIN, loader: DataLoader, device: str, optimizer: torch.optim.Optimizer | None
) -> None:
    for batch in loader:
        batch = batch.to(device)  # noqa: PLW2901
        inputs = (batch.x, batch.edge_index, batch.edge_attr, batch.batch, batch.num_graphs)
        loss = (model(*inputs)[:, 0] - batch.y).abs().mean()
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if device.startswith("cuda"):
        torch.cuda.synchronize()


def pyg_list(data: Prepared, part: str) -> list[Data]:
    assert data.official is not None
    graphs = data.graphs.subset(np.asarray(data.official[part]))
    types = torch.from_numpy(np.array(graphs.edge_types))
    made = []
    for g in range(len(graphs)):
        nodes = slice(graphs.node_ptr[g], graphs.node_ptr[g + 1])
        edges = slice(graphs.edge_ptr[g], graphs.edge_ptr[g + 1])
        made.append(
            Data(
                x=torch.from_numpy(graphs.nodes[nodes]),
                edge_index=torch.from_numpy(graphs.edges[:, edges].astype(np.int64)),
                edge_attr=types[torch.from_numpy(graphs.edge_type[edges].astype(np.int64))],
                y=torch.from_numpy(graphs.targets[g]),
            )
        )
    return made


if __name__ == "__main__":
    main()
