"""Schedules against the numbers of the authors' code, transcribed epoch by epoch."""

from __future__ import annotations

from math import cos, pi

import pytest
import torch

from pdf_search.config import Constant, Cosine, Milestones, Schedule, Step, TrainingConfig
from pdf_search.training.schedules import learning_rate

ZINC = Milestones(warmup=5, milestones=(40, 75, 110, 145, 180, 215, 250, 305, 340), gamma=0.6)


def training(schedule: Schedule, rate: float = 1e-3, epochs: int = 351) -> TrainingConfig:
    return TrainingConfig(epochs=epochs, learning_rate=rate, schedule=schedule)


@pytest.mark.parametrize(
    ("epoch", "rate"),
    [
        (1, 8e-6),
        (2, 6.4e-5),
        (3, 2.16e-4),
        (4, 5.12e-4),
        (5, 1e-3),
        (6, 1e-3),
        (40, 1e-3),
        (41, 6e-4),
        (75, 6e-4),
        (76, 3.6e-4),
        (111, 2.16e-4),
        (146, 1.296e-4),
        (181, 7.776e-5),
        (216, 4.6656e-5),
        (251, 2.79936e-5),
        (306, 1.679616e-5),
        (340, 1.679616e-5),
        (341, 1.0077696e-5),
        (351, 1.0077696e-5),
    ],
)
def test_zinc(epoch: int, rate: float) -> None:
    assert learning_rate(training(ZINC), epoch) == pytest.approx(rate, rel=1e-12)


@pytest.mark.parametrize(
    ("epoch", "rate"),
    [
        (1, 4e-6),
        (3, 1.08e-4),
        (5, 5e-4),
        (10, 5e-4),
        (11, 1e-4),
        (15, 1e-4),
        (16, 2e-5),
        (21, 4e-6),
    ],
)
def test_molpcba(epoch: int, rate: float) -> None:
    config = training(Step(warmup=5, step=5, gamma=0.2), 5e-4, 21)
    assert learning_rate(config, epoch) == pytest.approx(rate, rel=1e-12)


def test_plain_steps_equal_torch() -> None:
    parameter = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.AdamW([parameter], lr=1e-3)
    theirs = torch.optim.lr_scheduler.StepLR(optimizer, step_size=50, gamma=0.6)
    config = training(Step(step=50, gamma=0.6))
    for epoch in range(1, 302):
        assert learning_rate(config, epoch) == pytest.approx(theirs.get_last_lr()[0], rel=1e-9)
        optimizer.step()
        theirs.step()


def test_constant_after_its_warm_up() -> None:
    rates = [learning_rate(training(Constant(warmup=2)), epoch) for epoch in (1, 2, 3, 300)]
    assert rates == pytest.approx([1.25e-4, 1e-3, 1e-3, 1e-3])


def test_cosine_from_the_peak_to_the_floor() -> None:
    config = training(Cosine(warmup=3, floor=0.1), epochs=13)
    assert learning_rate(config, 4) == pytest.approx(1e-3)
    assert learning_rate(config, 13) == pytest.approx(1e-4)
    half = 1e-4 + 9e-4 * (1 + cos(pi * 3 / 9)) / 2
    assert learning_rate(config, 7) == pytest.approx(half)
    early = training(Cosine(until=5), epochs=20)
    assert learning_rate(early, 5) == learning_rate(early, 20) == 0
    assert learning_rate(training(Cosine(warmup=5), epochs=5), 6) == pytest.approx(1e-3)


@pytest.mark.parametrize(
    "schedule", [ZINC, Step(warmup=5, step=5, gamma=0.2), Cosine(warmup=3), Constant()]
)
def test_rates_are_positive_and_never_rise_after_the_warm_up(schedule: Schedule) -> None:
    rates = [learning_rate(training(schedule), epoch) for epoch in range(1, 352)]
    after = rates[max(schedule.warmup - 1, 0) :]
    assert min(rates) >= 0
    assert after == sorted(after, reverse=True)
