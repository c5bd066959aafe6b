"""Frozen, validated configuration trees. Unknown keys are refused; equal trees hash equal.

``TrialConfig`` is everything a trial depends on. Nothing here imports torch: a search space can
be checked on a machine without it.
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from pdf_search.errors import ConfigError
from pdf_search.records import Phase, Protocol, Replicate, Task

MAX_POWER = 16


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


# --- basis ---------------------------------------------------------------------------------------


def _check_eps(eps: float) -> float:
    if not -0.5 <= eps <= 0:
        raise ValueError(
            f"eps = {eps:g} is outside [-0.5, 0]: below -0.5 a node's own weight shrinks "
            "with its degree faster than its neighbourhood grows, above 0 powers of the "
            "matrix grow without bound"
        )
    return eps


def _check_power(k: int) -> int:
    if not 1 <= k <= MAX_POWER:
        raise ValueError(f"k = {k} is outside 1..{MAX_POWER}")
    return k


def _check_exponent(e: float) -> float:
    if not -1 <= e <= 1:
        raise ValueError(f"e = {e:g} is outside [-1, 1]")
    if e == 0:
        raise ValueError("e = 0 gives the identity, which is a basis anyway; leave it out")
    return e


Eps = Annotated[float, AfterValidator(_check_eps)]
Power = Annotated[int, AfterValidator(_check_power)]
Exponent = Annotated[float, AfterValidator(_check_exponent)]


class EpsRange(Frozen):
    """``low, low + step, ..., high``. The two ends may come in either order."""

    low: Eps
    high: Eps
    step: Annotated[float, Field(ge=1e-4)] = 0.05

    def values(self) -> tuple[float, ...]:
        low, high = sorted((self.low, self.high))
        count = int((high - low) / self.step + 1e-9) + 1
        return tuple(round(low + i * self.step, 10) for i in range(count))


class PowerRange(Frozen):
    """``low..high``, both included. The two ends may come in either order."""

    low: Power = 1
    high: Power

    def values(self) -> tuple[int, ...]:
        low, high = sorted((self.low, self.high))
        return tuple(range(low, high + 1))


class Hops(Frozen):
    """Support: pairs joined by a walk of at most ``hops`` steps."""

    hops: Annotated[int, Field(ge=1)]


class BasisConfig(Frozen):
    """A grid of (eps, k), written in one of three ways, and where its matrices live.

    ``eps`` with ``k``: every eps with every k. ``powers``: a range of k for each eps.
    ``pairs``: the (eps, k) one by one. The identity always comes first and is not listed.
    ``diagonals``: further bases diag(D~^e), after those of the grid as in the authors' code.
    """

    eps: EpsRange | tuple[float, ...] | None = None
    k: PowerRange | tuple[int, ...] | int | None = None
    powers: dict[float, PowerRange | tuple[int, ...] | int] | None = None
    pairs: tuple[tuple[float, int], ...] | None = None
    diagonals: tuple[Exponent, ...] = ()
    support: Literal["dense"] | Hops = "dense"
    standardise: bool = False

    @model_validator(mode="after")
    def _check(self) -> Self:
        given = (self.pairs is not None) + (self.powers is not None) + (self.eps is not None)
        if given != 1 or (self.eps is None) != (self.k is None):
            raise ValueError("give exactly one of: eps together with k, powers, pairs")
        if not self.grid:
            raise ValueError("the grid of (eps, k) is empty")
        for eps, k in self.grid:
            _check_eps(eps)
            _check_power(k)
        return self

    @field_validator("diagonals")
    @classmethod
    def _in_order(cls, exponents: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(sorted(set(exponents), reverse=True))

    @property
    def grid(self) -> tuple[tuple[float, int], ...]:
        """The distinct (eps, k), eps descending from 0, k ascending, without the identity."""
        if self.pairs is not None:
            points = set(self.pairs)
        elif self.powers is not None:
            points = {(e, k) for e, ks in self.powers.items() for k in _powers(ks)}
        else:
            assert self.eps is not None
            assert self.k is not None
            eps = self.eps.values() if isinstance(self.eps, EpsRange) else self.eps
            points = {(e, k) for e in eps for k in _powers(self.k)}
        return tuple(sorted(((e + 0.0, k) for e, k in points), key=lambda p: (-p[0], p[1])))

    @property
    def hops(self) -> int | None:
        """Hop limit of the support; None for all pairs."""
        return None if self.support == "dense" else self.support.hops

    @property
    def size(self) -> int:
        """m: length of a basis row, identity included."""
        return 1 + len(self.grid) + len(self.diagonals)

    @property
    def names(self) -> tuple[str, ...]:
        """What stands in each place of a basis row, for people."""
        powers = (f"({eps:g}, {k})" for eps, k in self.grid)
        return ("I", *powers, *(f"diag({e:g})" for e in self.diagonals))


def _powers(k: PowerRange | tuple[int, ...] | int) -> tuple[int, ...]:
    if isinstance(k, PowerRange):
        return k.values()
    return (k,) if isinstance(k, int) else k


# --- data ----------------------------------------------------------------------------------------


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


# --- model ---------------------------------------------------------------------------------------

Activation = Literal["gelu", "relu"]
# Hashed where set, so that older hashes stay.
JOINED_LATER = ("architecture", "coefficients", "filter_bias")


class ModelConfig(Frozen):
    """One PDF network; the three variants of the authors' code are points in this space.

    ``activation`` acts on messages, ``ffn_activation`` in the post-transform and in an mlp head;
    inside the filter it is GELU always. ``filter: fixed``: ``coefficients`` instead of parameters,
    one for each place of a basis row, the same for all channels. ``filter_bias: false``: no
    constant is added inside the filter, so that ``lin`` is a sum of bases and nothing else.
    ``architecture: gin``: PyTorch Geometric's GIN of the same width, depth, feed-forward part,
    readout and head, for comparison; the basis and the filter then do nothing.
    """

    architecture: Literal["pdf", "gin"] = "pdf"
    hidden: Annotated[int, Field(ge=1)] = 160
    layers: Annotated[int, Field(ge=1)] = 6
    filter: Literal["lin", "1l", "2l", "fixed"] = "2l"
    coefficients: tuple[float, ...] | None = None
    channels: Literal["idp", "shd"] = "idp"
    filter_bias: bool = True
    filter_norm: bool = False
    softmax: bool = False
    activation: Activation = "gelu"
    ffn_activation: Activation = "gelu"
    ffn_norm: bool = True
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    readout: Literal["mean", "max", "sum"] = "mean"
    head: Literal["linear", "mlp"] = "linear"

    @model_validator(mode="after")
    def _check(self) -> Self:
        fixed = self.filter == "fixed"
        if fixed != (self.coefficients is not None):
            raise ValueError("filter: fixed and coefficients go together; give both or neither")
        if fixed and (self.channels != "shd" or self.filter_norm):
            raise ValueError(
                "filter: fixed is the same for all channels and has no parameters; "
                "write channels: shd and filter_norm: false"
            )
        if self.architecture == "gin" and self.dropout > 0:
            raise ValueError("architecture: gin has no dropout; write dropout: 0.0")
        if self.filter_norm and not self.filter_bias:
            raise ValueError(
                "filter_bias: false does not go with filter_norm, which adds a constant of its "
                "own; write filter_norm: false"
            )
        return self


# --- training ------------------------------------------------------------------------------------


class Constant(Frozen):
    kind: Literal["constant"] = "constant"
    warmup: Annotated[int, Field(ge=0)] = 0


class Step(Frozen):
    """Cubic warm-up, then times ``gamma`` every ``step`` epochs after it."""

    kind: Literal["step"] = "step"
    warmup: Annotated[int, Field(ge=0)] = 0
    step: Annotated[int, Field(ge=1)]
    gamma: Annotated[float, Field(gt=0, le=1)]


class Milestones(Frozen):
    """Cubic warm-up, then times ``gamma`` after each epoch listed."""

    kind: Literal["milestones"] = "milestones"
    warmup: Annotated[int, Field(ge=0)] = 0
    milestones: tuple[int, ...]
    gamma: Annotated[float, Field(gt=0, le=1)]


class Cosine(Frozen):
    """Cubic warm-up, then half a cosine down to ``floor`` times the rate at epoch ``until``."""

    kind: Literal["cosine"] = "cosine"
    warmup: Annotated[int, Field(ge=0)] = 0
    until: Annotated[int, Field(ge=1)] | None = None  # default: the configured epochs
    floor: Annotated[float, Field(ge=0, le=1)] = 0.0


Schedule = Annotated[Constant | Step | Milestones | Cosine, Field(discriminator="kind")]


class TrainingConfig(Frozen):
    epochs: Annotated[int, Field(ge=1)] = 100
    batch_size: Annotated[int, Field(ge=1)] = 64
    learning_rate: Annotated[float, Field(gt=0)] = 1e-3
    weight_decay: Annotated[float, Field(ge=0)] = 0.0
    schedule: Schedule = Constant()
    loss: Literal["auto", "l1", "mse"] = "auto"  # auto: L1, cross-entropy or binary cross-entropy
    standardise_targets: bool = False  # regression: train on (y - mean) / std of the training part


Seed = Annotated[int, Field(ge=0, lt=2**32)]


class TrialConfig(Frozen):
    """Everything a trial depends on: the same tree gives the same curve.

    ``stop_epoch`` cuts the run without touching schedules, which stay in absolute epochs.
    ``seeds`` times ``folds`` replicates train together in one program.
    """

    data: DataConfig
    basis: BasisConfig
    model: ModelConfig = ModelConfig()
    training: TrainingConfig = TrainingConfig()
    protocol: Protocol = Protocol.SPLIT
    phase: Phase = Phase.SEARCH
    seeds: Annotated[tuple[Seed, ...], Field(min_length=1)] = (0,)
    folds: Annotated[int, Field(ge=2)] | None = None
    stop_epoch: Annotated[int, Field(ge=1)] | None = None
    engine: Literal["fast", "reference"] = "fast"
    device: str = "auto"  # auto, cpu, cuda

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.protocol is Protocol.NESTED:
            raise ValueError(
                "protocol nested chooses among the inner runs of a study's candidates; "
                "a trial is run under inner"
            )
        if (self.folds is None) != (self.protocol is Protocol.SPLIT):
            raise ValueError(f"protocol {self.protocol} does not go with folds = {self.folds}")
        if len(set(self.seeds)) != len(self.seeds):
            raise ValueError("seeds repeat: a seed given twice trains the same model twice")
        coefficients = self.model.coefficients
        if coefficients is not None and len(coefficients) != self.basis.size:
            raise ValueError(
                f"model has {len(coefficients)} coefficients, but a row of this basis has "
                f"{self.basis.size} places: {', '.join(self.basis.names)}"
            )
        return self

    @property
    def epochs(self) -> int:
        """Epochs this run trains."""
        return min(self.training.epochs, self.stop_epoch or self.training.epochs)

    @property
    def replicates(self) -> tuple[Replicate, ...]:
        folds = range(self.folds) if self.folds else (None,)
        return tuple(Replicate(seed, fold) for seed in self.seeds for fold in folds)

    def content_hash(self) -> str:
        """Hash of what decides the numbers: not the device, not which engine computes them."""
        tree = self.model_dump(mode="json", exclude={"device", "engine", "basis"})
        tree["basis"] = {
            "grid": self.basis.grid,
            "hops": self.basis.hops,
            "standardise": self.basis.standardise,
        }
        if self.basis.diagonals:
            tree["basis"]["diagonals"] = self.basis.diagonals
        for name in JOINED_LATER:
            if getattr(self.model, name) == ModelConfig.model_fields[name].default:
                del tree["model"][name]
        text = json.dumps(tree, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def parse_trial(tree: dict[str, Any], source: str = "trial") -> TrialConfig:
    """Validate a tree of plain data.

    Raises:
        ConfigError: names every wrong key by its dotted path.
    """
    try:
        return TrialConfig.model_validate(tree)
    except ValidationError as error:
        raise ConfigError(f"{source}: {describe(error)}") from None


def describe(error: ValidationError) -> str:
    """The problems of a pydantic error as ``key: what is wrong``, one a line."""
    lines = []
    for item in error.errors():
        key = ".".join(str(part) for part in item["loc"]) or "(whole tree)"
        message = item["msg"].removeprefix("Value error, ")
        lines.append(f"{key}: {message}")
    return "\n".join(dict.fromkeys(lines))
