"""The data set of a trial, and the inputs and outputs that the model gets from it."""

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
    """Which data set is used, how much of its training part, and how it is split.

    ``name`` is a registered name, or ``csv`` together with ``path``, ``smiles`` and ``targets``.
    ``split_by`` says which rows stay together in a random split: those of a molecule, none, or
    those of a Bemis-Murcko scaffold. ``split_column`` names a column that gives the part of each
    row instead. ``skip_bad_rows``: rows that cannot be read are left out, however many.
    ``stratify``: a random split keeps the classes in proportion.
    ``featuriser`` and ``split_version`` name a version of reading molecules and of splitting.
    A trial recorded without them has version 1; a new trial gets the newest (see ``newest``).
    """

    name: str
    train_fraction: Annotated[float, Field(gt=0, le=1)] = 1.0
    split_seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    path: str | None = None
    smiles: str = "smiles"
    targets: tuple[str, ...] = ()
    task: Task | None = None
    metric: str | None = None
    split_by: Literal["molecule", "row", "scaffold"] = "molecule"
    split_column: str | None = None
    skip_bad_rows: bool = False
    stratify: bool = False
    featuriser: Annotated[int, Field(ge=1, le=FEATURISER)] = 1
    split_version: Annotated[int, Field(ge=1, le=SPLIT)] = 1

    @field_validator("targets", mode="before")
    @classmethod
    def _one_target(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @property
    def by_molecule(self) -> bool:
        """Whether all rows of a molecule go to the same part of a random split."""
        return self.split_version > 1 and self.split_by != "row"


def newest(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tree of a ``DataConfig`` with the newest versions where it names none."""
    return {**data, **{key: data.get(key, value) for key, value in VERSIONS.items()}}


class CategoricalInput(Frozen):
    """Integer columns, each with its own embedding table; the embeddings are summed.

    ``sizes`` has the number of rows of each table. With ``frozen_zero``, row 0 of each table keeps
    its random initial value, as OGB's bond tables do in the authors' code. ``init`` is ``normal``
    (as torch's Embedding) or ``xavier`` (as OGB's encoders).
    """

    kind: Literal["categorical"] = "categorical"
    sizes: tuple[int, ...]
    frozen_zero: bool = False
    init: Literal["normal", "xavier"] = "normal"


class LinearInput(Frozen):
    """Real-valued features, passed through one linear layer."""

    kind: Literal["linear"] = "linear"
    features: int


class NoInput(Frozen):
    """No input features; for edges alone."""

    kind: Literal["none"] = "none"


class InputShape(Frozen):
    """The inputs and outputs of a model for a data set.

    ``outputs`` is the number of regression targets, of binary tasks, or of classes.
    """

    nodes: CategoricalInput | LinearInput
    edges: CategoricalInput | LinearInput | NoInput
    outputs: int
    task: Task
