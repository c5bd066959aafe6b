"""An entry of the portfolio: a configuration in terms that fit any data set."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from pdf_search.config import Activation, Frozen, TrialConfig
from pdf_search.space.files.shipped import shipped_tree

PORTFOLIO = "portfolio/entries"
SCHEDULES = {"cosine": "annealed", "step": "step", "milestones": "step", "constant": "constant"}
OF_MODEL = (
    "filter",
    "channels",
    "filter_norm",
    "softmax",
    "activation",
    "ffn_norm",
    "readout",
    "head",
)

Share = Annotated[float, Field(gt=0, le=1)]


class Entry(Frozen):
    """A configuration of the portfolio.

    ``eps``: lowest and highest. ``k_share``: the highest k, as a share of the space's highest; the
    lowest is 1. ``hidden_share``: of the space's largest hidden size. ``support: hops``: the
    space's largest number of hops. ``schedule``: ``annealed`` is a cosine, ``step`` any decay by
    steps. ``activation`` acts on messages and in the feed-forward part.
    """

    eps: tuple[float, float]
    k_share: Share
    support: Literal["dense", "hops"]
    standardise: bool
    hidden_share: Share
    layers: int
    filter: Literal["lin", "1l", "2l"]
    channels: Literal["idp", "shd"]
    filter_norm: bool
    softmax: bool
    activation: Activation
    ffn_norm: bool
    dropout: float
    readout: Literal["mean", "max", "sum"]
    head: Literal["linear", "mlp"]
    batch_size: int
    learning_rate: float
    weight_decay: float
    schedule: Literal["annealed", "step"]

    @property
    def kinds(self) -> dict[str, Any]:
        """The settings without an order, by path, as ``kinds_of`` gives those of a trial."""
        return {f"model.{name}": getattr(self, name) for name in OF_MODEL} | {
            "model.ffn_activation": self.activation,
            "basis.support": self.support,
            "basis.standardise": self.standardise,
            "training.schedule.kind": self.schedule,
        }


def kinds_of(config: TrialConfig) -> dict[str, Any]:
    """The settings of a trial that have no order, by path, in the words of an entry."""
    return {f"model.{name}": getattr(config.model, name) for name in OF_MODEL} | {
        "model.ffn_activation": config.model.ffn_activation,
        "basis.support": "dense" if config.basis.hops is None else "hops",
        "basis.standardise": config.basis.standardise,
        "training.schedule.kind": SCHEDULES[config.training.schedule.kind],
    }


def shipped_portfolio() -> tuple[Entry, ...]:
    """The entries of the shipped portfolio, in the order in which they are tried."""
    tree, _ = shipped_tree(PORTFOLIO)
    return tuple(Entry.model_validate(entry) for entry in tree["entries"])
