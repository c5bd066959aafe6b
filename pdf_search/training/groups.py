"""The replicates of a trial in groups that train one after another.

The replicates of a group train together; usually there is one group. Replicates do not influence
each other, so the grouping changes only time and memory.

Legend: R replicates, L graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from pdf_search.training.replicate_trainer import ReplicateTrainer
from pdf_search.training.replicates import EpochOrder, ReplicateSplits

State = dict[str, Tensor]


class Trainer(Protocol):
    """What ``ReplicateTrainer`` and ``CudaGraphTrainer`` have in common."""

    def train_epoch(self, epoch: int, graphs: Tensor, rate: float) -> Tensor:
        """See ``ReplicateTrainer.train_epoch``."""

    def predict(self, graphs: Tensor) -> list[Tensor]:
        """See ``ReplicateTrainer.predict``."""

    def build_ahead(self, epoch: int, order: Callable[[int], Tensor]) -> None:
        """Make the batches of an epoch to come, whose order is ``order(epoch)``, if that pays."""

    def close(self) -> None:
        """Free what the trainer holds beside its model, optimizer and data."""


@dataclass(frozen=True)
class Group:
    """Replicates that train together: their trainer, their order of an epoch, their graphs."""

    eager: ReplicateTrainer  # has the model and the optimizer
    trainer: Trainer  # runs the steps: ``eager``, or a ``CudaGraphTrainer`` of it
    order: EpochOrder
    places: dict[str, Tensor]  # part -> places of its graphs [R, L]

    @classmethod
    def of(
        cls,
        splits: ReplicateSplits,
        eager: ReplicateTrainer,
        trainer: Trainer,
        device: torch.device,
    ) -> Group:
        """Build the group of the replicates in ``splits``, with its tensors on ``device``."""
        places = {part: splits.places(part).to(device) for part in splits.parts}
        return cls(eager, trainer, EpochOrder.of(splits, device), places)


class Groups:
    """All replicates of a trial, in their order.

    In the states the replicates are the leading dimension, however they are grouped.
    """

    def __init__(self, groups: Sequence[Group]) -> None:
        self.groups = groups

    def close(self) -> None:
        """Free all that the groups hold; nothing can be trained afterwards."""
        for group in self.groups:
            group.trainer.close()
        self.groups = ()

    def train_epoch(self, epoch: int, rate: float, last: bool = True) -> Tensor:
        """Train an epoch at learning rate ``rate``; returns each replicate's mean loss, [R].

        ``last``: no epoch comes after it, for which batches could be made already.
        """
        losses = [g.trainer.train_epoch(epoch, g.order(epoch), rate) for g in self.groups]
        if not last:
            for group in self.groups:
                group.trainer.build_ahead(epoch + 1, group.order)
        return torch.cat(losses)

    def predict(self, part: str) -> list[Tensor]:
        """Predictions [n, outputs] of each replicate for its graphs of a part, on the CPU."""
        return [rows for g in self.groups for rows in g.trainer.predict(g.places[part])]

    def model_state(self) -> State:
        """Parameters and buffers of all replicates by name, each [R, ...]."""
        return _joined([g.eager.model.state_dict() for g in self.groups])

    def optimizer_state(self) -> State:
        """Step counts and moments of all replicates by name, each [R, ...]."""
        return _joined([g.eager.optimizer.state_dict() for g in self.groups])

    def load_states(self, model: State, optimizer: State) -> None:
        """Load states of all replicates, as ``model_state`` and ``optimizer_state`` return them."""
        sizes = [len(g.eager.replicates) for g in self.groups]
        models, optimizers = _parted(model, sizes), _parted(optimizer, sizes)
        for group, own, moments in zip(self.groups, models, optimizers, strict=True):
            group.eager.model.load_state_dict(own)
            group.eager.optimizer.load_state_dict(moments)


def _joined(states: Sequence[Mapping[str, Tensor]]) -> State:
    if len(states) == 1:
        return dict(states[0])
    return {name: torch.cat([state[name] for state in states]) for name in states[0]}


def _parted(state: State, sizes: list[int]) -> list[State]:
    split = {name: torch.split(value, sizes) for name, value in state.items()}
    return [{name: parts[i] for name, parts in split.items()} for i in range(len(sizes))]
