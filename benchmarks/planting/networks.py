"""Trains the network of the planted tasks on some bases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from pdf_search.config import TrialConfig, parse_trial
from pdf_search.data import Prepared, cached_bank
from pdf_search.graphs import Bank, compact_picks, moments_of
from pdf_search.model import engine_data
from pdf_search.training.build_trainers import trainer_of
from pdf_search.training.groups import Group, Groups
from pdf_search.training.importance.basis_importance import Probe
from pdf_search.training.importance.least_squares import fit_columns
from pdf_search.training.importance.recorded import trial_importance
from pdf_search.training.replicate_trainer import ReplicateTrainer
from pdf_search.training.replicates import ReplicateSplits
from pdf_search.training.schedules import learning_rate
from planting.tasks import FULL, Point

CPU = torch.device("cpu")
EPOCHS = 40


def configure(grid: Sequence[Point], seeds: Sequence[int]) -> TrialConfig:
    return parse_trial(
        {
            "data": {"name": "planted"},
            "basis": {"pairs": [list(point) for point in grid]},
            "model": {"hidden": 32, "layers": 2, "filter": "2l", "readout": "sum"},
            "training": {
                "epochs": EPOCHS,
                "batch_size": 32,
                "learning_rate": 3e-3,
                "schedule": {"kind": "cosine"},
                "loss": "mse",
                "standardise_targets": True,
            },
            "phase": "confirm",
            "seeds": list(seeds),
            "device": "cpu",
        }
    )


def unit_bank(data: Prepared, config: TrialConfig) -> Bank:
    """The bank with every basis scaled to a root mean square of 1 over all pairs."""
    bank = cached_bank(data, config.basis)
    counts = row_counts(bank)
    scale = np.sqrt(counts @ np.square(bank.rows.astype(np.float64)) / counts.sum())
    return replace(bank, rows=(bank.rows / scale).astype(np.float32))


def row_counts(bank: Bank) -> np.ndarray:
    """How many pairs have each row, far pairs included, [U]."""
    counts = np.bincount(bank.row, minlength=len(bank.rows)).astype(np.float64)
    if bank.hops is None:
        np.add.at(counts, bank.far_row, bank.far_count)
    return counts


def compact_grid(data: Prepared) -> tuple[Point, ...]:
    """The bases that ``compact`` keeps of the full grid, by the training graphs."""
    assert data.official is not None
    bank = cached_bank(data, configure(FULL, (0,)).basis).subset(data.official["train"])
    return tuple(bank.grid[pick] for pick in compact_picks(moments_of(bank).covariance()))


@dataclass(frozen=True)
class PlantedNetwork:
    """A network on some bases of a planted task, each basis at unit root mean square."""

    config: TrialConfig
    data: Prepared
    splits: ReplicateSplits
    trainer: ReplicateTrainer
    groups: Groups

    @classmethod
    def build(cls, grid: Sequence[Point], data: Prepared, seed: int) -> PlantedNetwork:
        config = configure(grid, (seed,))
        splits = ReplicateSplits.of(config, data)
        bank = unit_bank(data, config).subset(splits.numbers)
        lists = engine_data("fast", config.model, splits.graphs, bank, CPU)
        trainer = trainer_of(config, data, splits, lists, CPU)
        groups = Groups([Group.of(splits, trainer, trainer, CPU)])
        return cls(config, data, splits, trainer, groups)

    def train(self, kept: Path | None = None) -> None:
        """Train, or load the weights that an earlier call kept in the file ``kept``."""
        if kept is not None and kept.exists():
            self.trainer.model.load_state_dict(torch.load(kept, weights_only=True))
            return
        for epoch in range(1, self.config.epochs + 1):
            self.groups.train_epoch(epoch, learning_rate(self.config.training, epoch))
        if kept is not None:
            torch.save(self.trainer.model.state_dict(), kept)

    def error(self, part: str) -> float:
        """Mean squared error on a part, as a share of the variance of all targets."""
        targets = self.data.graphs.targets[:, 0]
        (numbers,), (predicted,) = self.splits.parts[part], self.groups.predict(part)
        missed = predicted[:, 0].numpy() - targets[numbers]
        return float(np.square(missed).mean() / targets.var())

    def first_picks(self) -> dict[str, list[Point]]:
        """The pick of the importance map, and of least squares on the filter's outputs alone."""
        places = self.groups.groups[0].places["train"]
        found = trial_importance(self.config, self.groups, {})
        assert found is not None
        errors = found["replicates"][0]["errors"]
        grid = self.config.basis.grid
        return {
            "map": [grid[int(np.argmin(errors))]],
            "filter alone": [grid[self._explains_most(places)]],
        }

    def _explains_most(self, places: torch.Tensor) -> int:
        """The basis that with the constant and the identity explains most of the filter."""
        with torch.no_grad():
            sums = Probe.of(self.trainer, places).filter_sums()
        products, mixed = sums.products[0], sums.mixed[0]
        columns = range(2, len(products))
        gains = [float((mixed * fit_columns(products, mixed, [0, 1, c])).sum()) for c in columns]
        return int(np.argmax(gains))
