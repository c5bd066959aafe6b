"""The graphs of each replicate: its splits, its order of an epoch, the scale of its targets.

Legend: R replicates, L longest list, T tasks. Lists of unequal length are padded with -1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pdf_search.config import TrialConfig
from pdf_search.data import Prepared, split_for
from pdf_search.graphs import GraphSet
from pdf_search.model import private_order, replicate_keys
from pdf_search.records import Replicate

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class ReplicateSplits:
    """Graph numbers of each replicate's parts; ``graphs`` holds only the graphs in use.

    A test part that the phase must not see is absent.
    """

    replicates: tuple[Replicate, ...]
    numbers: Numbers  # graph numbers in use, ascending
    graphs: GraphSet  # those graphs
    parts: dict[str, tuple[Numbers, ...]]  # "train", "valid", "test": one list a replicate

    @classmethod
    def of(cls, config: TrialConfig, data: Prepared) -> ReplicateSplits:
        """Split the data for each replicate of a trial."""
        splits = [split_for(data, config, replicate) for replicate in config.replicates]
        parts = {"train": tuple(s.train for s in splits)}
        if all(len(s.valid) for s in splits):
            parts["valid"] = tuple(s.valid for s in splits)
        tests = tuple(s.test for s in splits if s.test is not None)
        if tests:
            parts["test"] = tests
        numbers = np.unique(np.concatenate([n for part in parts.values() for n in part]))
        return cls(config.replicates, numbers, data.graphs.subset(numbers), parts)

    def places(self, part: str) -> Tensor:
        """Places of a part's graphs among those in use, [R, L]."""
        return _pad([torch.from_numpy(n) for n in self._places(part)])

    def epoch_order(self, epoch: int) -> Tensor:
        """The order of ``EpochOrder`` for an epoch, [R, L], on the CPU."""
        return EpochOrder.of(self, torch.device("cpu"))(epoch)

    def group(self, members: slice) -> ReplicateSplits:
        """The splits of some of the replicates, with the same graphs in use."""
        parts = {name: lists[members] for name, lists in self.parts.items()}
        return replace(self, replicates=self.replicates[members], parts=parts)

    def target_scale(self) -> tuple[Tensor, Tensor]:
        """Mean and population standard deviation of the training targets, each [R, 1, T].

        A target without any label has 0 and 1, a constant one the deviation 1.
        """
        mean, std = [], []
        for places in self._places("train"):
            targets = self.graphs.targets[places].astype(np.float64)
            labelled = ~np.isnan(targets)
            count = labelled.sum(0).clip(min=1)
            mean.append(np.where(labelled, targets, 0).sum(0) / count)
            squares = np.where(labelled, (targets - mean[-1]) ** 2, 0).sum(0)
            std.append(np.where(squares > 0, np.sqrt(squares / count), 1.0))
        scale = (torch.from_numpy(np.stack(x)[:, None]).float() for x in (mean, std))
        return next(scale), next(scale)

    def _places(self, part: str) -> list[Numbers]:
        return [np.searchsorted(self.numbers, n) for n in self.parts[part]]


@dataclass(frozen=True)
class EpochOrder:
    """Orders the training graphs of each replicate anew for each epoch.

    The order is a function of the epoch, the replicate's seed and fold, and its graphs' numbers.
    Other replicates, and which other graphs are in use, do not matter.
    """

    replicates: tuple[Replicate, ...]
    numbers: Tensor  # [R, L] numbers of the training graphs
    places: Tensor  # [R, L]

    @classmethod
    def of(cls, splits: ReplicateSplits, device: torch.device) -> EpochOrder:
        """Take the training graphs of each replicate, on ``device``."""
        numbers = _pad([torch.from_numpy(n) for n in splits.parts["train"]])
        return cls(splits.replicates, numbers.to(device), splits.places("train").to(device))

    def __call__(self, epoch: int) -> Tensor:
        """Places of the training graphs among those in use, [R, L], in the order of an epoch."""
        keys = replicate_keys(self.replicates, epoch).to(self.numbers.device)
        return self.places.gather(1, private_order(keys, self.numbers))


def _pad(lists: list[Tensor]) -> Tensor:
    return torch.nn.utils.rnn.pad_sequence(lists, batch_first=True, padding_value=-1)
