"""The data set of a trial, and what it feeds the model."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from pdf_search.config.frozen import Frozen
from pdf_search.records import Task


class DataConfig(Frozen):
    """Which data set, how much of its training part, and how it is split.

    ``name`` is a registered name, or ``csv`` together with ``path``, ``smiles`` and ``targets``.
    """

    name: str
    train_fraction: Annotated[float, Field(gt=0, le=1)] = 1.0
    split_seed: int = 0
    path: str | None = None
    smiles: str = "smiles"
    targets: tuple[str, ...] = ()
    task: Task | None = None
    metric: str | None = None

    @field_validator("targets", mode="before")
    @classmethod
    def _one_target(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value


class CategoricalInput(Frozen):
    """Integer columns, one embedding table each, summed. ``sizes``: rows of each table.

    ``frozen_zero``: row 0 of each table keeps its random start (OGB's bond tables in the authors'
    code). ``init``: ``normal`` (torch's embedding) or ``xavier`` (OGB's encoders).
    """

    kind: Literal["categorical"] = "categorical"
    sizes: tuple[int, ...]
    frozen_zero: bool = False
    init: Literal["normal", "xavier"] = "normal"


class LinearInput(Frozen):
    """Real-valued features through one linear layer."""

    kind: Literal["linear"] = "linear"
    features: int


class NoInput(Frozen):
    """No features (edges only)."""

    kind: Literal["none"] = "none"


class InputShape(Frozen):
    """What a data set feeds the model and wants from it. ``outputs``: targets, tasks or classes."""

    nodes: CategoricalInput | LinearInput
    edges: CategoricalInput | LinearInput | NoInput
    outputs: int
    task: Task
