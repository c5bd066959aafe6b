"""What each replicate has for itself: order, noise, scale of its targets, loss, divergence."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from pdf_search.config import TrialConfig
from pdf_search.data import Prepared
from pdf_search.records import EpochReport, ReplicateEpoch, Task
from pdf_search.training.build_trainers import build_trainer
from pdf_search.training.replicate_trainer import ReplicateTrainer
from pdf_search.training.replicates import ReplicateSplits
from pdf_search.training.trial import _divergence
from tests.graphs.makers import random_set
from tests.training.trials import made, trial

NUMBERS = list(range(24))
SEEDS = (4, 0, 9)
PLAIN = {"filter_norm": False, "ffn_norm": False, "dropout": 0.0}  # nothing but weights moves


def splits(*seeds: int) -> ReplicateSplits:
    data = made(random_set(1, 24), NUMBERS[:16], NUMBERS[16:20], NUMBERS[20:], Task.REGRESSION)
    return ReplicateSplits.of(trial("made", fraction=1, seeds=seeds), data)


def test_replicates_have_orders_of_their_own() -> None:
    together = splits(*SEEDS).epoch_order(3)
    assert [sorted(order.tolist()) for order in together] == [NUMBERS[:16]] * 3
    for one, other in pairwise([*together, together[0]]):
        assert one.tolist() != other.tolist()
    for order, seed in zip(together, SEEDS, strict=True):
        assert order.tolist() == splits(seed).epoch_order(3)[0].tolist()
        assert order.tolist() != splits(seed).epoch_order(4)[0].tolist()


def test_every_step_of_every_epoch_has_noise_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    data = made(random_set(1, 24), NUMBERS[:16], NUMBERS[16:20], NUMBERS[20:])
    config = trial("made", fraction=1, seeds=SEEDS, training={"batch_size": 4})
    trainer, _ = trainer_of(config, data)
    keys: list[int] = []

    def learn(
        _: ReplicateTrainer, _batch: object, noise: torch.Tensor, _rate: float
    ) -> torch.Tensor:
        keys.extend(noise.tolist())
        return torch.zeros(len(SEEDS))

    monkeypatch.setattr(ReplicateTrainer, "learn", learn)
    for epoch in (1, 2):
        trainer.train_epoch(epoch, splits(*SEEDS).epoch_order(epoch), 1e-3)
    assert len(keys) == len(set(keys)) == 2 * 4 * 3


def trainer_of(config: TrialConfig, data: Prepared) -> tuple[ReplicateTrainer, ReplicateSplits]:
    parts = ReplicateSplits.of(config, data)
    return build_trainer(config, data, parts, torch.device("cpu")), parts


@pytest.mark.parametrize("size", [16, 7, 1])
def test_the_loss_of_an_epoch_is_the_mean_over_its_graphs_in_the_scaled_unit(size: int) -> None:
    """At the rate 0 nothing moves: the loss is that of the predictions, whatever the batches."""
    data = made(random_set(1, 24, tasks=2), NUMBERS[:16], NUMBERS[16:20], NUMBERS[20:])
    training = {"batch_size": size, "weight_decay": 0.0}
    config = trial("made", fraction=1, seeds=SEEDS, model=PLAIN, training=training)
    trainer, parts = trainer_of(config, data)
    losses = trainer.train_epoch(1, parts.epoch_order(1), 0.0)
    truth = torch.from_numpy(np.array(data.graphs.targets[:16]))
    scale = truth.double().std(0, correction=0)
    for loss, rows in zip(losses, trainer.predict(parts.places("train")), strict=True):
        expected = float(((rows - truth).abs() / scale).mean())
        assert float(loss) == pytest.approx(expected, rel=1e-4)


def test_the_targets_of_each_fold_have_their_own_scale() -> None:
    data = made(random_set(2, 24), NUMBERS[:16], NUMBERS[16:20], NUMBERS[20:])
    config = trial("made", fraction=1, protocol="inner", folds=3, phase="confirm")
    parts = ReplicateSplits.of(config, data)
    means, deviations = parts.target_scale()
    assert len({float(mean) for mean in means}) == 3
    for train, mean, deviation in zip(parts.parts["train"], means, deviations, strict=True):
        targets = data.graphs.targets[train]
        assert float(mean) == pytest.approx(targets.mean(), rel=1e-5)
        assert float(deviation) == pytest.approx(targets.std(), rel=1e-5)


@pytest.mark.parametrize("part", ["train_loss", "valid", "test"])
@pytest.mark.parametrize("replicate", [0, 2])
def test_one_replicate_that_diverges_ends_the_trial(part: str, replicate: int) -> None:
    fine = [ReplicateEpoch(0.1, 0.2, 0.3) for _ in range(3)]
    assert _divergence(EpochReport(4, 1e-3, tuple(fine), 1.0, 1.0)) == ""
    fine[replicate] = replace(fine[replicate], **{part: float("nan")})
    text = _divergence(EpochReport(4, 1e-3, tuple(fine), 1.0, 1.0))
    assert text == f"{part} of replicate {replicate} is nan in epoch 4"
