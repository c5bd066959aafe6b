"""A trial of the plain search: PyG's networks, loaders and pooling, torch's optimizer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from plain_network import PlainPDF
from ray import tune
from torch import Tensor
from torch.nn.functional import cross_entropy, l1_loss
from torch_geometric.loader import DataLoader

EPOCHS, WARMUP = 40, 3
EPS = (-0.1, -0.2, -0.3, -0.4, -0.5)
Drawn = dict[str, Any]
Numbers = list[int]


def train(drawn: Drawn, graphs: str, seed: int, epochs: int = EPOCHS) -> None:
    """A trial: every fold for an epoch, then a report of their mean; schedules stay at EPOCHS."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    made = torch.load(graphs, weights_only=False)
    folds = [Fold(drawn, made, *parts) for parts in made["parts"]]
    for epoch in range(1, epochs + 1):
        values = [fold.epoch(epoch) for fold in folds]
        tune.report({"value": float(np.mean(values))})


def grid_of(drawn: Drawn) -> list[tuple[float, int]]:
    """The (eps, k) of a drawn basis."""
    if drawn["basis"] == "four powers":
        return [(eps, k) for eps in (-0.1, -0.3, -0.5) for k in (1, 2, 3, 4)]
    if drawn["basis"] == "fourth powers":
        return [(eps, 4) for eps in EPS]
    low, high = sorted((drawn["eps_low"], drawn["eps_high"]))
    inside = [eps for eps in EPS if low - 0.01 < eps < high + 0.01]
    return [(eps, k) for eps in inside for k in range(1, drawn["k_high"] + 1)]


class Fold:
    """The network of a fold, its loaders and its optimizer."""

    def __init__(self, drawn: Drawn, made: dict[str, Any], train: Numbers, valid: Numbers) -> None:
        columns = [0] + [1 + made["grid"].index(point) for point in grid_of(drawn)]
        graphs = [graph.clone() for graph in made["graphs"]]
        for graph in graphs:
            graph.rows = graph.rows[:, columns]
        self.drawn, self.classes = drawn, made["metric"] == "accuracy"
        # 513 graphs leave a last batch of one; torch's BatchNorm refuses it if that is one atom.
        drawn_graphs = [graphs[i] for i in train]
        self.train = DataLoader(drawn_graphs, batch_size=32, shuffle=True, drop_last=True)
        self.valid = DataLoader([graphs[i] for i in valid], batch_size=256)
        targets = torch.cat([graphs[i].y for i in train])
        self.mean, self.scale = targets.mean(), targets.std(correction=0)
        self.model = PlainPDF(
            drawn | {"softmax": True}, made["shape"], len(columns), made["edge_types"]
        )
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), weight_decay=drawn["weight_decay"]
        )

    def epoch(self, epoch: int) -> float:
        """Train an epoch; the validation accuracy or RMSE."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate(self.drawn["learning_rate"], epoch)
        self.model.train()
        for batch in self.train:
            self.optimizer.zero_grad()
            self.loss(self.model(batch), batch.y).backward()
            self.optimizer.step()
        self.model.eval()
        with torch.no_grad():
            pairs = [(self.model(batch), batch.y) for batch in self.valid]
        output, target = (torch.cat(part) for part in zip(*pairs, strict=True))
        if self.classes:
            return float((output.argmax(1) == target[:, 0]).float().mean())
        return float((output * self.scale + self.mean - target).square().mean().sqrt())

    def loss(self, output: Tensor, target: Tensor) -> Tensor:
        if self.classes:
            return cross_entropy(output, target[:, 0].long())
        return l1_loss(output, (target - self.mean) / self.scale)


def rate(peak: float, epoch: int) -> float:
    """Cubic warm-up, then a cosine to 0."""
    if epoch <= WARMUP:
        return peak * (epoch / WARMUP) ** 3
    return peak * (1 + math.cos(math.pi * (epoch - WARMUP - 1) / (EPOCHS - WARMUP - 1))) / 2
