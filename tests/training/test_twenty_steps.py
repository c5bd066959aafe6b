"""Replicates trained together and alone have the same parameters after twenty steps."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from pdf_search.config import TrialConfig
from pdf_search.data import Prepared
from pdf_search.training.build_trainers import build_trainer
from pdf_search.training.replicates import ReplicateSplits
from tests.training.trials import folded, trial

STEPS, RATE, BATCH = 20, 1e-3, 16
CPU = torch.device("cpu")


def parameters(config: TrialConfig, data: Prepared) -> dict[str, Tensor]:
    """The parameters [R, ...] by name after twenty steps."""
    splits = ReplicateSplits.of(config, data)
    trainer = build_trainer(config, data, splits, CPU)
    order = splits.epoch_order(1)
    for step in range(STEPS):
        start = step * BATCH % (order.shape[1] - BATCH)
        trainer.train_step(1, step, order[:, start : start + BATCH], RATE)
    return {name: p.detach() for name, p in trainer.model.named_parameters()}


def agree(together: Tensor, alone: Tensor) -> None:
    torch.testing.assert_close(together, alone, rtol=0, atol=1e-4 * float(alone.abs().max()))


@pytest.mark.parametrize(
    "model",
    [
        {"softmax": False, "filter_norm": False},
        {"softmax": True, "filter_norm": True},
        {"softmax": False, "filter_norm": False, "dropout": 0.3, "channels": "shd"},
    ],
    ids=["plain", "softmax", "dropout"],
)
def test_seeds(model: dict[str, Any], freesolv: Prepared) -> None:
    together = parameters(trial(model=model, seeds=(7, 0, 3)), freesolv)
    for place, seed in enumerate((7, 0, 3)):
        alone = parameters(trial(model=model, seeds=(seed,)), freesolv)
        for name, value in alone.items():
            agree(together[name][place], value[0])


def test_folds(mutag: Prepared) -> None:
    config = folded()
    whole = parameters(config, mutag)
    for fold in (0, 9):
        with pytest.MonkeyPatch.context() as patch:
            one = config.replicates[fold : fold + 1]
            patch.setattr(TrialConfig, "replicates", property(lambda _, one=one: one))
            alone = parameters(config, mutag)
        for name, value in alone.items():
            agree(whole[name][fold], value[0])
