"""The data set of a trial, and what it feeds the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from pdf_search.config.frozen import Frozen
from pdf_search.records import Task

FEATURISER = 2  # 1: molecules as they are spelt; 2: every spelling of a molecule gives one graph
SPLIT = 2  # 1: rows are dealt out; 2: molecules are, unless split_by says row
VERSIONS = {"featuriser": FEATURISER, "split_version": SPLIT}


class DataConfig(Frozen):
    """Which data set, how much of its training part, and how it is split.

    ``name`` is a registered name, or ``csv`` together with ``path``, ``smiles`` and ``targets``.
    ``featuriser`` and ``split_version``: which reading of molecules, and which way to split. What
    was recorded without them is of version 1; whatever is begun gets the newest (``newest``).
    """

    name: str
    train_fraction: Annotated[float, Field(gt=0, le=1)] = 1.0
    split_seed: Annotated[int, Field(ge=0)] = 0
    path: str | None = None
    smiles: str = "smiles"
    targets: tuple[str, ...] = ()
    task: Task | None = None
    metric: str | None = None
    split_by: Literal["molecule", "row"] = "molecule"
    featuriser: Annotated[int, Field(ge=1, le=FEATURISER)] = 1
    split_version: Annotated[int, Field(ge=1, le=SPLIT)] = 1

    @field_validator("targets", mode="before")
    @classmethod
    def _one_target(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @property
    def by_molecule(self) -> bool:
        """Whether all rows of a molecule go to the same part of a split."""
        return self.split_version > 1 and self.split_by == "molecule"


def newest(data: Mapping[str, Any]) -> dict[str, Any]:
    """The tree of a data set to be begun: of the newest versions where it names none."""
    return {**data, **{key: data.get(key, value) for key, value in VERSIONS.items()}}


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
