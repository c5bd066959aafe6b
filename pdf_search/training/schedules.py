"""Learning rates as functions of the epoch, so that an interrupted run keeps its rates."""

from __future__ import annotations

from math import cos, pi

from pdf_search.config import Cosine, Milestones, Step, TrainingConfig


def learning_rate(config: TrainingConfig, epoch: int) -> float:
    """Learning rate of an epoch, counted from 1: cubic warm-up, then the decay of the schedule."""
    schedule, peak = config.schedule, config.learning_rate
    if epoch <= schedule.warmup:
        return peak * (epoch / schedule.warmup) ** 3
    if isinstance(schedule, Step):
        return float(peak * schedule.gamma ** ((epoch - schedule.warmup - 1) // schedule.step))
    if isinstance(schedule, Milestones):
        passed = sum(epoch > milestone for milestone in schedule.milestones)
        return float(peak * schedule.gamma**passed)
    if isinstance(schedule, Cosine):
        last = max(schedule.until or config.epochs, schedule.warmup + 1)
        progress = min((epoch - schedule.warmup - 1) / max(last - schedule.warmup - 1, 1), 1.0)
        share = schedule.floor + (1 - schedule.floor) * (1 + cos(pi * progress)) / 2
        return peak * share
    return peak
