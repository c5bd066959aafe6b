"""Loading a trained model from its checkpoint onto the CPU, without its training data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray
from torch import Tensor

from pdf_search.config import TrialConfig, parse_trial
from pdf_search.data import Prepared
from pdf_search.errors import ConfigError, TrialError
from pdf_search.graphs import GraphSet
from pdf_search.inference.calibration import Calibration, calibration_of
from pdf_search.model import PDFNetwork
from pdf_search.records import Phase, Replicate
from pdf_search.training import (
    CHECKPOINT,
    CONFIG,
    EXCERPT,
    Excerpt,
    ModelFacts,
    ReplicateSplits,
    identity,
    load_checkpoint,
    read_excerpt,
    read_importance,
)


class NeedsDataError(TrialError):
    """Raised for a checkpoint of an older version, which can only be loaded with its data set.

    ``fingerprint`` identifies that data set.
    """

    def __init__(self, path: Path, fingerprint: str) -> None:
        super().__init__(f"{path} does not say what its training data were")
        self.fingerprint = fingerprint


@dataclass(frozen=True)
class Trained:
    """A trained model with the requested replicates, in evaluation mode.

    ``epochs``: the epoch that the weights of each replicate are from. ``chosen``: which epoch that
    is, "best validation epoch" or "last epoch". ``excerpt``: the graphs saved with the model, on
    which it can be explained. ``data``: the data set that it was trained on; None if not given.
    ``importance``: what the run measured of each (eps, k), over all its replicates.
    ``calibration``: of its probabilities; None for a regression.
    """

    config: TrialConfig
    facts: ModelFacts
    model: PDFNetwork
    replicates: tuple[Replicate, ...]
    numbers: tuple[int, ...]  # index of each replicate among those of the run
    epochs: tuple[int, ...]
    chosen: str
    excerpt: Excerpt | None = None
    data: Prepared | None = None
    importance: dict[str, Any] | None = None
    calibration: Calibration | None = None

    def part(self, number: int = 0) -> tuple[str, np.ndarray]:
        """The part to explain the model on: its name, and the numbers of its first graphs.

        ``number`` is an index into ``replicates``; see ``Excerpt`` for the choice of the part.

        Raises:
            ConfigError: no graphs are kept with the model.
        """
        return self._excerpt.parts[self.numbers[number]]

    def graphs(self, numbers: NDArray[np.int64]) -> GraphSet:
        """The graphs with these numbers in the data set.

        Raises:
            ConfigError: the data set was not given, and a graph is not among those kept.
        """
        if self._excerpt.holds(numbers):
            return self._excerpt.subset(numbers)
        if self.data is None:
            raise ConfigError(f"graphs {numbers.tolist()} are not kept with the model")
        return self.data.graphs.subset(numbers)

    def knows(self, graph: int | None) -> bool:
        """Whether ``graph`` is at hand; None asks whether any graph is.

        A number that the data set does not have counts as known, because ``explain`` reports it.
        """
        if self.data is not None or self.excerpt is None or graph is None:
            return self.data is not None or self.excerpt is not None
        return self.excerpt.holds(np.array([graph])) or not 0 <= graph < self.facts.graphs

    @property
    def _excerpt(self) -> Excerpt:
        if self.excerpt is None:
            raise ConfigError(f"no graphs are kept with the model: there is no {EXCERPT}")
        return self.excerpt


def read_config(folder: Path) -> TrialConfig:
    """Read the configuration of a run of ``pdf-search train`` from its folder.

    Raises:
        ConfigError: the folder holds no such run, or the configuration is not valid.
    """
    file = folder / CONFIG
    try:
        tree = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError:
        raise ConfigError(
            f"{folder} holds no run of `pdf-search train` ({CONFIG} and {CHECKPOINT})"
        ) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: cannot be read ({error})") from None
    if not isinstance(tree, dict):
        raise ConfigError(f"{file}: not a configuration")
    return parse_trial(tree, str(file))


def load_trained(
    folder: Path, config: TrialConfig, data: Prepared | None = None, replicate: int | None = None
) -> Trained:
    """Load the model saved in ``folder``: one replicate by its number, or all of them.

    Each replicate gets the weights of its best validation epoch if the run kept them, as a
    confirmation under protocol ``split`` or ``inner`` does. Otherwise it gets the weights of the
    last saved epoch. ``data``: the data set that the model was trained on, if its graphs are
    needed; without it, ``with_excerpt`` adds the few graphs that were saved with the model.

    Raises:
        NeedsDataError: ``data`` is missing, and the checkpoint does not describe it.
        ConfigError: there is no such replicate, or the architecture is not PDF.
        TrialError: the checkpoint is missing, damaged, or of another configuration or data set.
    """
    if config.model.architecture != "pdf":
        raise ConfigError(
            f"{folder} is a run of architecture {config.model.architecture}; only PDF networks can "
            "be loaded"
        )
    state = load_checkpoint(folder, identity(config, None if data is None else data.fingerprint))
    count = len(config.replicates)
    if replicate is not None and not 0 <= replicate < count:
        raise ConfigError(f"--replicate {replicate}: the run has replicates 0..{count - 1}")
    facts = _facts(folder, config, state, data)
    numbers = tuple(range(count)) if replicate is None else (replicate,)
    selection: dict[str, Any] = state["selection"]
    best = config.phase is Phase.CONFIRM and bool(selection["weights"])
    weights = selection["weights"] if best else state["model"]
    epochs = selection["best_epoch"] if best else [state["epoch"]] * count
    return Trained(
        config,
        facts,
        built_model(config, facts, weights, numbers),
        tuple(config.replicates[r] for r in numbers),
        numbers,
        tuple(epochs[r] for r in numbers),
        "best validation epoch" if best else "last epoch",
        Excerpt.of(config, data) if data is not None else None,
        data,
        read_importance(folder),
        calibration_of(folder, facts.info.task, best),
    )


def with_excerpt(trained: Trained, folder: Path) -> Trained:
    """Return a copy of ``trained`` with the graphs kept in its ``folder``, if there are any.

    Raises:
        TrialError: the file of the graphs is damaged.
    """
    return replace(trained, excerpt=read_excerpt(folder))


def _facts(
    folder: Path, config: TrialConfig, state: dict[str, Any], data: Prepared | None
) -> ModelFacts:
    if data is not None:
        return ModelFacts.of(config, data, ReplicateSplits.of(config, data))
    facts = ModelFacts.read(state)
    if facts is None:
        raise NeedsDataError(folder / CHECKPOINT, state["data"])
    return facts


def built_model(
    config: TrialConfig, facts: ModelFacts, weights: dict[str, Tensor], numbers: tuple[int, ...]
) -> PDFNetwork:
    """The network of these replicates of a run, with their part of all ``weights`` [R, ...]."""
    assert facts.info.shape is not None, "a prepared data set knows its input shape"
    replicates = tuple(config.replicates[r] for r in numbers)
    model = PDFNetwork(config.model, facts.info.shape, config.basis.size, replicates)
    model.load_state_dict({name: value[list(numbers)] for name, value in weights.items()})
    return model.eval()
