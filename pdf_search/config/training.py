"""How a trial is trained: epochs, learning rate and its schedule, loss."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from pdf_search.config.frozen import Frozen
from pdf_search.records import MOST_COUNT

Epoch = Annotated[int, Field(ge=1, le=MOST_COUNT)]
FromZero = Annotated[int, Field(ge=0, le=MOST_COUNT)]


class Constant(Frozen):
    """Cubic warm-up over ``warmup`` epochs, then the configured learning rate."""

    kind: Literal["constant"] = "constant"
    warmup: FromZero = 0


class Step(Frozen):
    """Cubic warm-up; then the learning rate is multiplied by ``gamma`` every ``step`` epochs."""

    kind: Literal["step"] = "step"
    warmup: FromZero = 0
    step: Epoch
    gamma: Annotated[float, Field(gt=0, le=1)]


class Milestones(Frozen):
    """Cubic warm-up; the learning rate is multiplied by ``gamma`` after each epoch listed."""

    kind: Literal["milestones"] = "milestones"
    warmup: FromZero = 0
    milestones: tuple[FromZero, ...]
    gamma: Annotated[float, Field(gt=0, le=1)]


class Cosine(Frozen):
    """Cubic warm-up, then half a cosine, down to ``floor`` times the rate at epoch ``until``."""

    kind: Literal["cosine"] = "cosine"
    warmup: FromZero = 0
    until: Epoch | None = None  # default: the configured epochs
    floor: Annotated[float, Field(ge=0, le=1)] = 0.0


Schedule = Annotated[Constant | Step | Milestones | Cosine, Field(discriminator="kind")]


class Change(Frozen):
    """The peak learning rate, the weight decay and the dropout that hold after epoch ``after``."""

    after: Epoch
    learning_rate: Annotated[float, Field(gt=0)]
    weight_decay: Annotated[float, Field(ge=0)]
    dropout: Annotated[float, Field(ge=0, lt=1)]


class TrainingConfig(Frozen):
    """How a trial is trained: epochs, graphs in a batch, optimiser settings, schedule, loss.

    ``changes``: what population based training changed on the way, by ascending epoch.
    """

    epochs: Epoch = 100
    batch_size: Annotated[int, Field(ge=1, le=100_000_000)] = 64
    learning_rate: Annotated[float, Field(gt=0)] = 1e-3
    weight_decay: Annotated[float, Field(ge=0)] = 0.0
    schedule: Schedule = Constant()
    loss: Literal["auto", "l1", "mse"] = "auto"  # auto: L1, cross-entropy or binary cross-entropy
    standardise_targets: bool = False  # regression: train on (y - mean) / std of the training part
    changes: tuple[Change, ...] = ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        epochs = [change.after for change in self.changes]
        if epochs != sorted(set(epochs)):
            raise ValueError(f"changes: write their epochs in ascending order, not {epochs}")
        return self
