"""The configuration of a whole trial, its hash, and its validation from plain data."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from pdf_search.config.basis import BasisConfig
from pdf_search.config.data import VERSIONS, DataConfig
from pdf_search.config.frozen import Frozen
from pdf_search.config.model import ModelConfig
from pdf_search.config.training import Epoch, TrainingConfig
from pdf_search.config.validation import describe
from pdf_search.errors import ConfigError
from pdf_search.records import Phase, Protocol, Replicate

# Settings that were added later. They enter the hash only where they differ from their default,
# so that the hashes of older trials stay the same.
JOINED_LATER: dict[str, tuple[type[Frozen], tuple[str, ...]]] = {
    "model": (ModelConfig, ("architecture", "coefficients", "filter_bias", "storage")),
    "training": (TrainingConfig, ("changes",)),
    "data": (DataConfig, ("split_by", "split_column", "skip_bad_rows", "stratify", *VERSIONS)),
}

Seed = Annotated[int, Field(ge=0, lt=2**32)]


class TrialConfig(Frozen):
    """Everything that a trial depends on: equal trees give equal learning curves.

    ``stop_epoch`` ends the run early and leaves the schedule as it is, in absolute epochs.
    The replicates, one for each seed and fold, train together.
    """

    data: DataConfig = Field(description="the data set: {name: zinc}")
    basis: BasisConfig = Field(description="the grid of (eps, k): {eps: [-0.1, -0.3], k: 4}")
    model: ModelConfig = Field(ModelConfig(), description="the network: {hidden: 64, layers: 4}")
    training: TrainingConfig = Field(
        TrainingConfig(), description="how it is trained: {epochs: 100, learning_rate: 1e-3}"
    )
    protocol: Protocol = Field(Protocol.SPLIT, description="how numbers are arrived at")
    phase: Phase = Phase.SEARCH
    seeds: Annotated[tuple[Seed, ...], Field(min_length=1)] = Field(
        (0,), description="the seeds that train together: [0, 1]"
    )
    folds: Annotated[int, Field(ge=2, le=100_000)] | None = Field(
        None, description="into how many folds"
    )
    stop_epoch: Epoch | None = None
    engine: Literal["fast", "reference"] = "fast"
    device: str = "auto"  # auto, cpu, cuda, cuda:N
    precision: Literal["tf32", "float32"] = "tf32"  # of matrix products on a GPU

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not re.fullmatch(r"auto|cpu|cuda(:[0-9]+)?", self.device):
            raise ValueError(f"device {self.device!r}: name auto, cpu, cuda or cuda:N")
        if self.protocol is Protocol.NESTED:
            raise ValueError(
                "protocol nested chooses among the inner runs of a study's candidates; "
                "a trial is run under inner"
            )
        if (self.folds is None) != (self.protocol is Protocol.SPLIT):
            raise ValueError(f"protocol {self.protocol} does not go with folds = {self.folds}")
        if len(set(self.seeds)) != len(self.seeds):
            raise ValueError("seeds repeat: a seed given twice trains the same model twice")
        if self.model.architecture == "gin" and any(c.dropout for c in self.training.changes):
            raise ValueError("architecture: gin has no dropout; write dropout: 0.0 in the changes")
        if self.model.storage != "float32" and (
            self.engine != "fast" or self.model.architecture == "gin"
        ):
            raise ValueError(
                "model.storage: bfloat16 is of the fast engine's weights and messages, which "
                "engine: reference and architecture: gin do not have; write storage: float32"
            )
        coefficients = self.model.coefficients
        if coefficients is not None and len(coefficients) != self.basis.size:
            raise ValueError(
                f"model has {len(coefficients)} coefficients, but a row of this basis has "
                f"{self.basis.size} places: {', '.join(self.basis.names)}"
            )
        return self

    @property
    def epochs(self) -> int:
        """The number of epochs that this run trains."""
        return min(self.training.epochs, self.stop_epoch or self.training.epochs)

    @property
    def replicates(self) -> tuple[Replicate, ...]:
        """The replicates, by seed, then fold; the fold is None where there are no folds."""
        folds = range(self.folds) if self.folds else (None,)
        return tuple(Replicate(seed, fold) for seed in self.seeds for fold in folds)

    def at(self, epoch: int) -> TrialConfig:
        """The configuration in force in an epoch: the last change before it, and no others."""
        config = self.unchanged
        past = [change for change in self.training.changes if change.after < epoch]
        if not past:
            return config
        rate, decay = past[-1].learning_rate, past[-1].weight_decay
        training = config.training.model_copy(update={"learning_rate": rate, "weight_decay": decay})
        model = config.model.model_copy(update={"dropout": past[-1].dropout})
        return config.model_copy(update={"training": training, "model": model})

    @property
    def unchanged(self) -> TrialConfig:
        """The configuration that the trial began with, without ``training.changes``."""
        if not self.training.changes:
            return self
        training = self.training.model_copy(update={"changes": ()})
        return self.model_copy(update={"training": training})

    def content_hash(self) -> str:
        """Hash everything that decides the results, as 16 hexadecimal digits.

        Device, engine and precision are left out. Bases that are written in different ways and are
        equal hash equal.
        """
        tree = self.model_dump(mode="json", exclude={"device", "engine", "precision", "basis"})
        tree["basis"] = {
            "grid": self.basis.grid,
            "hops": self.basis.hops,
            "standardise": self.basis.standardise,
        }
        if self.basis.diagonals:
            tree["basis"]["diagonals"] = self.basis.diagonals
        for part, (kind, names) in JOINED_LATER.items():
            for name in names:
                if getattr(getattr(self, part), name) == kind.model_fields[name].default:
                    del tree[part][name]
        text = json.dumps(tree, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def parse_trial(tree: dict[str, Any], source: str = "trial") -> TrialConfig:
    """Validate a tree of plain data; ``source`` begins the error message.

    Raises:
        ConfigError: The tree is no trial. The message names every wrong key by its dotted path.
    """
    try:
        return TrialConfig.model_validate(tree)
    except ValidationError as error:
        raise ConfigError(f"{source}: {describe(error, TrialConfig)}") from None


def with_stop_epoch(tree: dict[str, Any], epochs: int) -> dict[str, Any]:
    """Return a trial's tree with ``stop_epoch`` set to ``epochs``.

    It is None if training ends by then anyway, so that equal trials have equal trees.
    """
    configured = parse_trial({**tree, "stop_epoch": None}).training.epochs
    return {**tree, "stop_epoch": epochs if epochs < configured else None}
