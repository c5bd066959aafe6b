"""Facts of the training data that a trained model needs besides its weights.

With them in the checkpoint, it predicts without the training data.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pdf_search.config import TrialConfig
from pdf_search.data import (
    AS_SPELT,
    DatasetInfo,
    Domain,
    Kinds,
    Prepared,
    are_molecules,
    info_tree,
    parse_info,
)
from pdf_search.errors import TrialError
from pdf_search.records import Task
from pdf_search.training.artifacts.checkpoint import load_checkpoint
from pdf_search.training.replicates import ReplicateSplits

READ_HERE = ("csv", "freesolv")  # read from SMILES; OGB's sets come with graphs as spelt

Scale = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class ModelFacts:
    """Facts of the training data, as a checkpoint carries them.

    ``featuriser``: the version that turned SMILES into graphs. ``graphs``: the number of graphs in
    the data set. ``prepared``: the folder of the prepared data, from which more graphs can be read.
    ``seen``: elements and bond types in the training parts of all replicates; None for graphs that
    are no molecules, and where it was not recorded. ``domain``: what else the graphs of these parts
    have, to mark unlike ones; None where it was not recorded.

    ``mean`` and ``std`` [R, 1, T]: of the training targets if they were standardised, else 0 and 1.
    """

    info: DatasetInfo
    target_names: tuple[str, ...]
    class_names: tuple[str, ...]
    featuriser: int
    graphs: int
    fingerprint: str
    prepared: str
    mean: Tensor
    std: Tensor
    seen: Kinds | None = None
    domain: Domain | None = None

    @classmethod
    def of(cls, config: TrialConfig, data: Prepared, splits: ReplicateSplits) -> ModelFacts:
        """Collect the facts of a trial and its data."""
        mean, std = target_scale(config, data, splits)
        trained = np.concatenate(splits.parts["train"])
        return cls(
            info=data.info,
            target_names=data.target_names,
            class_names=data.class_names,
            featuriser=config.data.featuriser if data.info.name in READ_HERE else AS_SPELT,
            graphs=len(data.graphs),
            fingerprint=data.fingerprint,
            prepared=str(data.folder),
            mean=mean,
            std=std,
            seen=Kinds.of(data.graphs, trained) if are_molecules(data.info) else None,
            domain=Domain.of(data.graphs, trained),
        )

    def state(self) -> dict[str, Any]:
        """The facts as plain data and tensors, for a checkpoint."""
        about = {
            "info": info_tree(self.info),
            "target_names": self.target_names,
            "class_names": self.class_names,
            "featuriser": self.featuriser,
            "graphs": self.graphs,
            "prepared": self.prepared,
            "seen": self.seen and asdict(self.seen),
            "domain": self.domain and self.domain.state(),
        }
        # Through JSON: a checkpoint that holds our own types could not be read without their code.
        return {"about": json.dumps(about), "mean": self.mean, "std": self.std}

    @classmethod
    def read(cls, state: dict[str, Any]) -> ModelFacts | None:
        """Read the facts of a checkpoint; None if it was written before there were any.

        Raises:
            KeyError: an entry is missing.
            TypeError: an entry has another type than this version writes.
            ValueError: an entry has a value that this version does not write.
        """
        facts = state.get("facts")
        if facts is None:
            return None
        about = json.loads(facts["about"])
        seen, domain = about.get("seen"), about.get("domain")
        return cls(
            info=parse_info(about["info"]),
            target_names=tuple(about["target_names"]),
            class_names=tuple(about["class_names"]),
            featuriser=int(about.get("featuriser", 1)),
            graphs=int(about["graphs"]),
            fingerprint=state["data"],
            prepared=about["prepared"],
            mean=facts["mean"],
            std=facts["std"],
            seen=seen and Kinds(tuple(seen["elements"]), tuple(seen["bonds"])),
            domain=domain and Domain.read(domain),
        )


def target_scale(config: TrialConfig, data: Prepared, splits: ReplicateSplits) -> Scale:
    """Mean and standard deviation of the training targets, each [R, 1, T].

    If the run does not standardise them, 0 and 1, each [R, 1, 1].
    """
    if config.training.standardise_targets and data.info.task is Task.REGRESSION:
        return splits.target_scale()
    count = len(splits.replicates)
    return torch.zeros(count, 1, 1), torch.ones(count, 1, 1)


def begun_with(folder: Path) -> tuple[str, str] | None:
    """Folder of the prepared data and data fingerprint of the run in ``folder``.

    The folder is "" if the checkpoint does not name it. None for a run without a checkpoint that
    can be read.
    """
    try:
        state = load_checkpoint(folder, {})
        facts = ModelFacts.read(state)
        return facts.prepared if facts else "", state["data"]
    except (TrialError, KeyError, TypeError, ValueError):
        return None  # continuing the run reports the error
