"""One epoch of training and one pass of prediction, for R replicates at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from pdf_search.config import TrainingConfig
from pdf_search.model import EngineBatch, EngineData, Network, Noise, replicate_keys, step_keys
from pdf_search.records import Replicate, Task
from pdf_search.training.cuda_graph.packed_steps import map_tensors
from pdf_search.training.losses import batch_loss
from pdf_search.training.optimizer import AdamW

PREDICTION_BATCH = 128


@dataclass(frozen=True)
class ReplicateTrainer:
    """What trains R replicates together: model, optimizer, data and the scale of the targets."""

    replicates: tuple[Replicate, ...]
    model: Network
    optimizer: AdamW
    data: EngineData
    rows: Tensor  # [U, m] of the data, on the device
    edge_types: Tensor  # [T, C]
    training: TrainingConfig
    task: Task
    mean: Tensor  # [R, 1, T] of the training targets, or 0
    std: Tensor  # [R, 1, T], or 1

    def close(self) -> None:
        """Do nothing: all of it is freed with the trainer."""

    def build_ahead(self, epoch: int, order: Callable[[int], Tensor]) -> None:
        """Do nothing: each batch is made when its step comes."""

    def train_epoch(self, epoch: int, graphs: Tensor, rate: float) -> Tensor:
        """Train an epoch; returns each replicate's mean training loss, [R].

        ``graphs`` [R, L]: the training graphs in this epoch's order, -1 for none. ``rate``: the
        learning rate.
        """
        size = self.training.batch_size
        total = self.mean.new_zeros(len(self.replicates))
        starts = range(0, graphs.shape[1], size)
        keys = step_keys(self.replicates, epoch, len(starts)).to(self.mean.device)
        for step, start in enumerate(starts):
            total += self.learn(self.batch(graphs[:, start : start + size]), keys[step], rate)
        return total / (graphs >= 0).sum(1)

    def train_step(self, epoch: int, step: int, graphs: Tensor, rate: float) -> Tensor:
        """Train on ``graphs`` [R, B]; returns each replicate's loss times its graphs, [R]."""
        keys = replicate_keys(self.replicates, epoch, step).to(self.mean.device)
        return self.learn(self.batch(graphs), keys, rate)

    def batch(self, graphs: Tensor) -> EngineBatch:
        """Collate ``graphs`` [R, B] where the data lie; returns the batch on the model's device."""
        here, there = self.data.rows.device, self.mean.device
        batch = self.data.collate(graphs.to(here))
        return batch if here == there else map_tensors(batch, lambda t: t.to(there))

    def learn(self, batch: EngineBatch, keys: Tensor, rate: float | Tensor) -> Tensor:
        """Train on a batch with the noise of ``keys`` [R]; returns what ``train_step`` returns.

        It never waits for the device, so that it can be recorded as a CUDA graph. A batch without
        graphs changes nothing.
        """
        if not self.model.training:  # it walks through all modules
            self.model.train()
        present = (batch.graphs >= 0).sum(1)
        output = self.model(batch, self.rows, self.edge_types, Noise(keys))
        target = (batch.targets - self.mean) / self.std
        loss = batch_loss(self.training.loss, self.task, output, target)
        torch.autograd.backward(loss.sum())
        self.optimizer.step(rate, present > 0)
        return loss.detach() * present

    @torch.no_grad()
    def predict(self, graphs: Tensor) -> list[Tensor]:
        """Predict each replicate's list in ``graphs`` [R, L]: [n, outputs] for each, on the CPU.

        Regression is in the unit of the targets; classes and labels are logits.
        """
        outputs = [
            self.infer(self.batch(graphs[:, start : start + PREDICTION_BATCH]))
            for start in range(0, graphs.shape[1], PREDICTION_BATCH)
        ]
        return by_replicate(torch.cat(outputs, 1), graphs)

    @torch.no_grad()
    def infer(self, batch: EngineBatch) -> Tensor:
        """Predictions [R, B, outputs] of a batch, in evaluation mode."""
        self.model.eval()
        output: Tensor = self.model(batch, self.rows, self.edge_types)
        return output * self.std + self.mean


def by_replicate(outputs: Tensor, graphs: Tensor) -> list[Tensor]:
    """Split ``outputs`` [R, L, outputs] by replicate, on the CPU, without places of no graph.

    ``graphs`` [R, L]: -1 for no graph.
    """
    present = (graphs >= 0).cpu()
    return [row[here] for row, here in zip(outputs.cpu(), present, strict=True)]
