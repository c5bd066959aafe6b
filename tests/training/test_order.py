"""The order of an epoch and the noise of a step: each replicate's own."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch

from pdf_search.records import Task
from pdf_search.training.build import build_program
from pdf_search.training.loop import Program
from pdf_search.training.replicates import ReplicateSplits
from tests.graphs.makers import random_set
from tests.training.trials import made, trial

NUMBERS = list(range(24))
SEEDS = (4, 0, 9)


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
    program = build_program(config, data, ReplicateSplits.of(config, data), torch.device("cpu"))
    keys: list[int] = []

    def learn(_: Program, _batch: object, noise: torch.Tensor, _rate: float) -> torch.Tensor:
        keys.extend(noise.tolist())
        return torch.zeros(len(SEEDS))

    monkeypatch.setattr(Program, "learn", learn)
    for epoch in (1, 2):
        program.train_epoch(epoch, splits(*SEEDS).epoch_order(epoch), 1e-3)
    assert len(keys) == len(set(keys)) == 2 * 4 * 3
